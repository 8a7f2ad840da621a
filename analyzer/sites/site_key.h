// SPDX-License-Identifier: Apache-2.0
//
// The key of a call site: a name that stays the same in the next build, on another machine and
// after an edit further up in the file. A baseline finds its sites by it.
//
// The key consists of shown frames (stack_view.h, frame_filter.h): the innermost three of the
// user's own code, and a few of the libraries inside them. Those change with their versions, so the
// key has only the native function that was called from outside, and the innermost two of Python:
//
//   the stack                                      the key
//
//   at::empty_cpu         libtorch_cpu.so          THPVariable_relu [libtorch_python.so]
//   THPVariable_relu      libtorch_python.so        < relu (torch/nn/functional.py)
//   relu                  …/torch/nn/functional.py  < ReLU.forward (torch/nn/modules/activation.py)
//   ReLU.forward          …/nn/modules/activation.py
//   Module._call_impl     …/torch/nn/modules/module.py
//   Net.forward           /home/me/net.py:42        < Net.forward (net.py)
//   main, <module>        /home/me/train.py         < main (train.py) < <module> (train.py)
//
// A function occurs in the key once, however deep a recursion is. Without any own code, the
// innermost four frames are the key; those of allocators count only if there are no others. Lines
// and addresses are not part of the key.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/frames/path_values.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// The executables of the processes of a recording. One that is merged has several.
using Executables = std::set<std::string>;
Executables executables_of(const Recording& recording);

// Returns the name that a frame has in keys: its function, and its file or module if that is not
// one of the program's own executables.
std::string stable_frame(const Frame& frame, const Executables& executables);

// Returns the names in a key, the innermost first.
std::vector<std::string_view> parts_of_key(std::string_view key);

class SiteKeys {
public:
    explicit SiteKeys(const Recording& recording);

    using Id = uint32_t;
    Id of(uint32_t stack);  // equal keys have equal ids; ids begin at 0
    const std::string& text(Id id) const { return texts_[id]; }
    size_t size() const { return texts_.size(); }

private:
    static constexpr uint32_t no_name = 0xffffffff;
    enum class Part : uint8_t {
        unknown,  // not asked for yet
        none,
        own,
        python,
        native
    };  // part of the key that a frame belongs to

    template <size_t max>
    static constexpr std::array<uint32_t, max> none() {
        std::array<uint32_t, max> names{};
        names.fill(no_name);
        return names;
    }
    // What matters of a stack for its key: ids of names, the innermost first, each once, and
    // no_name where there are fewer.
    struct Draft {
        std::array<uint32_t, 3> own = none<3>();
        // Inside the innermost own frame:
        std::array<uint32_t, 2> python = none<2>();
        uint32_t native = no_name;  // the outermost one inside the innermost Python frame
        // While there is no own frame:
        std::array<uint32_t, 4> inner = none<4>();
        std::array<uint32_t, 4> dull = none<4>();  // no part of a key, while there is no other
        auto operator<=>(const Draft&) const = default;
    };
    using DraftId = uint32_t;

    Part part_of(FrameId frame);
    uint32_t name_number(FrameId frame);
    DraftId with_frame(DraftId callers, FrameId frame);
    Draft called(Draft draft, FrameId frame, Part part);
    DraftId id_of(const Draft& draft);
    Id key_of(const Draft& draft);

    const Recording& recording_;
    Executables executables_;
    StackView view_;
    PathValues<DraftId> paths_;          // by stack
    std::vector<Part> parts_;            // by frame
    std::vector<uint32_t> frame_names_;  // by frame: index into names_; no_name: not asked for yet
    std::vector<std::string> names_;
    std::unordered_map<std::string, uint32_t> numbers_;  // by name
    std::unordered_map<std::string, Id> ids_;            // by text
    std::map<Draft, DraftId> draft_ids_;
    std::vector<Draft> drafts_;                             // by id
    std::vector<std::optional<Id>> keys_;                   // by draft
    tsl::robin_map<uint64_t, DraftId, NumberHash> called_;  // by draft of the callers, and frame
    std::vector<std::string> texts_;                        // by id
};

}  // namespace memtrace::analyzer
