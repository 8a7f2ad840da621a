// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/captured.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "analyzer/base/error.h"

namespace memtrace::launcher {
namespace {

using namespace std::chrono_literals;

// Files in memory, and not pipes: nobody needs to read while the program writes.
class MemoryFile {
public:
    MemoryFile() : fd_(memfd_create("memtrace-doctor", MFD_CLOEXEC)) {
        if (fd_ < 0) {
            throw analyzer::Error(
                fmt::format("no file in memory can be made: {}", std::strerror(errno)));
        }
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int fd() const { return fd_; }
    std::string text() const {
        std::string text;
        char piece[4096];
        for (off_t at = 0;;) {
            const ssize_t got = pread(fd_, piece, sizeof piece, at);
            if (got <= 0) return text;
            text.append(piece, static_cast<size_t>(got));
            at += got;
        }
    }

private:
    int fd_;
};

[[noreturn]] void become_captured(const std::vector<std::string>& command, const Changes& changes,
                                  int out, int err) {
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    for (const auto& [name, value] : changes) {
        if (value.empty()) unsetenv(name.c_str());
        else setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
}

bool has_ended(pid_t child, int& status, int seconds_max) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < seconds_max * 1s) {
        if (waitpid(child, &status, WNOHANG) == child) return true;
        std::this_thread::sleep_for(2ms);
    }
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
}

}  // namespace

Captured run_captured(const std::vector<std::string>& command, const Changes& changes,
                      int seconds_max) {
    const MemoryFile out, err;
    const pid_t child = fork();
    if (child < 0) {
        throw analyzer::Error(
            fmt::format("no process can be made for {}: {}", command[0], std::strerror(errno)));
    }
    if (child == 0) become_captured(command, changes, out.fd(), err.fd());
    setpgid(child, child);  // Both sides do it, so that it is done before either goes on.
    int status = 0;
    Captured captured;
    captured.ended = has_ended(child, status, seconds_max);
    captured.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    captured.out = out.text();
    captured.err = err.text();
    return captured;
}

}  // namespace memtrace::launcher
