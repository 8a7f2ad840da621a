// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/host_look.h"

#include <atomic>

#include "preload/base/clock.h"
#include "preload/base/options.h"
#include "preload/base/own_memory.h"
#include "preload/base/sys.h"
#include "preload/host/proc_number.h"
#include "preload/host/resident_pages.h"
#include "preload/host/smaps_reader.h"
#include "preload/recording/thread_lane.h"

namespace memtrace::preload {
namespace {

// A look may take one part in this many of the time.
constexpr uint64_t look_share = 500;
// The first look must not come earlier, because nothing is known of its duration.
constexpr uint64_t first_look_ms = 250;
// A process that ends earlier has no look, because it would take a large part of its time.
constexpr uint64_t age_min_ms = 100;
constexpr uint64_t pause_max_s = 60;

// The resident set is clearly larger if it has grown by this part and by this much.
constexpr uint64_t growth_part = 16;
constexpr uint64_t growth_min = uint64_t{256} << 10;

// A region with more pages that are not resident is not looked up: the kernel writes a word for
// each page.
constexpr uint64_t pages_a_resident_page = 64;
constexpr uint64_t always_looked_up = uint64_t{256} << 20;

std::atomic<bool> is_looking;
std::atomic<bool> work_has_ended;
uint64_t next_look;     // ticks; this and the next three are of the thread that looks
uint64_t last_look;     // ticks
uint64_t started_at;    // ticks
uint64_t rss_of_looks;  // the largest

// Too large for the stack of a thread that may be the program's.
struct Buffers {
    char text[32 << 10];
    uint64_t words[4096];
    uint8_t runs[long_text_max];
    SmapsEntry entry;
    SmapsEntry region;
};
Buffers buffers;

uint64_t ticks_of_ms(uint64_t ms) { return ticks.per_second / 1000 * ms; }

uint64_t read_highest_rss() { return proc_number("/proc/self/status", "VmHWM:", 0) * 1024; }

// Writes one moment to a lane.
class Look {
public:
    explicit Look(ThreadLane& lane) : lane_(lane) {}

    void take(HostOccasion occasion, uint64_t rss) {
        const uint64_t begin = ticks_now();
        HostMoment moment;
        moment.occasion = occasion;
        moment.rss = rss;
        moment.highest = read_highest_rss();
        put(moment);
        write_ranges();
        if (!write_regions()) return;  // A moment without an end does not count.
        end_.duration = ticks_now() - begin;
        put(end_);
    }

private:
    template <class Record>
    void put(Record& record) {
        record.time = lane_.stamp(ticks_now());
        lane_.put_long(record);
    }

    void write_range(HostUse use, uint64_t begin, uint64_t end) {
        HostRange record;
        record.use = use;
        record.begin = begin;
        record.end = end;
        put(record);
    }

    void write_ranges() {
        own_memory::for_each(
            [&](uint64_t begin, uint64_t end) { write_range(HostUse::memtrace, begin, end); });
        ThreadLane::for_each([&](const ThreadLane& each) {
            const uint64_t address = each.stack_address();
            if (address != 0) write_range(HostUse::thread_stack, address, address + 1);
        });
    }

    bool write_regions() {
        SmapsReader smaps(buffers.text, sizeof buffers.text);
        if (!smaps.open()) return false;
        can_look_up_ = pages_.open();
        SmapsEntry& entry = buffers.entry;
        SmapsEntry& region = buffers.region;
        bool has_region = false;
        bool is_guarded = false;
        uint64_t below = 0;  // end of an inaccessible mapping
        while (smaps.next(entry)) {
            const bool is_accessible = entry.read || entry.write || entry.execute;
            if (!is_accessible) below = entry.end;
            if (entry.rss == 0 && entry.swap == 0) continue;
            if (has_region && continues(region, entry)) {
                region.end = entry.end;
                region.rss += entry.rss;
                region.anonymous += entry.anonymous;
                region.shared += entry.shared;
                region.swap += entry.swap;
                continue;
            }
            if (has_region) write_region(region, is_guarded);
            region = entry;
            is_guarded = below == entry.begin;
            has_region = true;
        }
        if (has_region) write_region(region, is_guarded);
        return true;
    }

