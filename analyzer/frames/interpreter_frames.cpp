// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/interpreter_frames.h"

#include <string>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {

bool is_interpreter_module(std::string_view path) {
    const std::string name = base_name(path);
    const bool library = name.find(".so") != std::string::npos;
    return library ? name.starts_with("libpython") : name.starts_with("python");
}

bool is_interpreter_frame(const Frame& frame) {
    // Since 3.12 a code object of this name, without a file, calls __init__ for a class.
    static constexpr std::string_view trampoline = "__init__";
    if (frame.kind == FrameKind::python) {
        return frame.function == trampoline && frame.file == trampoline;
    }
    return frame.kind != FrameKind::cut && frame.kind != FrameKind::gap &&
           is_interpreter_module(frame.module);
}

}  // namespace memtrace::analyzer
