// SPDX-License-Identifier: Apache-2.0
//
// The call stacks of one recording, in a form in which another recording has the same ones: the
// frames of page_tree.h by the names that keys of call sites have (site_key.h), without lines and
// addresses. What repeats at the end of a path is the same place, so a recursion is as deep in one
// recording as in the other:
//
//   main train.py:8                      main (train.py)
//     walk tree.py:4                       walk (tree.py)        also holds what the deeper
//       walk tree.py:6                       malloc [libc.so]    calls of walk hold
//         walk tree.py:6
//           malloc
//
// The sites of a space add up to its totals.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/number_hash.h"
#include "analyzer/diff/diff_figures.h"
#include "analyzer/page/page_frames.h"
#include "analyzer/page/page_options.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct DiffFrame {
    std::string key;   // stable_frame()
    ShownFrame shown;  // without a line
};

struct DiffNode {
    uint32_t parent = 0;  // smaller than the number of the node; node 0 is the root
    uint32_t frame = 0;   // index into the frames; means nothing for the root
};

struct DiffStackSite {
    uint32_t node = 0;
    uint32_t line = 0;  // index into DiffSide::lines
    DiffFigures figures;
};

struct DiffStacks {
    std::vector<DiffFrame> frames;
    std::vector<DiffNode> nodes;
    std::vector<std::vector<DiffStackSite>> sites;  // by space; by node and line
};

// A tree of calls, made by one call after another.
class DiffTreeMaker {
public:
    static constexpr uint32_t root = 0;

    // Returns the node of a call of `frame` by `caller`, a caller of it if the call repeats it.
    uint32_t child(uint32_t caller, uint32_t frame);

    const std::vector<DiffNode>& nodes() const { return nodes_; }
    std::vector<DiffNode> take() { return std::move(nodes_); }

private:
    uint32_t repeated(uint32_t caller, uint32_t frame) const;

    std::vector<DiffNode> nodes_{DiffNode{}};
    tsl::robin_map<uint64_t, uint32_t, NumberHash> children_;
};

// A call site of the recording as a DiffSide knows it.
struct SiteOfSide {
    uint32_t line = 0;  // index into DiffSide::lines
    DiffFigures figures;
};

// `sites`: by space, by site of the recording.
DiffStacks make_diff_stacks(const Recording& recording, const PageOptions& options,
                            const std::vector<std::vector<SiteOfSide>>& sites);

}  // namespace memtrace::analyzer
