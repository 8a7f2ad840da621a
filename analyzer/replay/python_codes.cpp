// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/python_codes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

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

}  // namespace memtrace::analyzer
