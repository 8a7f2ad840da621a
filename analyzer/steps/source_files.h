// SPDX-License-Identifier: Apache-2.0
//
// The control flow of the source files that stacks name, read once each where they can be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/symbols.h"
#include "analyzer/steps/cpp_tokens.h"
#include "analyzer/steps/source_tree.h"

namespace memtrace::analyzer {

struct ParsedSource {
    SourceTree tree;
    std::string why_not;  // reason why there is no tree; empty: there is one
    bool is_python = false;
};

class SourceFiles {
public:
    // `recorded_ns`: when the recording began, in nanoseconds since 1970; 0: not known. A file that
    // was written later may have other lines. It is used only if it is Python and has each recorded
    // function (`codes`) at its line. `folder`: where relative paths may begin, besides the current
    // folder.
    SourceFiles(uint64_t recorded_ns, std::string folder,
                const std::map<uint32_t, PythonCodeInfo>& codes = {});

    // The reference stays valid.
    const ParsedSource& of(const Frame& frame);

private:
    // A function of a file that was recorded.
    struct Definition {
        uint64_t line = 0;
        std::string name;
    };

    std::unique_ptr<ParsedSource> read(const std::string& path, bool is_python) const;
    CppMacros::Read header_reader(const std::filesystem::path& source) const;
    bool has_definitions(const std::string& path, std::string_view text) const;

    uint64_t recorded_ns_;
    std::string folder_;
    std::unordered_map<std::string, std::vector<Definition>> definitions_;  // by file
    std::unordered_map<std::string, std::unique_ptr<ParsedSource>> files_;
};

}  // namespace memtrace::analyzer
