// SPDX-License-Identifier: Apache-2.0
//
// Work in a child process that is a copy of this one: it may use up what it finds in memory, takes
// the time that it needs, and sends one text when it is done. A fork copies a replay of gigabytes
// in milliseconds.
//
// The caller must have one thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace memtrace::analyzer {

class ChildJob {
public:
    ChildJob() = default;
    ~ChildJob();  // ends the child
    ChildJob(const ChildJob&) = delete;
    ChildJob& operator=(const ChildJob&) = delete;

    bool is_running() const { return pid_ > 0; }

    // Starts the work, with the lowest priority. What it throws ends the child without a result.
    // Throws Error if there can be no child.
    void start(const std::function<std::string()>& work);

    // Can be read when there is something to take; -1: no child runs.
    int descriptor() const { return pipe_; }

    // Takes what the child has sent so far. Returns the text when it is complete. Nothing: there is
    // none yet, or the child has failed (is_running() is false then).
    std::optional<std::string> poll();

    // Waits for the text; nothing if the child has failed.
    std::optional<std::string> wait();

    // CPU time of the last child that has ended, in nanoseconds.
    uint64_t cpu_ns() const { return cpu_ns_; }

private:
    bool read_some();  // false: nothing more can be read now
    bool end();        // true if the child has done its work

    int pid_ = -1;
    int pipe_ = -1;
    bool is_complete_ = false;
    std::string text_;
    uint64_t cpu_ns_ = 0;
};

}  // namespace memtrace::analyzer
