// SPDX-License-Identifier: Apache-2.0
//
// The part of a run in which blocks of all times have survived, and the end of that part. The
// shares and counts that decide here are described in docs/use/leaks.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzer/growth/growth_curve.h"

namespace memtrace::analyzer {

// Slices [begin, end).
struct Window {
    size_t begin = 0;
    size_t end = 0;
    double survivors = 0;
    double coverage = 0;  // share of its parts that have survivors; 0: not a window
    bool slows = false;
    bool has_fallen = false;  // Earlier holdings fell by half at least once.
};

// If much memory comes and goes, the newest blocks are mostly still in use. So a window is looked
// for that ends before the last 20th of the slices, or before the last 10th, and so on.
inline constexpr std::array<size_t, 4> newest_parts{20, 10, 5, 3};

// Returns the longest window up to `end`, or nothing.
std::optional<Window> find_window(const Curve& curve, size_t end);

bool begins_early(const Curve& curve, const Window& window);

// Returns the slice since which the held blocks have stopped growing: they grew by almost nothing
// from there on, compared with the whole window, and never before for half as long. What is given
// back when the work ends does not count.
std::optional<size_t> stopped_at(const Curve& curve, const Window& window);

// Whether what is held late in the window has risen by the blocks that stayed late. A full cache
// keeps blocks of all times as well, those that are used often, and each of them has taken the
// place of another one.
enum class Rise : uint8_t {
    by_survivors,  // it has, or too few stayed to tell
    unclear,       // what comes and goes hides it
    none
};
Rise rise_of_level(const Curve& curve, const Window& window);

// Returns the window that begins with the slice `full`, if blocks of all times stay there, too, and
// come on top of what was held: a leak beside a cache that is full. A cache alone has none, because
// each block that stays has taken the place of another one.
std::optional<Window> find_window_when_full(const Curve& curve, size_t full);

// True if what is held still rises evenly after this slice, hardly ever falls, and by eight blocks
// at least.
bool rises_when_full(const Curve& curve, size_t full);

// True if the window's last third has clearly more survivors than its first.
bool is_rising(const Curve& curve, const Window& window);

// Returns the slice at which what is held bends most from a quick rise to a slow one: a cache may
// have been full since then.
size_t bend_of(const Curve& curve, const Window& window);

// True if blocks are released at some rate, whatever their age, so that what is held comes to rest:
// it rises ever less, while of what came late more stays than of what came early. What is in use
// at the end of the window does not count.
bool comes_to_rest(const Curve& curve, const Window& window);

// Returns at how many moments it grew, if they are three or some more, as far from each other as
// the last one is from the end, and nothing of it went: too few to say that it grows, or that it
// has stopped. 0 otherwise.
size_t few_moments(const Curve& curve);

// True if blocks came one by one, each larger than the one before, none of them went, and the pause
// since the last one is no longer than that one lasts, as the one before was used up: an arena
// whose chunks become four times as large takes the next one after four times the time.
bool takes_ever_larger(const Curve& curve);

// True if nearly all acquired blocks were kept, until at the end several blocks were acquired and
// the holdings did not grow. There may be few such blocks, but each took the place of another
// block.
bool has_begun_to_evict(const Curve& curve, const Window& window);

// True if blocks go in the order in which they came, at some age: nothing that came before the
// window stayed, nearly all that came in it did, and to the end there are some that go. So does a
// queue under a rising load, or a table whose entries expire.
bool goes_in_order(const Curve& curve, const Window& window);

// Returns the slice after the last slice with survivors.
size_t end_of_births(const Curve& curve);

// True if the survivors end long before the run does, compared with the pauses between them.
bool is_gap(const Curve& curve, size_t end);

}  // namespace memtrace::analyzer
