// SPDX-License-Identifier: Apache-2.0
//
// What one frame says about the stacks of a training that it is in.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// What the functions of training_frames.def do. Of a stack, the innermost known one counts.
enum class TrainingCode : uint8_t {
    none,
    other,
    optimiser,
    backward,
    gradient_of,
    loader,
    move,
    loaded,
    initialise,
    hook,
    norm_module,
    pytorch_module,
    forward,
    user_module,
    import,
};

struct FrameSays {
    TrainingCode code = TrainingCode::none;
    bool is_python = false;
    bool allocates_tensor = false;
    bool is_filled = false;
    bool is_made = false;
    bool is_reducer = false;
    bool makes_parameter = false;  // ParameterCalls; look_at() leaves it out
};

// Classes that go forward, by file and name: those of modules. They refer to the symbols.
using ModuleClasses = std::set<std::pair<std::string_view, std::string_view>>;

ModuleClasses module_classes(const Symbols& symbols);

FrameSays look_at(const Frame& frame, const ModuleClasses& classes);

}  // namespace memtrace::analyzer
