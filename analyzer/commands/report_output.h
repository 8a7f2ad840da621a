// SPDX-License-Identifier: Apache-2.0
//
// The output of a report: standard output or a file. It reports success only after the system has
// confirmed that everything is written.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

class ReportOutput {
public:
    // "-" is standard output. Throws Error if the file cannot be created.
    explicit ReportOutput(const std::string& path);
    ~ReportOutput();
    ReportOutput(const ReportOutput&) = delete;
    ReportOutput& operator=(const ReportOutput&) = delete;

    void write(std::string_view text);
    void finish();  // Throws Error if anything could not be written.

private:
    std::string path_;
    std::FILE* file_;
    int error_ = 0;  // errno of the first failure
};

// Replaces the contents of a file with `text`, all at once. Throws Error if that fails. Then the
// file is unchanged.
void replace_file(const std::string& path, std::string_view text);

}  // namespace memtrace::analyzer
