// SPDX-License-Identifier: Apache-2.0
//
// A process that a signal ends leaves no half file and no progress line, and ends by that signal.
#include "analyzer/base/signal_cleanup.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::test::TempFolder;

namespace {

// Runs `work` in a child whose standard error is this file, and returns how the child ended. The
// child has none of the handlers that Catch installs.
template <class Work>
int status_of_child(const std::string& errors, Work&& work) {
    const pid_t child = fork();
    if (child == 0) {
        dup2(open(errors.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a signal removes what is unfinished, clears the line, and still ends the process") {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        const TempFolder folder;
        const std::string errors = folder.file("errors");
        const int status = status_of_child(errors, [&] {
            const SignalCleanup cleanup;
            const UnfinishedFile open_file(folder.file("open"));
            std::ofstream(open_file.path()) << "half";
            {
                const UnfinishedFile closed_file(folder.file("closed"));
                std::ofstream(closed_file.path()) << "whole";
            }
            set_progress_line(true);
            raise(number);
        });
        INFO("signal " << number);
        REQUIRE(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == number);
        CHECK_FALSE(exists(folder.file("open")));
        CHECK(exists(folder.file("closed")));
        CHECK(text_of(errors) == "\r\033[K");
    }
}

TEST_CASE("without a progress line nothing is printed, and an ignored signal stays ignored") {
    const TempFolder folder;
    const std::string errors = folder.file("errors");
    const int ignored = status_of_child(errors, [&] {
        std::signal(SIGHUP, SIG_IGN);
        const SignalCleanup cleanup;
        raise(SIGHUP);
    });
    CHECK(WIFEXITED(ignored));
    const int ended = status_of_child(errors, [&] {
        const SignalCleanup cleanup;
        raise(SIGINT);
    });
    CHECK(WIFSIGNALED(ended));
    CHECK(text_of(errors).empty());
}

TEST_CASE("afterwards signals are as before") {
    const TempFolder folder;
    const int status = status_of_child(folder.file("errors"), [] {
        { const SignalCleanup cleanup; }
        struct sigaction now {};
        sigaction(SIGTERM, nullptr, &now);
        _exit(now.sa_handler == SIG_DFL ? 0 : 1);
    });
    CHECK(status == 0);
}
