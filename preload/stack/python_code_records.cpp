// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/python_code_records.h"

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/hot_data.h"
#include "preload/base/log.h"
#include "preload/base/options.h"
#include "preload/python/python_runtime.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

MEMTRACE_HOT_DATA std::atomic<PythonState> noted{PythonState::none};

Text text_of(const PythonText& text) {
    return Text(reinterpret_cast<const char*>(text.bytes), text.length);
}

// Returns "3.11.7" as PY_VERSION_HEX.
uint64_t version_number() {
    uint64_t parts[3] = {};
    unsigned part = 0;
    for (const char* c = python.version; *c != 0 && part < 3; ++c) {
        if (*c == '.') part += 1;
        else if (*c >= '0' && *c <= '9') parts[part] = parts[part] * 10 + uint64_t(*c - '0');
        else break;
    }
    return parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | 0xf0;
}

}  // namespace

void define_python_code(void* context, const PythonCodeText& text) {
    Lane& lane = *static_cast<Lane*>(context);
    PythonCode code;
    code.time = lane.stamp(ticks_now());
    code.id = text.id;
    code.lines_format = text.lines_format;
    code.first_line = text.first_line;
    code.qualname = text_of(text.name);
    code.name_kind = text.name.width;
    code.file = text_of(text.file);
    code.file_kind = text.file.width;
    lane.put_long(code);
    constexpr uint32_t piece_bytes = long_text_max / 2;
    for_each_part_of_lines(text, piece_bytes,
                           [&](uint32_t at, const uint8_t* bytes, uint32_t size) {
                               PythonLines lines;
                               lines.time = code.time;
                               lines.code = text.id;
                               lines.offset = at;
                               lines.bytes = Text(reinterpret_cast<const char*>(bytes), size);
                               lines.whole = text.lines_length;
                               lane.put_long(lines);
                           });
    lane.secure();
}

[[gnu::hot]] void note_python_status(Lane& lane) {
    const PythonState state = python_state();
    if (state == PythonState::validating || state == PythonState::paused) return;
    if (state == noted.load(std::memory_order_relaxed)) return;
    if (noted.exchange(state) == state) return;
    PythonStatus status;
    status.time = lane.stamp(ticks_now());
    const bool is_on = state == PythonState::on;
    status.state = is_on ? memtrace::PythonState::on : memtrace::PythonState::off;
    status.version = version_number();
    status.why = Text(python_why(), std::strlen(python_why()));
    lane.put_long(status);
    lane.secure();
    if (!is_on && !options.quiet) {
        FixedText<160> line("Python's lines are not recorded: ");
        line << python_why();
        say(line.view());
    }
}

void forget_python_records() { noted.store(PythonState::none); }

}  // namespace memtrace::preload
