// SPDX-License-Identifier: Apache-2.0
//
// The part of a run in which blocks of all times have survived, and where that ends. Shares and
// counts that decide here are described in docs/use/leaks.md.
#pragma once

#include <cstddef>
#include <optional>

#include "analyzer/growth/growth_curve.h"

namespace memtrace::analyzer {

// Slices [begin, end).
struct Window {
    size_t begin = 0;
    size_t end = 0;
    double survivors = 0;
    double coverage = 0;  // share of its parts that have some; 0: it is no window
    bool slows = false;
    bool has_fallen = false;  // What was held before has gone down by half, once at least.
};

// The longest one up to `end`, or nothing.
std::optional<Window> find_window(const Curve& curve, size_t end);

bool begins_early(const Curve& curve, const Window& window);

// Whether what is held has stopped growing: for its last slices it has grown by next to nothing,
// and it never did so for half as long before.
bool has_stopped(const Curve& curve, const Window& window);

// Whether the window's last third has clearly more survivors than its first.
bool is_rising(const Curve& curve, const Window& window);

// Whether nearly all that it acquired was kept, until at the end it acquired something several
// times and held no more than before: few blocks, but each in the place of another one.
bool has_begun_to_evict(const Curve& curve, const Window& window);

// One past the last slice of which something survived.
size_t end_of_births(const Curve& curve);

// Whether the survivors end long before the run does, compared with the pauses between them.
bool is_gap(const Curve& curve, size_t end);

}  // namespace memtrace::analyzer
