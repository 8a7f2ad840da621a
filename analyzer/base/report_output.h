// SPDX-License-Identifier: Apache-2.0
//
// The output of a report: standard output or a file. It reports success only after the system has
// confirmed that everything is written.
//
// A file appears as a whole or not at all. It is written beside its place, under the name
// FILE.RANDOM.new, and renamed at the end. If anything fails, or a signal ends the process, the new
// file is removed and the old one is untouched. Pipes, devices and descriptors (/dev/stdout) are
// written directly.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/base/signal_cleanup.h"

namespace memtrace::analyzer {

// Who may read a new file. A file that is replaced keeps its mode.
enum class Readers : unsigned {
    umask = 0666,  // as the umask says
    owner = 0600   // The file has the command line of the program, which may have passwords.
};

// The first bytes of a profile (profile/profile_file.h), known here because no report replaces one.
inline constexpr std::string_view profile_magic = "memtrace profile";

// What an output may take the place of.
enum class Replaces {
    reports,     // Not a recording: a name in the wrong place must not cost anybody a run of days.
    profiles,    // or an older profile
    recordings,  // or a dump
};

class ReportOutput {
public:
    // "-" is standard output. Throws Error if the file cannot be created, or may not be replaced.
    explicit ReportOutput(const std::string& path, Readers readers = Readers::umask,
                          Replaces replaces = Replaces::reports);
    ~ReportOutput();
    ReportOutput(const ReportOutput&) = delete;
    ReportOutput& operator=(const ReportOutput&) = delete;

    void write(std::string_view text);
    void finish();  // Throws Error if anything could not be written.

private:
    void create(Readers readers);
    void close();
    [[noreturn]] void fail(int error) const;

    std::string path_;
    std::string place_;                      // path_ without links
    std::unique_ptr<UnfinishedFile> fresh_;  // nullptr: written directly
    std::FILE* file_ = nullptr;
    int error_ = 0;  // errno of the first failure
};

// Replaces the contents of a file with `text`, all at once. Throws Error if that fails. Then the
// file is unchanged.
void replace_file(const std::string& path, std::string_view text, Readers readers = Readers::umask,
                  Replaces replaces = Replaces::reports);

}  // namespace memtrace::analyzer
