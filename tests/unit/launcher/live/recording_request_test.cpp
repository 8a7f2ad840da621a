// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/recording_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "memtrace/dump/control.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using memtrace::analyzer::Error;
using memtrace::launcher::RecordingRequest;
using memtrace::test::TempPath;

using Catch::Matchers::Contains;

namespace {

// The header page of a dump, as a program would have it.
class Page {
public:
    explicit Page(uint32_t begins) {
        std::vector<char> bytes(page_bytes);
        if (begins != 0) {
            Control control{};
            control.recording_asked = control.recording_asked.of(begins);
            control.recording_obeyed = control.recording_obeyed.of(begins);
            std::memcpy(bytes.data() + control_offset, &control, sizeof control);
        }
        const int fd = open(file_.path().c_str(), O_WRONLY);
        CHECK(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
        close(fd);
    }
    const std::string& path() const { return file_.path(); }
    Control control() const {
        Control control{};
        const int fd = open(file_.path().c_str(), O_RDONLY);
        CHECK(pread(fd, &control, sizeof control, control_offset) == ssize_t{sizeof control});
        close(fd);
        return control;
    }
    void obey() {
        const uint32_t request = asked(control().recording_asked);
        const auto word = control().recording_obeyed.of(request);
        const int fd = open(file_.path().c_str(), O_WRONLY);
        const off_t at = control_offset + offsetof(Control, recording_obeyed);
        CHECK(pwrite(fd, &word, sizeof word, at) == ssize_t{sizeof word});
        close(fd);
    }

private:
    TempPath file_;
};

std::string error_of(auto&& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("each request has the next number, and the program's answer ends it",
          "[recording_request]") {
    Page page(2);
    RecordingRequest start(page.path(), "it");
    start.ask(true);
    CHECK(asked(page.control().recording_asked) == 3);
    CHECK_FALSE(start.is_obeyed(0));
    RecordingRequest again(page.path(), "it");
    again.ask(true);  // It is to come, so nothing is asked.
    CHECK(asked(page.control().recording_asked) == 3);
    page.obey();
    CHECK(start.is_obeyed(0));
    CHECK(again.is_obeyed(0));
    RecordingRequest stop(page.path(), "it");
    stop.ask(false);
    CHECK(asked(page.control().recording_asked) == 4);
}

TEST_CASE("what is so already is an error", "[recording_request]") {
    Page on(1), off(2);
    CHECK(error_of([&] { RecordingRequest(on.path(), "it").ask(true); }) ==
          "it is recorded already");
    CHECK(error_of([&] { RecordingRequest(off.path(), "it").ask(false); }) ==
          "it is not recorded already");
}

TEST_CASE("a program that cannot be asked is said to be one", "[recording_request]") {
    CHECK_THAT(error_of([] { RecordingRequest("/no/such/file", "it"); }),
               Contains("cannot ask it"));
    Page old(0);
    CHECK_THAT(error_of([&] { RecordingRequest(old.path(), "it"); }),
               Contains("it cannot be asked"));
    Page others(1);
    if (geteuid() != 0) {
        chmod(others.path().c_str(), 0400);
        CHECK_THAT(error_of([&] { RecordingRequest(others.path(), "it"); }),
                   Contains("this user may not ask it"));
    }
    TempPath empty;
    CHECK_THAT(error_of([&] { RecordingRequest(empty.path(), "it"); }), Contains("cannot ask it"));
}
