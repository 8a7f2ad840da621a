// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/lane.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "preload/base/clock.h"
#include "preload/base/log.h"
#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/dump_limit.h"
#include "preload/writer/error_text.h"
#include "preload/writer/sample_levels.h"

namespace memtrace::preload {

Lane::Lane(const Ring& ring, uint32_t number, Size size, Scratch& scratch)
    : ring_(ring),
      number_(number),
      size_(size),
      heap_level_(first_heap_level()),
      object_level_(first_object_level()),
      scratch_(&scratch),
      own_stacks_(dump_file::is_mapped() ? 0 : (uint64_t{number} + 1) * 0x94d049bb133111ebu) {}

bool Lane::make_room(uint32_t slots) {
    if (!drain() || !turn_if_due()) {
        stop_without_room("the dump cannot grow");
        return false;
    }
    if (size_ == Size::small) set_outgrown(true);
    return ring_.free_slots() >= slots + spare_slots;
}

void Lane::note_sample_level(Api api, unsigned level) {
    const uint64_t time = stamp(ticks_now());
    if (is_object_api(api)) {
        object_level_ = static_cast<uint8_t>(level);
        put_long(ObjectSample{time, object_levels().interval(level)});
    } else {
        heap_level_ = static_cast<uint8_t>(level);
        put_long(HeapSample{time, heap_levels().interval(level)});
    }
}

// A record is about to be written, so its room in scratch_ is taken, and it has the last stamp. The
// dump says that the sample begins before any thread can know it.
bool Lane::turn_if_due() {
    const unsigned level = first_heap_level() +
                           std::max(dump_file::halvings_of_room(), dump_file::halvings_of_length());
    if (level <= preload::sample_level() || level == first_heap_level()) return true;
    const HeapSample record{last_time_, heap_levels().interval(level)};
    uint8_t row[64];
    const auto size = static_cast<size_t>(write_row(row, record) - row);
    write_long(HeapSample::tag, row, size);
    heap_level_ = static_cast<uint8_t>(level);
    if (!drain()) return false;
    raise_sample_level(heap_level_);
    return true;
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

namespace {

void put_stop_note(Lane& lane, std::initializer_list<std::string_view> parts) {
    const sys::MappedItem<FixedText<5000>> sentence;
    if (!sentence) return;
    for (const std::string_view part : parts) *sentence << part;
    Note note;
    note.time = lane.stamp(ticks_now());
    note.subject = "stopped";
    note.text = sentence->view();
    lane.put_last_note(note);
}

}  // namespace

void stop_recording(std::string_view why, int error) {
    if (recording() == Recording::stopped) return;  // Another thread met the same failure.
    set_recording(Recording::stopped);
    FixedText<120> cause;
    if (error != 0) cause << " (" << error_text(error).view() << ")";
    const auto parts = {std::string_view("recording stopped: "),
                        why,
                        cause.view(),
                        std::string_view(". The program runs on; what was recorded so far is in "),
                        std::string_view(dump_file::path()),
                        std::string_view(".")};
    say(parts);
    dump_file::set_state(State::stopped);
    if (thread_state.lane != nullptr) put_stop_note(*thread_state.lane, parts);
}

namespace {

void stop_at_length_limit() {
    FixedText<200> why("no file may be longer than ");
    why << dump_limit::length_limit() << " bytes here (ulimit -f)";
    if (options.max_dump != 0) why << ", and parts of the dump that were given back count, too";
    stop_recording(why.view());
}

}  // namespace

void stop_without_room(std::string_view why) {
    if (dump_file::is_full()) stop_recording("the dump is as large as max_dump allows");
    else if (dump_file::last_error() == EFBIG) stop_at_length_limit();
    else stop_recording(why, dump_file::last_error());
}

}  // namespace memtrace::preload
