// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/export_names.h"

#include "analyzer/base/terminal.h"
#include "analyzer/export/export_stacks.h"
#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/sites/site_columns.h"

namespace memtrace::analyzer {

namespace {

std::string short_name(const Frame& frame) {
    switch (frame.kind) {
        case FrameKind::native:
        case FrameKind::inlined: return shorten(frame.function);
        case FrameKind::backward: return "backward of " + backward_function(frame);
        default: return frame.function;
    }
}

}  // namespace

std::string exported_text(const std::string& text) {
    return cut_middle(printable(text), export_name_max);
}

std::string unique_name(const ExportName& name) {
    if (name.name != "<module>" || name.file.empty()) return name.name;
    return name.name + " (" + short_path(name.file) + ")";
}

ExportName export_name(const Symbols& symbols, FrameId id) {
    ExportName name;
    if (id == no_frame) name.name = no_stack_text;
    else if (id == small_frame) name.name = "[below --min]";
    if (id >= symbols.frames.size()) {
        name.full_name = name.name;
        return name;
    }
    const Frame& frame = symbols.frames[id];
    name.name = exported_text(short_name(frame));
    if (name.name.empty()) name.name = "[no name]";
    const bool is_native = frame.kind == FrameKind::native || frame.kind == FrameKind::inlined;
    name.full_name = is_native ? exported_text(frame.function) : name.name;
    name.file = exported_text(frame.file);
    name.line = frame.line;
    name.module = frame.module;
    return name;
}

}  // namespace memtrace::analyzer
