// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/frame_says.h"

#include <algorithm>
#include <array>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {
namespace {

struct KnownFrame {
    TrainingCode code;
    std::string_view file;
    std::string_view function;
};

constexpr KnownFrame known_frames[] = {
#define MEMTRACE_TRAINING_FRAME(what, file, function, why) {TrainingCode::what, file, function},
#include "analyzer/kinds/training_frames.def"
};

TrainingCode code_of(const Frame& frame, const ModuleClasses& classes) {
    const MethodName method = method_of(frame);
    for (const KnownFrame& known : known_frames) {
        const bool is_file =
            known.file.empty() ||
            (known.file.ends_with('/') ? frame.file.find(known.file) != std::string::npos
                                       : frame.file.ends_with(known.file));
        if (!is_file || (!known.function.empty() && method.name != known.function)) continue;
        if (known.code == TrainingCode::user_module &&
            !classes.contains({frame.file, method.owner})) {
            continue;
        }
        return known.code;
    }
    return TrainingCode::none;
}

bool is_called(std::string_view function, std::string_view name) {
    const size_t place = function.find(name);
    return place != std::string_view::npos && function.substr(place + name.size()).starts_with("(");
}

// `function` begins at the first operator in it.
void look_at_operator(FrameSays& says, std::string_view function) {
    constexpr auto fills = std::to_array<std::string_view>(
        {"at::_ops::zeros::call", "at::_ops::ones::call", "at::_ops::zeros_like::call",
         "at::_ops::ones_like::call", "at::_ops::eye::call", "at::_ops::eye_m::call"});
    constexpr auto makers = std::to_array<std::string_view>(
        {"at::_ops::empty_memory_format::call", "at::_ops::randn::call", "at::_ops::rand::call",
         "at::_ops::full::call", "at::_ops::randint::call", "at::_ops::randint_low::call",
         "at::_ops::randperm::call", "at::_ops::arange::call"});
    const auto is_one_of = [&](const auto& names) {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view name) { return is_called(function, name); });
    };
    says.is_filled = is_one_of(fills);
    says.is_made = says.is_made || says.is_filled || is_one_of(makers);
    says.is_copied = is_called(function, "at::_ops::clone::call");
}

StepCalls step_calls(const Frame& frame) {
    StepCalls calls;
    const std::string_view name = method_of(frame).name, file = frame.file;
    calls.has_closure = name == "closure";
    if (file.ends_with("/torch/utils/_contextlib.py") ||
        file.ends_with("/torch/autograd/grad_mode.py"))
        return calls;
    calls.has_function = true;
    calls.outermost_is_own = file.find("/torch/") == std::string_view::npos;
    // The base class's own step calls steps of others.
    calls.innermost_steps = file.find("/torch/optim/") != std::string_view::npos &&
                            !file.ends_with("/optimizer.py") &&
                            (name == "step" || name == "_directional_evaluate");
    return calls;
}

}  // namespace

StackSays::StackSays(const FrameSays& frame) : code(frame.code), calls(frame.calls) {
    const auto set = [this](bool is_set, Bit bit) {
        if (is_set) bits |= bit;
    };
    set(frame.is_python, python);
    set(frame.allocates_tensor, tensor);
    set(frame.is_filled, filled);
    set(frame.is_made, made);
    set(frame.is_of_values, of_values);
    set(frame.is_copied, copied);
    set(frame.is_reducer, reducer);
    set(frame.makes_parameter, parameter);
    set(frame.makes_leaf, leaf);
    set(frame.is_scripted, scripted);
    set(frame.is_of_torch && code != TrainingCode::none, known_is_torch);
    set(frame.is_functional && code != TrainingCode::none, known_is_functional);
    set(frame.is_module_forward, module_forward);
    set(frame.is_own_function, own_function);
    set(code == TrainingCode::other_weights, other_weights);
    set(code == TrainingCode::backward, in_backward);
    set(code == TrainingCode::gradient_of, of_gradient);
    set(code == TrainingCode::user_module || code == TrainingCode::pytorch_module ||
            code == TrainingCode::norm_module,
        in_init);
}

ModuleClasses module_classes(const Symbols& symbols) {
    ModuleClasses classes;
    for (const Frame& frame : symbols.frames) {
        if (frame.kind != FrameKind::python) continue;
        const MethodName method = method_of(frame);
        if (method.name == "forward") classes.emplace(frame.file, method.owner);
    }
    return classes;
}

FrameSays look_at(const Frame& frame, const ModuleClasses& classes) {
    FrameSays says;
    if (frame.kind == FrameKind::backward) {
        says.code = TrainingCode::backward;
        return says;
    }
    if (frame.kind == FrameKind::python) {
        says.is_python = true;
        says.code = code_of(frame, classes);
        says.is_copied = method_of(frame).name == "__deepcopy__";
        says.is_of_torch = frame.file.find("/torch/") != std::string::npos;
        says.is_functional = frame.file.ends_with("/torch/nn/functional.py");
        says.is_module_forward = method_of(frame).name == "forward";
        says.is_own_function = frame.file.ends_with("/torch/autograd/function.py");
        says.calls = step_calls(frame);
        return says;
    }
    const std::string_view function = frame.function;
    // A device's backward pass runs in a thread of its own, which has no Python functions.
    if (function.starts_with("torch::autograd::Engine::")) says.code = TrainingCode::backward;
    says.is_scripted = function.starts_with("torch::jit::InterpreterState");
    // What workers share lies in mappings: batches of a loader, a model of several processes.
    says.allocates_tensor = function.starts_with("c10::alloc_cpu(") ||
                            function.starts_with("at::MapAllocator::MapAllocator(") ||
                            (base_name(frame.module).starts_with("libc10.so") &&
                             function.find("CPUAllocator::allocate") != std::string_view::npos);
    says.is_of_values = is_called(function, "torch::utils::tensor_ctor");
    says.is_made = says.is_of_values;
    // Few functions are operators, and each of the searches below takes as long as this one.
    const size_t at_operator = function.find("at::_ops::");
    if (at_operator != std::string_view::npos) look_at_operator(says, function.substr(at_operator));
    says.is_reducer = function.find("c10d::Reducer::") != std::string_view::npos;
    return says;
}

}  // namespace memtrace::analyzer
