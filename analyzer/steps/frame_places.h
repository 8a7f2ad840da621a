// SPDX-License-Identifier: Apache-2.0
//
// The frames of stacks, with their places in the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/model/symbols.h"
#include "analyzer/steps/loop_levels.h"
#include "analyzer/steps/source_files.h"

namespace memtrace::analyzer {

struct FrameInfo {
    const ParsedSource* source = nullptr;  // null: its control flow is not known
    BlockId block = 0;                     // its statement
    bool is_plumbing = false;
    bool is_own = false;    // the user's own code
    bool may_loop = false;  // may_take_in_a_loop(), if its control flow is not known
    // Its line has no statement that can be the one which took memory: FramePlaces::info().
    bool is_unplaced = false;
};

class FramePlaces {
public:
    // All must outlive the object.
    FramePlaces(const Symbols& symbols, const CodePatterns& code, SourceFiles& files)
        : symbols_(symbols),
          code_(code),
          files_(files),
          infos_(symbols.frames.size()),
          dulls_(symbols.nodes.location_count()) {}

    size_t frame_count(uint32_t node) const {
        return node == no_stack ? 0 : symbols_.frames_of(node).size();
    }
    FrameId frame_id(Place place) const {
        const std::span<const FrameId> all = symbols_.frames_of(place.node);
        return all[all.size() - 1 - place.index];
    }
    const Frame& frame(Place place) const { return symbols_.frames[frame_id(place)]; }
    const Location& location_of(uint32_t node) const {
        return symbols_.nodes.location(symbols_.nodes.location_of(node));
    }

    // The control flow of Python's functions, and of the user's own native ones.
    //
    // A line of C++ may not be the one of the call: GCC notes the brace that closes the function
    // for calls of an expression that makes temporary objects. What is taken there has no
    // control flow that is known, if the line has no statement, or none that names what it calls.
    FrameInfo info(Place place);
    // A node of whose frames none has a known control flow.
    struct Dull {
        bool is_dull = false;
        bool is_plumbing = false;  // all of its frames are
        bool may_loop = false;     // some of its frames may
    };
    Dull dull_of(uint32_t node);
    // The header of a Python loop over elements does three things on one line: it makes what is
    // gone through, it chooses the next element, and it lets go. Only the second is part of the
    // loop. Turns between the header and the body tell which instruction it is, so info() knows it
    // after all turns were looked at.
    void look_at_turn(Place from, Place to, uint64_t count);
    bool is_same_function(Place a, Place b) const;
    // True if some frame of the node is the user's own code with a known control flow.
    bool is_own(uint32_t node);
    // True if the caller's line does not name the function that it seems to call, so another one
    // lies between, which ended with a jump to it.
    bool calls_unseen(uint32_t caller, uint32_t callee);
    // The instructions of one call are one spot.
    Spot spot_of(Place place, BlockId block);

    // Sentences about the user's own source files that could not be read.
    const std::set<std::string>& unreadable() const { return unreadable_; }

private:
    struct Header {
        std::map<uint32_t, uint64_t> returns;  // from the body, by instruction
        uint32_t chooses = 0;                  // the instruction with most of them
        uint32_t first_of_body = UINT32_MAX;   // instruction
    };

    struct Known {
        FrameInfo info;
        Header* header = nullptr;  // in headers_, if the statement is one with a setup
        bool is_known = false;
        bool closes = false;  // Its line closes a function that began on an earlier one.
    };

    const Known& known_of(FrameId id);
    const FrameInfo& info_of(FrameId id) { return known_of(id).info; }
    FrameInfo find_info(FrameId id);
    bool names_what_it_calls(Place place, const FrameInfo& known);
    uint32_t a_child_of(uint32_t node);
    uint32_t instruction_of(Place place) const;
    uint32_t first_instruction_of_call(Place place);

    const Symbols& symbols_;
    const CodePatterns& code_;
    SourceFiles& files_;
    std::vector<Known> infos_;                // by frame
    std::vector<std::optional<Dull>> dulls_;  // by location
    std::map<std::pair<const ParsedSource*, BlockId>, Header> headers_;
    std::map<FrameId, std::set<uint32_t>> calls_;  // an instruction of each call
    std::set<std::string> unreadable_;
    LongList<uint32_t> children_;  // by node: one that it calls; empty: not asked for yet
};

// True for the function of C and C++ that a program begins with.
bool is_main(const Frame& frame);

}  // namespace memtrace::analyzer
