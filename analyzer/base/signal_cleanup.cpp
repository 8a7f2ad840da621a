// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/signal_cleanup.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

std::atomic<const char*> unfinished[16];
std::atomic<bool> has_progress_line;
static_assert(std::atomic<const char*>::is_always_lock_free);

// The handler is reset before it runs, and the signal is blocked until it returns. So the second
// signal waits for the return and then ends the process.
void tidy_and_end(int number) {
    const int before = errno;
    for (const auto& entry : unfinished) {
        if (const char* const path = entry.load()) unlink(path);
    }
    constexpr char clear[] = "\r\033[K";
    if (has_progress_line.exchange(false)) {
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, clear, sizeof clear - 1);
    }
    raise(number);
    errno = before;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
    for (auto& entry : unfinished) {
        const char* none = nullptr;
        if (entry.compare_exchange_strong(none, path_.c_str())) return;
    }
}

UnfinishedFile::~UnfinishedFile() {
    for (auto& entry : unfinished) {
        const char* mine = path_.c_str();
        if (entry.compare_exchange_strong(mine, nullptr)) return;
    }
}

void set_progress_line(bool is_visible) { has_progress_line = is_visible; }

SignalCleanup::SignalCleanup() {
    for (size_t i = 0; i < std::size(signals); ++i) {
        struct sigaction old {};
        if (sigaction(signals[i], nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
        struct sigaction ours {};
        ours.sa_handler = tidy_and_end;
        ours.sa_flags = static_cast<int>(SA_RESETHAND);
        if (sigaction(signals[i], &ours, nullptr) == 0) handled_ |= 1u << i;
    }
}

SignalCleanup::~SignalCleanup() {
    for (size_t i = 0; i < std::size(signals); ++i) {
        if ((handled_ >> i & 1) != 0) std::signal(signals[i], SIG_DFL);
    }
}

}  // namespace memtrace::analyzer
