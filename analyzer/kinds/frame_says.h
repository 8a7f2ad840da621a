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

// A Python function as a method of its class. Python 3.11 and later write "Block.forward", earlier
// versions "forward".
struct MethodName {
    std::string_view owner;  // its class; empty: not known, or a function
    std::string_view name;
};

inline MethodName method_of(const Frame& frame) {
    const std::string_view function = frame.function;
    const size_t dot = function.rfind('.');
    if (dot == std::string_view::npos) return {{}, function};
    return {function.substr(0, dot), function.substr(dot + 1)};
}

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
    mask,
    user_module,
    import,
    other_weights,
    closure,  // The loss, computed anew inside of an optimiser's step.
};

// How an optimiser's step calls the closure that computes the loss anew. Of functions of Python,
// without PyTorch's wrappers, which call another function with other settings.
struct StepCalls {
    bool has_function : 1 = false;      // there is one
    bool has_closure : 1 = false;       // by its name
    bool outermost_is_own : 1 = false;  // not PyTorch's
    bool innermost_steps : 1 = false;   // a step of PyTorch's optimisers, which may call a closure

    bool operator==(const StepCalls&) const = default;

    // True if functions without a known one are called by an optimiser and do no work of it.
    bool are_of_closure(TrainingCode code, TrainingCode of_caller, const StepCalls& caller) const {
        return code == TrainingCode::none && of_caller == TrainingCode::optimiser &&
               (has_closure || (outermost_is_own && caller.innermost_steps));
    }
    void add_caller(const StepCalls& caller) {
        has_closure |= caller.has_closure;
        if (!has_function) innermost_steps = caller.innermost_steps;
        if (caller.has_function) outermost_is_own = caller.outermost_is_own;
        has_function |= caller.has_function;
    }
};

struct FrameSays {
    TrainingCode code = TrainingCode::none;
    bool is_python = false;
    bool allocates_tensor = false;
    bool is_filled = false;
    bool is_made = false;
    bool is_of_values = false;
    bool is_copied = false;
    bool is_reducer = false;
    bool is_scripted = false;
    bool is_of_torch = false;  // a function of Python
    bool is_functional = false;
    bool is_module_forward = false;  // of a module, or of an autograd function
    bool is_own_function = false;
    StepCalls calls;
    // ParameterCalls; look_at() leaves them out
    bool makes_parameter = false;
    bool makes_leaf = false;
};

// What all frames of a stack say.
struct StackSays {
    enum Bit : uint32_t {
        python = 1,
        tensor = 2,
        filled = 4,
        made = 8,
        reducer = 16,
        parameter = 32,
        in_backward = 64,
        of_gradient = 128,
        in_init = 256,
        copied = 512,
        nested_gradient = 1024,  // torch.autograd.grad is called in a backward pass
        scripted = 2048,         // TorchScript runs it
        known_is_torch = 4096,   // the known function is PyTorch's own
        other_weights = 8192,    // a module goes forward with weights that are not its own
        leaf = 16384,
        known_is_functional = 1 << 15,  // the known function is of torch.nn.functional
        module_forward = 1 << 16,       // a forward() of Python
        of_values = 1 << 18,
        own_function = 1 << 17,  // an autograd function of the program runs it
    };

    TrainingCode code = TrainingCode::none;  // that of the innermost known function
    uint32_t bits = 0;                       // of any frame
    StepCalls calls;

    StackSays() = default;
    explicit StackSays(const FrameSays& frame);
    void add_caller(StackSays caller) {
        // A module that is made on a line with nn.Parameter(…) has tensors of its own.
        if (has(in_init)) caller.bits &= ~static_cast<uint32_t>(parameter);
        if (has(of_gradient) && caller.has(in_backward)) bits |= nested_gradient;
        if (calls.are_of_closure(code, caller.code, caller.calls)) code = TrainingCode::closure;
        calls.add_caller(caller.calls);
        if (code != TrainingCode::none)
            caller.bits &= ~static_cast<uint32_t>(known_is_torch | known_is_functional);
        bits |= caller.bits;
        if (code == TrainingCode::none) code = caller.code;
    }
    bool has(Bit bit) const { return (bits & bit) != 0; }
};

// Classes that go forward, by file and name: those of modules. They refer to the symbols.
using ModuleClasses = std::set<std::pair<std::string_view, std::string_view>>;

ModuleClasses module_classes(const Symbols& symbols);

FrameSays look_at(const Frame& frame, const ModuleClasses& classes);

}  // namespace memtrace::analyzer
