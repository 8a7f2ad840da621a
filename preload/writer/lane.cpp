// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/lane.h"

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/log.h"
#include "preload/base/recording_state.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/error_text.h"

namespace memtrace::preload {

Lane::Lane(const Ring& ring, uint32_t number, Size size, Scratch& scratch)
    : ring_(ring), number_(number), size_(size), scratch_(&scratch) {}

bool Lane::make_room(uint32_t slots) {
    if (!drain()) {
        stop_recording("the dump cannot grow", dump_file::last_error());
        return false;
    }
    if (size_ == Size::small) set_outgrown(true);
    return ring_.free_slots() >= slots + spare_slots;
}

void Lane::put_last_note(const Note& note) {
    if (row_bytes(note) > sizeof scratch_->row) return;
    const auto size = static_cast<size_t>(write_row(scratch_->row, note) - scratch_->row);
    if (long_record_slots(size) > ring_.free_slots()) return;
    write_long(Note::tag, scratch_->row, size);
}

void Lane::write_long(uint8_t tag, const uint8_t* bytes, size_t size) {
    pack_long_record(tag, bytes, size, [&](uint32_t i, Slot slot) { ring_.stage(i, slot); });
    ring_.publish(ring_.head() + long_record_slots(size));
}

void stop_recording(std::string_view why, int error) {
    if (recording() == Recording::stopped) return;  // Another thread met the same failure.
    set_recording(Recording::stopped);
    FixedText<5000> sentence("recording stopped: ");
    sentence << why;
    if (error != 0) sentence << " (" << error_text(error).view() << ")";
    sentence << ". The program runs on; what was recorded so far is in " << dump_file::path()
             << '.';
    say(sentence.view());
    dump_file::set_state(State::stopped);
    if (thread_state.lane == nullptr) return;
    Note note;
    note.time = thread_state.lane->stamp(ticks_now());
    note.subject = "stopped";
    note.text = sentence.view();
    thread_state.lane->put_last_note(note);
}

}  // namespace memtrace::preload
