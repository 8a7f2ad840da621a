// SPDX-License-Identifier: Apache-2.0
//
// Assembles Python's code objects from their records: strings are converted to UTF-8, and pieces
// of line tables are joined. The records may come in any order, because lanes do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class PythonCodes {
public:
    void add(const PythonCode& record);
    void add(const PythonLines& record);

    std::map<uint32_t, PythonCodeInfo> finish();

private:
    struct Piece {
        uint32_t code = 0;
        uint64_t offset = 0;
        uint64_t whole = 0;
        std::string bytes;
    };
    std::map<uint32_t, PythonCodeInfo> codes_;
    std::vector<Piece> pieces_;
};

// Returns a CPython string in UTF-8. Each of its characters takes `kind` bytes. Invalid characters
// become U+FFFD, except bytes of file names that Python could not decode, which are restored.
std::string python_text(std::string_view bytes, unsigned kind);

// Describes the recording of Python's small objects: "all", "a sample", "not recorded; why", "not
// from the first one on; why".
std::string python_objects_text(const Model& model);

// Returns for example "on (3.11.7)", "off: why" or "none".
std::string python_state_text(const Model& model);

}  // namespace memtrace::analyzer
