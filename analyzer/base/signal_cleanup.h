// SPDX-License-Identifier: Apache-2.0
//
// What a signal must tidy before it ends the process: files that are not complete yet, and the
// progress line on the terminal. The process then ends by that signal, so a shell sees ^C as ^C.
//
// The handler runs at any instruction, perhaps inside malloc(). So it only reads a fixed table of
// pointers and calls unlink() and write().
#pragma once

#include <string>

namespace memtrace::analyzer {

// A file that must not remain if a signal ends the process. Create the object before the file. At
// most 16 exist at a time; a further one is not removed by signals.
class UnfinishedFile {
public:
    explicit UnfinishedFile(std::string path);
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// Tells if a progress line is on standard error, which a signal must clear.
void set_progress_line(bool is_visible);

// While it exists, SIGINT, SIGTERM, SIGHUP and SIGPIPE tidy up before they end the process. Signals
// that are ignored or have a handler stay as they are.
class SignalCleanup {
public:
    SignalCleanup();
    ~SignalCleanup();
    SignalCleanup(const SignalCleanup&) = delete;
    SignalCleanup& operator=(const SignalCleanup&) = delete;

private:
    unsigned handled_ = 0;  // a bit for each signal of the list
};

}  // namespace memtrace::analyzer
