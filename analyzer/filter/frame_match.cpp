// SPDX-License-Identifier: Apache-2.0
#include "analyzer/filter/frame_match.h"

#include <string>

#include "analyzer/base/paths.h"
#include "analyzer/base/wildcards.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {
namespace {

// Returns the part of "a::b<c::d>" or "a.b" after the last separator outside brackets.
std::string_view last_part(std::string_view name) {
    size_t depth = 0;
    for (size_t at = name.size(); at > 0; --at) {
        const char c = name[at - 1];
        if (c == '>' || c == ')' || c == '}') depth += 1;
        if ((c == '<' || c == '(' || c == '{') && depth > 0) depth -= 1;
        if (depth == 0 && (c == ':' || c == '.')) return name.substr(at);
    }
    return name;
}

}  // namespace

bool matches_function(std::string_view pattern, const Frame& frame) {
    const bool is_backward = frame.kind == FrameKind::backward;
    if (is_backward && matches_wildcards(pattern, frame.operation)) return true;
    if (matches_wildcards(pattern, frame.function)) return true;
    const bool is_python = frame.kind == FrameKind::python || is_backward;
    const std::string name = is_python ? frame.function : shorten(frame.function);
    return matches_wildcards(pattern, name) || matches_wildcards(pattern, last_part(name));
}

bool matches_module(std::string_view pattern, const Frame& frame) {
    if (matches_path(pattern, frame.module)) return true;
    const std::string name = base_name(frame.module);
    const size_t suffix = name.find(".so");
    return suffix != std::string::npos && matches_wildcards(pattern, name.substr(0, suffix));
}

bool matches_file(std::string_view pattern, const Frame& frame) {
    return matches_path(pattern, frame.file);
}

}  // namespace memtrace::analyzer
