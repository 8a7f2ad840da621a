// SPDX-License-Identifier: Apache-2.0
//
// Where a report goes: standard output or a file, and nothing is believed to be written until the
// system has said so.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

class ReportOutput {
public:
    // "-": standard output. Throws Error if the file cannot be made.
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

// Puts `text` in the place of a file, which has its old contents until it has all of the new ones.
// Throws Error if that cannot be done; then the file is as it was.
void replace_file(const std::string& path, std::string_view text);

}  // namespace memtrace::analyzer
