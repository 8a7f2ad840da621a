// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/recording_switch.h"

#include <sys/mman.h>

#include "preload/recording/event_scope.h"
#include "preload/writer/control_page.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using test::TestRecording;

namespace {

// During its lifetime this process may sleep.
class ForkAware {
public:
    ForkAware() { is_so_ = make_recording_state_fork_aware(); }
    ~ForkAware() {
        constexpr int keep_on_fork = 19;  // MADV_KEEPONFORK
        madvise(&recording_page, sizeof recording_page, keep_on_fork);
    }
    ForkAware(const ForkAware&) = delete;
    ForkAware& operator=(const ForkAware&) = delete;
    bool is_so() const { return is_so_; }

private:
    bool is_so_;
};

void ask(uint32_t request) { answer(control_page().recording_asked, request); }
uint32_t obeyed() { return asked_now(control_page().recording_obeyed); }

bool look() {
    EventScope event;
    return fall_asleep_if_asked(event.lane());
}

uint64_t switches(const TestRecording& recording) {
    uint64_t count = 0;
    recording.for_each_record([&](const analyzer::AnyRecord& record) {
        count += std::holds_alternative<RecordingSwitch>(record);
    });
    return count;
}

}  // namespace

TEST_CASE("a process that is on looks at no alarm", "[recording_switch]") {
    TestRecording recording;
    CHECK_FALSE(is_asleep());
    CHECK(is_recording());
    CHECK_FALSE(look());  // Nobody can ask it.
}

TEST_CASE("a request to stop puts the process to sleep, once", "[recording_switch]") {
    const ForkAware aware;
    if (!aware.is_so()) return;  // an old kernel
    TestRecording recording;
    if (!dump_file::is_mapped()) return;
    announce(SwitchState::on);
    CHECK(can_be_asked());
    CHECK(obeyed() == 1);
    CHECK_FALSE(look());
    ask(3);  // Two requests before it looked: it is to record, as it does.
    CHECK_FALSE(look());
    CHECK(obeyed() == 3);
    ask(4);
    CHECK(look());
    CHECK(obeyed() == 4);
    CHECK(is_asleep());
    CHECK_FALSE(is_recording());
    CHECK(was_asleep());
    CHECK(switches(recording) == 1);
    record_acquire(Api::malloc, test::block_at(0x1000), 10, __builtin_frame_address(0));
    CHECK(test::heap_of(recording.read()).allocations == 0);
    ask(5);
    CHECK_FALSE(is_asleep());
    CHECK(wake_up());
    CHECK_FALSE(wake_up());
    CHECK(is_recording());
    CHECK_FALSE(was_asleep());
    ask(6);
    CHECK_FALSE(is_asleep());  // until it looks
    record_acquire(Api::malloc, test::block_at(0x1000), 10, __builtin_frame_address(0));
    CHECK(test::heap_of(recording.read()).allocations == 1);
    CHECK(look());
    set_recording(Recording::on);
    sleep_on(alarm());
    CHECK_FALSE(is_asleep());  // It is on, whatever the alarm says.
}

TEST_CASE("a word that is damaged asks for nothing", "[recording_switch]") {
    const ForkAware aware;
    TestRecording recording;
    if (!aware.is_so() || !dump_file::is_mapped()) return;
    announce(SwitchState::on);
    control_page().recording_asked.word = 4;
    CHECK_FALSE(look());
    CHECK(obeyed() == 1);
}
