// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/own_functions.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

bool goes(TrainingCode code) {
    return code == TrainingCode::forward || code == TrainingCode::backward ||
           code == TrainingCode::gradient_of || code == TrainingCode::loader;
}

// The functions of Python that a thread begins with.
bool is_of_threads(const Frame& frame) {
    return frame.kind == FrameKind::python &&
           (frame.file.ends_with("/threading.py") ||
            frame.file.ends_with("/concurrent/futures/thread.py"));
}

bool is_of_program(const Frame& frame) {
    return frame.kind == FrameKind::python && !frame.file.starts_with("<frozen ") &&
           frame.file.find("/torch/") == std::string::npos && !is_of_threads(frame);
}

// True if it is what a function of autograd does that the program has written.
bool is_backward_of_function(const Frame& frame) {
    return frame.kind == FrameKind::python && method_of(frame).name == "backward";
}

// Returns the function that a comprehension or a lambda is written in, or the function itself.
std::string_view without_inner(std::string_view function) {
    if (function.starts_with('<')) return "<module>";
    constexpr std::string_view inside = ".<locals>.<";
    const size_t place = function.find(inside);
    return place == std::string_view::npos ? function : function.substr(0, place);
}

// Returns the class of a method; empty: it is a function, or Python does not tell.
std::string_view class_of(std::string_view function) {
    const size_t dot = function.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view owner = function.substr(0, dot);
    return owner.ends_with("<locals>") ? std::string_view() : owner;
}

}  // namespace

OwnFunctions::OwnFunctions(const Symbols& symbols, std::span<const TrainingCode> codes)
    : symbols_(symbols),
      codes_(codes),
      names_(symbols.frames.size()),
      goes_(1),
      sets_(1),
      begins_(1) {}

uint32_t OwnFunctions::number_of(std::string_view file, std::string_view name) {
    const auto [found, is_new] =
        numbers_.try_emplace({file, name}, static_cast<uint32_t>(goes_.size()));
    if (is_new) goes_.push_back(false);
    return found->second;
}

OwnFunctions::Names OwnFunctions::names_of(FrameId id) {
    Names& names = names_[id];
    if (names.are_known) return names;
    names.are_known = true;
    const Frame& frame = symbols_.frames[id];
    if (!is_of_program(frame)) return names;
    const std::string_view function = without_inner(frame.function);
    const std::string_view owner = class_of(function);
    names.function = number_of(frame.file, function);
    // A class and a function may have the same name in different scopes, but not in this one.
    if (!owner.empty()) names.owner = number_of(frame.file, owner);
    return names;
}

uint32_t OwnFunctions::add(uint32_t stack, bool is_of_graph) {
    for (; symbols_.has(stack); stack = symbols_.nodes.parent(stack)) {
        const auto frames = symbols_.frames_of(stack);
        const bool is_python = std::any_of(frames.begin(), frames.end(), [this](FrameId id) {
            return symbols_.frames[id].kind == FrameKind::python;
        });
        if (!is_python) continue;
        const auto [found, is_new] = set_of_.try_emplace({stack, is_of_graph}, 0);
        if (is_new) found->second = add_python(stack, is_of_graph);
        return found->second;
    }
    return 0;
}

uint32_t OwnFunctions::add_python(uint32_t node, bool is_going) {
    std::vector<uint32_t> set;
    uint32_t outermost = 0, begin = 0;
    bool is_inside = true;  // of all known functions
    symbols_.walk(node, [&](FrameId id) {
        const Frame& frame = symbols_.frames[id];
        is_going |= goes(codes_[id]) || is_backward_of_function(frame);
        is_inside &= codes_[id] == TrainingCode::none;
        const Names names = names_of(id);
        if (names.function != 0) outermost = names.function;
        if (is_of_threads(frame)) begin = outermost;
        for (const uint32_t number : {names.function, names.owner}) {
            if (number == 0) continue;
            if (is_going) goes_[number] = true;
            else if (is_inside) set.push_back(number);
        }
    });
    if (set.empty()) return 0;
    sets_.push_back(std::move(set));
    begins_.push_back(begin);
    return static_cast<uint32_t>(sets_.size() - 1);
}

std::vector<std::vector<uint32_t>> OwnFunctions::sets() const {
    std::vector<std::vector<uint32_t>> sets = sets_;
    for (std::vector<uint32_t>& set : sets) {
        std::erase_if(set, [this](uint32_t number) { return goes_[number]; });
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    return sets;
}

std::vector<bool> OwnFunctions::are_of_threads() const {
    std::vector<bool> are(begins_.size());
    for (size_t i = 0; i < are.size(); ++i) are[i] = begins_[i] != 0 && !goes_[begins_[i]];
    return are;
}

}  // namespace memtrace::analyzer
