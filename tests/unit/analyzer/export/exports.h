// SPDX-License-Identifier: Apache-2.0
//
// Exported files as text, for tests of their formats.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

#include "analyzer/export/export_format.h"
#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

inline std::string exported(const Recording& recording, std::string_view format,
                            ExportMeasure measure = ExportMeasure::peak,
                            const TextOptions& text = {}) {
    std::string out;
    find_export_format(format)->write(recording, {measure, text},
                                      [&](std::string_view piece) { out += piece; });
    return out;
}

inline std::string gunzipped(const std::string& bytes) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("inflateInit2");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string out;
    int result = Z_OK;
    while (result == Z_OK) {
        char piece[4096];
        stream.next_out = reinterpret_cast<Bytef*>(piece);
        stream.avail_out = sizeof piece;
        result = inflate(&stream, Z_NO_FLUSH);
        out.append(piece, sizeof piece - stream.avail_out);
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END || stream.avail_in != 0) throw std::runtime_error("no gzip");
    return out;
}

inline Frame frame_of(const std::string& function, const std::string& file, uint32_t line,
                      const std::string& module, FrameKind kind) {
    Frame frame;
    frame.function = function;
    frame.file = file;
    frame.line = line;
    frame.module = module;
    frame.kind = kind;
    frame.named = true;
    return frame;
}

// Names that could end a field, a line, a string or an element, or move a cursor.
inline const std::string hostile_names[] = {
    "a;b",
    "line\nfeed",
    "quote\"and\\",
    "</script><img src=x>",
    "\033[2Jred",
    "bad\xff\xfe utf8",
    "ends with a 12",
    "tab\there",
    "",
    "\xc2\x9b"
    "31m",
    "nul" + std::string(1, '\0') + "byte",
    std::string(100'000, 'x'),
};

// A recording with a Python function of each hostile name, which is also the name of its file. Each
// holds 10 bytes.
inline Story hostile_story() {
    Story story;
    const uint32_t caller = story.stack({"main a.cpp:1"});
    story.site("host", caller, 1, 5);
    for (const std::string& name : hostile_names) {
        const uint32_t stack = story.stack({"py:f f.py:1", "main a.cpp:1"});
        const FrameId frame = static_cast<FrameId>(story.recording.symbols.frames.size());
        story.recording.symbols.frames.push_back(frame_of(name, name, 7, "", FrameKind::python));
        const FrameRange range =
            story.recording.symbols.ranges[story.recording.symbols.nodes.location_of(stack)];
        story.recording.symbols.of_locations[range.begin] = frame;
        story.site("host", stack, 1, 10, 1);
    }
    return story;
}

}  // namespace memtrace::analyzer