    // True if both are parts of the same file.
    static bool continues(const SmapsEntry& region, const SmapsEntry& next) {
        return region.end == next.begin && region.is_shared == next.is_shared &&
               region.path.view() == next.path.view() && region.path.view().starts_with('/');
    }

    void write_region(const SmapsEntry& region, bool is_guarded) {
        HostRegion record;
        record.begin = region.begin;
        record.end = region.end;
        record.access = (region.read ? access_read : 0) | (region.write ? access_write : 0) |
                        (region.execute ? access_execute : 0) |
                        (region.is_shared ? access_shared : 0) | (is_guarded ? access_guarded : 0);
        record.rss = region.rss;
        record.anonymous = region.anonymous;
        record.shared = region.shared;
        record.swap = region.swap;
        record.path = region.path.view();
        put(record);
        end_.regions += 1;
        const bool is_file = region.path.view().starts_with('/');
        if (is_file || region.is_shared || region.rss == 0) return;
        end_.unknown += !write_pages(region);
    }

    // Returns false if the pages of the region are not known.
    bool write_pages(const SmapsEntry& region) {
        const uint64_t bytes = region.end - region.begin;
        const bool is_sparse =
            bytes > always_looked_up && bytes / pages_a_resident_page > region.rss;
        if (!can_look_up_ || is_sparse) return false;
        const auto which =
            region.shared == 0 ? ResidentPages::Pages::own : ResidentPages::Pages::all_present;
        for (uint64_t at = region.begin; at < region.end;) {
            HostPages record;
            record.begin = at;
            const size_t size =
                pages_.pack(at, region.end, buffers.runs, sizeof buffers.runs, which);
            if (size == 0) return false;
            record.runs = Text(reinterpret_cast<const char*>(buffers.runs), size);
            put(record);
        }
        return true;
    }

    ThreadLane& lane_;
    ResidentPages pages_{buffers.words, std::size(buffers.words)};
    bool can_look_up_ = false;
    HostMomentEnd end_;
};

void look(ThreadLane& lane, HostOccasion occasion, uint64_t rss) {
    if (is_looking.exchange(true, std::memory_order_acquire)) return;
    const uint64_t begin = ticks_now();
    Look(lane).take(occasion, rss);
    last_look = ticks_now();
    const uint64_t pause = (last_look - begin) * look_share;
    __atomic_store_n(&next_look, last_look + pause, __ATOMIC_RELAXED);
    if (rss > rss_of_looks) rss_of_looks = rss;
    is_looking.store(false, std::memory_order_release);  // The next look acquires it.
}

}  // namespace

void start_host_looks() {
    is_looking.store(false);
    work_has_ended.store(false);
    rss_of_looks = 0;
    started_at = ticks_now();
    last_look = started_at;
    __atomic_store_n(&next_look, started_at + ticks_of_ms(first_look_ms), __ATOMIC_RELAXED);
}

void leave_out_host_looks() {
    work_has_ended.store(true);
    __atomic_store_n(&next_look, ~uint64_t{0}, __ATOMIC_RELAXED);
}

void look_at_host_if_due(ThreadLane& lane, uint64_t rss, uint64_t now) {
    if (now < __atomic_load_n(&next_look, __ATOMIC_RELAXED)) return;
    const bool is_larger = rss > rss_of_looks + rss_of_looks / growth_part + growth_min;
    const bool is_long_ago = now > last_look + ticks.per_second * pause_max_s;
    if (is_larger) look(lane, HostOccasion::growth, rss);
    else if (is_long_ago) look(lane, HostOccasion::time, rss);
}

void look_at_host_when_work_ends(ThreadLane& lane) {
    if (options.sample_ms == 0 || ticks_now() < started_at + ticks_of_ms(age_min_ms)) return;
    if (work_has_ended.exchange(true)) return;
    look(lane, HostOccasion::work_end, 0);
}

}  // namespace memtrace::preload
