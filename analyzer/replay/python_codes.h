// SPDX-License-Identifier: Apache-2.0
//
// Assembles Python's code objects from their records: strings are converted to UTF-8, and pieces
// of line tables are joined. The records may come in any order, because lanes do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class PythonCodes {
public:
    void add(const PythonCode& record);
    void add(const PythonLines& record);

    std::map<uint32_t, PythonCodeInfo> finish();

    // archive.h
    static void state(auto& self, auto& each) { each(self.codes_, self.pieces_); }

private:
    struct Piece {
        uint32_t code = 0;
        uint64_t offset = 0;
        uint64_t whole = 0;
        std::string bytes;

        static void state(auto& self, auto& each) {
            each(self.code, self.offset, self.whole, self.bytes);
        }
    };
    std::map<uint32_t, PythonCodeInfo> codes_;
    std::vector<Piece> pieces_;
};

}  // namespace memtrace::analyzer
