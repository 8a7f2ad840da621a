// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/child_job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"

namespace memtrace::analyzer {
namespace {

constexpr int lowest_priority = 19;

// A connection that its parent ends would otherwise last until the child ends, too.
void close_sockets() {
    std::error_code error;
    std::vector<int> sockets;
    for (std::filesystem::directory_iterator file("/proc/self/fd", error), end;
         !error && file != end; file.increment(error)) {
        const int fd = std::atoi(file->path().filename().c_str());
        struct stat status {};
        if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) sockets.push_back(fd);
    }
    for (const int fd : sockets) close(fd);
}

// The child owns neither the terminal nor the signals of its parent.
void leave_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGWINCH, SIGTSTP}) {
        ::signal(signal, SIG_DFL);
    }
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        for (const int fd : {0, 1, 2}) dup2(nothing, fd);
    }
    close_sockets();
    (void)setpriority(PRIO_PROCESS, 0, lowest_priority);
}

void send(int fd, const std::string& text) {
    size_t sent = 0;
    while (sent < text.size()) {
        const ssize_t count = write(fd, text.data() + sent, text.size() - sent);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(1);
        sent += static_cast<size_t>(count);
    }
}

[[noreturn]] void work_as_child(const std::function<std::string()>& work, int fd) {
    try {
        send(fd, work());
    } catch (const std::exception&) {
        _exit(1);
    }
    _exit(0);
}

}  // namespace

ChildJob::~ChildJob() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    end();
}

void ChildJob::start(const std::function<std::string()>& work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw Error(fmt::format("Cannot start a process: {}.", std::strerror(errno)));
    }
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        close(ends[0]);
        leave_parent(parent);
        work_as_child(work, ends[1]);
    }
    const int error = errno;
    close(ends[1]);
    pipe_ = ends[0];
    text_.clear();
    is_complete_ = false;
    if (pid_ < 0) {
        end();
        throw Error(fmt::format("Cannot start a process: {}.", std::strerror(error)));
    }
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

bool ChildJob::read_some() {
    char part[1 << 16];
    const ssize_t count = read(pipe_, part, sizeof part);
    if (count < 0) return errno == EINTR;
    if (count == 0) {
        is_complete_ = true;
        return false;
    }
    text_.append(part, static_cast<size_t>(count));
    return true;
}

std::optional<std::string> ChildJob::poll() {
    if (pid_ <= 0) return std::nullopt;
    while (read_some()) {
    }
    if (!is_complete_) return std::nullopt;
    if (!end()) return std::nullopt;
    return std::move(text_);
}

std::optional<std::string> ChildJob::wait() {
    while (is_running()) {
        pollfd waits{pipe_, POLLIN, 0};
        ::poll(&waits, 1, -1);
        if (auto text = poll()) return text;
    }
    return std::nullopt;
}

bool ChildJob::end() {
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
    int status = -1;
    if (pid_ > 0) {
        rusage usage{};
        while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
        }
        const auto ns = [](const timeval& time) {
            return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u +
                   static_cast<uint64_t>(time.tv_usec) * 1000u;
        };
        cpu_ns_ = ns(usage.ru_utime) + ns(usage.ru_stime);
    }
    pid_ = -1;
    return status == 0;
}

}  // namespace memtrace::analyzer
