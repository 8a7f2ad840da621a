// SPDX-License-Identifier: Apache-2.0
//
// The functions and classes of a program in which no model goes forward or backward, at no depth.
// What somebody wrote to change the weights is one of them, and so is what prepares a batch.
//
//   main ► train ► Net.forward             not main, train, Net
//                ► loss.backward ► engine
//                ► Shampoo.step ► root     Shampoo.step, root, and the class Shampoo
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/kinds/frame_says.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

class OwnFunctions {
public:
    // `codes`: of each frame. Both must outlive the object.
    OwnFunctions(const Symbols& symbols, std::span<const TrainingCode> codes);

    // Returns the number of the set of functions and classes in which the stack of a tensor or of
    // a graph's node is. Of those outside of a known function, such as a hook's callers, none is
    // in it. `is_of_graph`: an operation that autograd records is as good as a forward pass.
    uint32_t add(uint32_t stack, bool is_of_graph);
    // Returns the sets, by number, without what goes forward or backward. All stacks must have been
    // added.
    std::vector<std::vector<uint32_t>> sets() const;
    // True for each set that is of a thread of the program in which no model goes forward or
    // backward at all. All stacks must have been added.
    std::vector<bool> are_of_threads() const;

private:
    // Numbers of a function and of its class; 0: none.
    struct Names {
        uint32_t function = 0;
        uint32_t owner = 0;
        bool are_known = false;
    };

    Names names_of(FrameId frame);
    uint32_t number_of(std::string_view file, std::string_view name);
    uint32_t add_python(uint32_t node, bool goes);

    const Symbols& symbols_;
    std::span<const TrainingCode> codes_;
    std::vector<Names> names_;                                                   // by frame
    std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers_;  // by file and name
    std::vector<bool> goes_;  // by number: a model goes forward or backward in it
    std::map<std::pair<uint32_t, bool>, uint32_t> set_of_;  // by innermost node of Python
    std::vector<std::vector<uint32_t>> sets_;
    std::vector<uint32_t> begins_;  // by set: the function that its thread began with; 0: no thread
};

}  // namespace memtrace::analyzer
