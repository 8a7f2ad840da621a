// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/python_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace memtrace::analyzer {

namespace {

constexpr uint32_t not_a_character = 0xfffd;

void append_utf8(std::string& out, uint32_t c) {
    const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    // Follows Python's error handler "surrogateescape": byte 0x80 + n of a file name is character
    // U+DC80 + n.
    if (c >= 0xdc80 && c <= 0xdcff) return put(c & 0xff);
    if ((c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff) c = not_a_character;
    if (c < 0x800) {
        put(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

}  // namespace

std::string python_text(std::string_view bytes, unsigned kind) {
    if (kind != 2 && kind != 4) kind = 1;
    std::string out;
    out.reserve(bytes.size() / kind);
    for (; bytes.size() >= kind; bytes.remove_prefix(kind)) {
        uint32_t c = 0;
        for (unsigned i = kind; i-- > 0;) c = c << 8 | static_cast<uint8_t>(bytes[i]);
        append_utf8(out, c);
    }
    return out;
}

void PythonCodes::add(const PythonCode& record) {
    PythonCodeInfo& code = codes_[record.id];
    code.name = python_text(record.qualname, record.name_kind);
    code.file = python_text(record.file, record.file_kind);
    code.first_line = record.first_line;
    code.lines_format = record.lines_format;
    code.lines_whole = true;  // An empty table may have no record.
}

void PythonCodes::add(const PythonLines& record) {
    pieces_.push_back({record.code, record.offset, record.whole, std::string(record.bytes)});
}

std::map<uint32_t, PythonCodeInfo> PythonCodes::finish() {
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
        return std::tie(a.code, a.offset) < std::tie(b.code, b.offset);
    });
    for (Piece& piece : pieces_) {
        const auto found = codes_.find(piece.code);
        if (found == codes_.end()) continue;
        PythonCodeInfo& code = found->second;
        // Only gapless pieces are added, because the reader counts from the beginning.
        if (piece.offset == 0) code.lines = std::move(piece.bytes);
        else if (piece.offset == code.lines.size()) code.lines += piece.bytes;
        const uint64_t size = code.lines.size();
        code.lines_whole = piece.whole == 0 ? piece.offset <= size : size == piece.whole;
    }
    pieces_.clear();
    return std::move(codes_);
}

std::string python_objects_text(const Model& model) {
    if (!model.capture.python_objects) return "not recorded";
    const ObjectsInfo& objects = *model.capture.python_objects;
    const std::string why = objects.why.empty() ? "the recording does not say why" : objects.why;
    switch (objects.state) {
        case PythonObjectsState::whole: break;
        case PythonObjectsState::late: return "not from the first one on; " + why;
        case PythonObjectsState::off: return "not recorded; " + why;
    }
    return objects.interval == 0 ? "all" : "a sample";
}

std::string python_state_text(const Model& model) {
    if (!model.capture.python) return "off: the dump has native frames only";
    const PythonInfo& python = *model.capture.python;
    switch (python.state) {
        case PythonState::none: return "none";
        case PythonState::on:
            if (python.version == 0) return "on";
            return fmt::format("on ({}.{}.{})", python.version >> 24 & 0xff,
                               python.version >> 16 & 0xff, python.version >> 8 & 0xff);
        case PythonState::off: break;
    }
    return "off: " + (python.why.empty() ? "the recording does not say why" : python.why);
}

}  // namespace memtrace::analyzer
