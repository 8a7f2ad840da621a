// SPDX-License-Identifier: Apache-2.0
//
// The cuts of the run at begins and ends of phases, as many as a page can have. Names that differ
// only in digits are one group, and a group with many borders, such as the one of steps, has none:
// so the few large phases of a program keep theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class PhaseBorders {
public:
    static constexpr size_t borders_max = 96, of_group_max = 48, groups_max = 1000;

    // True if the run should be cut at this mark. Each call may give up cuts of before.
    bool takes(const Mark& mark);
    // Adds the cut that was made for the mark of the last takes().
    void add(uint32_t cut);

    void append_cuts(std::vector<uint32_t>& cuts) const;

private:
    struct Group {
        bool is_given_up = false;
        std::vector<uint32_t> cuts;
    };

    // Gives up the borders of the largest group. Returns false if no group is large.
    bool give_up_largest();
    void give_up(Group& group);

    std::map<std::string, Group> groups_;
    Group* last_ = nullptr;
    size_t count_ = 0;
};

}  // namespace memtrace::analyzer
