// SPDX-License-Identifier: Apache-2.0
//
// The code objects of Python, put together from their records: strings become UTF-8, pieces of line
// tables become tables. Records may come in any order, because lanes do.
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

// A string of CPython in UTF-8; each of its characters takes `kind` bytes. What is no character
// becomes U+FFFD, but for bytes of file names that Python could not read: they are as they were.
std::string python_text(std::string_view bytes, unsigned kind);

// Of Python's small objects: "all", "a sample", "none: why", "not from the first one on: why".
std::string python_objects_text(const Model& model);

// "on (3.11.7)", "off: why", "none"
std::string python_state_text(const Model& model);

}  // namespace memtrace::analyzer
