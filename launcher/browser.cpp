// SPDX-License-Identifier: Apache-2.0
#include "launcher/browser.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "launcher/program.h"

namespace memtrace::launcher {
namespace {

using namespace std::chrono_literals;

// xdg-open ends at once if it hands the file to a desktop, and stays if it is the browser's parent.
constexpr auto waits_max = 3s;
constexpr auto waits_each = 20ms;

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

// A terminal's browser in $BROWSER needs no display.
bool has_display() { return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("BROWSER"); }

// What a browser writes is not the program's output.
void silence() {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, fd);
}

[[noreturn]] void become_opener(const std::string& opener, const std::string& path,
                                const std::string& preload) {
    setsid();  // The end of a terminal does not end the browser.
    silence();
    signal(SIGCHLD, SIG_DFL);
    if (preload.empty()) unsetenv("LD_PRELOAD");
    else setenv("LD_PRELOAD", preload.c_str(), 1);
    execl(opener.c_str(), "xdg-open", path.c_str(), static_cast<char*>(nullptr));
    _exit(start_not_executable);
}

}  // namespace

std::string open_in_browser(const std::string& path, const std::string& preload) {
    const Program opener = find_program("xdg-open");
    if (opener.code != start_fine) return "there is no xdg-open here that knows the browser";
    if (!has_display()) return "there is no display here for a browser";
    const pid_t child = fork();
    if (child == 0) become_opener(opener.path, path, preload);
    if (child < 0) return "no process can be made for the browser";
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < waits_max) {
        int status = 0;
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended < 0) return "";  // Somebody else has waited for it.
        if (ended == child) {
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
            return fmt::format("the browser could not be opened (xdg-open ended with {})",
                               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
        }
        std::this_thread::sleep_for(waits_each);
    }
    return "";
}

}  // namespace memtrace::launcher
