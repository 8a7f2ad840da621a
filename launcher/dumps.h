// SPDX-License-Identifier: Apache-2.0
//
// Finds the dumps of a run: the files that match the requested name and did not exist before. The
// processes of the run may have written several dumps, and an earlier run may have left dumps with
// similar names.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace memtrace::launcher {

// Returns the output name that is used if none is given. It contains the pid of `memtrace run`,
// which distinguishes this run from others in the same folder.
std::string default_output();

// Distinguishes a dump from others that have had the same name: pid, start of the process, start of
// the recording.
using DumpIdentity = std::tuple<uint64_t, uint64_t, uint64_t>;

class DumpsOfRun {
public:
    // Must be called before the run. `output` is the value of MEMTRACE_OUTPUT.
    explicit DumpsOfRun(std::string output);

    // Returns the dumps of the run, after its end. Those of the process `pid` come first: that
    // of its last image, then those from before an exec. Then the order is by start.
    std::vector<std::string> made(int pid) const;

private:
    std::string output_;
    std::set<DumpIdentity> before_;
};

// Returns a pattern for glob(): "dumps/%e.%p.bin" becomes "dumps/*.*.bin". Characters that are
// special to glob are escaped.
std::string glob_pattern(const std::string& output);

}  // namespace memtrace::launcher
