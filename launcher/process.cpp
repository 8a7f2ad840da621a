// SPDX-License-Identifier: Apache-2.0
#include "launcher/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "analyzer/base/error.h"
#include "launcher/program.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

constexpr int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// During its lifetime, only sigwaitinfo() receives SIGCHLD and the forwarded signals.
class SignalsHeld {
public:
    SignalsHeld() {
        sigemptyset(&set_);
        for (const int number : forwarded) sigaddset(&set_, number);
        sigaddset(&set_, SIGCHLD);
        sigprocmask(SIG_BLOCK, &set_, &mask_before_);
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;  // if it were ignored, the end of a child would be lost
        sigaction(SIGCHLD, &usual, &child_before_);
    }
    ~SignalsHeld() {
        // Signals that arrived at the very end were for the program, which is gone.
        const timespec at_once{};
        while (sigtimedwait(&set_, nullptr, &at_once) > 0) {
        }
        restore();
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

    const sigset_t& set() const { return set_; }
    void restore() const {
        sigaction(SIGCHLD, &child_before_, nullptr);
        sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    }

private:
    sigset_t set_{}, mask_before_{};
    struct sigaction child_before_ {};
};

void wait_for_end(pid_t child, const sigset_t& set, int& status) {
    for (;;) {
        siginfo_t info{};
        const int number = sigwaitinfo(&set, &info);
        if (number < 0) continue;  // interrupted by a stop and a continuation
        if (number != SIGCHLD) {
            // Positive codes come from the kernel. Then a terminal has sent the signal to the
            // program as well.
            if (info.si_code <= 0 && info.si_pid != child) kill(child, number);
            continue;
        }
        if (waitpid(child, &status, WNOHANG) == child) return;
    }
}

}  // namespace

int become(const std::string& path, const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    // execvp passes a script without #! to the shell. The path contains a slash, so execvp does not
    // search for it.
    execvp(path.c_str(), words.data());
    const int error = errno;
    say(fmt::format("{} cannot be run: {}", path, std::strerror(error)));
    return error == ENOENT ? start_not_found : start_not_executable;
}

ProcessEnd start_and_wait(const std::string& path, const std::vector<std::string>& command) {
    return run_apart(path, [&] { return become(path, command); });
}

ProcessEnd run_apart(const std::string& what, const std::function<int()>& work) {
    const SignalsHeld held;
    const pid_t child = fork();
    if (child < 0) {
        throw analyzer::Error(
            fmt::format("no process can be made for {}: {}", what, std::strerror(errno)));
    }
    if (child == 0) {
        held.restore();
        const int code = work();
        std::fflush(nullptr);
        _exit(code);
    }
    ProcessEnd end;
    int status = 0;
    wait_for_end(child, held.set(), status);
    end.pid = child;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end.signal;
    return end;
}

}  // namespace memtrace::launcher
