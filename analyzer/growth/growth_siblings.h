// SPDX-License-Identifier: Apache-2.0
//
// What grows beside a cache, at one line or in one function. A line takes memory at several call
// stacks, because an interpreter goes other ways now and then, and because a compiler makes two
// copies of a line. Each part alone may mislead:
//
//   ring.append(bytearray(n))   one stack   ╱▔▔▔   a cache that is full at 85 % of the run
//   a ring                      the other   ╱ ▔▔   1 block in 30, too few to see that it is full:
//                                                  its blocks come and go as those of the first do
//
//   log.push_back(entry)        one stack   ╱▔▔▔   "full" after half of the run: from there on
//   a leak                      the other   __╱╱   the other stack takes them
//
//   cache[key] = keep(value)    one stack   ╱▔▔▔   a cache
//   both                        the other   ╱╱╱╱   goes on when the cache is full: a leak
//
//   request(&arena)             one stack   __╱▔   whichever finds the arena empty takes the next,
//   an arena                    the other   ╱▔▔▔   larger chunk: together they grow to the end
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/growth/growth_curves.h"
#include "analyzer/growth/growth_finding.h"
#include "analyzer/growth/growth_lines.h"

namespace memtrace::analyzer {

// True if blocks may belong to `part` rather than to `rest` by chance alone: both are acquired at
// the same times, as many of them stay, from the same times, and some of both go. A leak has none
// that go.
bool is_some_of(const Curve& part, const Curve& rest);

enum class Beside : uint8_t {
    apart,     // It went on when the cache was full, or the cache tells nothing.
    part,      // It stopped with the cache, although the cache was used further.
    not_sure,  // The cache was full too late to tell.
};
// Tells how a cache and growth beside it, which began with slice `since`, belong together.
Beside beside_cache(const Curve& growth, size_t since, const Curve& cache);

struct SiblingPlaces {
    const Space& space;
    const Symbols& symbols;
    const GrowthCurves& curves;
    const SiteLines& lines;
};
// Returns the finding of these sites, whose stacks have a path in common.
using MakeFinding = std::function<GrowthFinding(
    const std::vector<uint32_t>& sites, std::vector<FrameId> path, const Judgement& judgement)>;

// Findings that come and go, because the calls of one line take turns: each of them lets go what
// the other has replaced, and together they grow. They become one finding, which is not sure.
void judge_turns(std::vector<GrowthFinding>& findings, const SiblingPlaces& places,
                 const MakeFinding& make);

// Judges findings that grow together with what lies beside them. Those that are a part of a cache
// become one, and are removed if they are small. So do those that draw from one arena.
void judge_siblings(std::vector<GrowthFinding>& findings, const SiblingPlaces& places,
                    const MakeFinding& make);

}  // namespace memtrace::analyzer
