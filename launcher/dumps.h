// SPDX-License-Identifier: Apache-2.0
//
// Which dumps a run has left: those that fit the name that was asked for and were not there before.
// Processes of the run may have made several, and an earlier run others under like names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memtrace::launcher {

// What a user gets who names none: the launcher's own pid in it tells this run from others that go
// on in the same folder.
std::string default_output();

// How a dump is told from any other that had its name: pid, start of the process, start of the
// recording.
using DumpIdentity = std::tuple<uint64_t, uint64_t, uint64_t>;

class DumpsOfRun {
public:
    // Before the run. `output` as in MEMTRACE_OUTPUT.
    explicit DumpsOfRun(std::string output);

    // After it: the first process's dump (that of `pid`, if it has one) first, then by start.
    std::vector<std::string> made(int pid) const;

private:
    std::string output_;
    std::set<DumpIdentity> before_;
};

// "dumps/%e.%p.bin" becomes "dumps/*.*.bin", for glob(); what is special to glob is escaped.
std::string glob_pattern(const std::string& output);

}  // namespace memtrace::launcher
