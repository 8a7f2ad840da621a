// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_live.h"

#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analyzer/archive/archive.h"
#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/compact/compact_run.h"
#include "analyzer/compact/dump_in_use.h"
#include "analyzer/compact/what_stays.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/moment.h"
#include "analyzer/reader/section_walk.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t newest_left_ns = 100'000'000;
// Less than this is not worth a section that every later reader unpacks.
constexpr uint64_t gain_min = uint64_t{64} << 10;
// What the program may write meanwhile, as a part of the bytes that the dump may take.
constexpr uint64_t room_part = 16;

CompactPlan plan_of_running() {
    CompactPlan plan;
    plan.has_open_end = true;
    plan.slices.covers_end = true;
    plan.loops.why_none =
        "the dump was compacted while it was written, and loops are found by reading all events";
    return plan;
}

void check(const std::string& path, const DumpFile& file, const Problems& problems) {
    const auto refuse = [&](const char* why) {
        throw Error(fmt::format("{} cannot be compacted: {}.", printable(path), why));
    };
    const FileHeader& header = file.header();
    if ((header.features & feature_private_rings) != 0)
        refuse("its newest events are in memory of the program");
    if (header.version < version_of_twins) refuse("an older memtrace writes it");
    if (problems.damaged()) refuse("it is damaged");
}

// Returns the key up to which events are replayed.
uint64_t key_of(CompactRun& run, const DumpFile& file, const Moment& now,
                std::optional<uint64_t> until_ns) {
    run.replay_until(0);  // the records about the process, which have the time on other clocks
    TickClock clock = run.replay().clock();
    if (clock.anchors().empty()) return 0;
    if (until_ns) return key_before(run.whole_clock().first_tick_at(*until_ns));
    const Clock end = now.record(file.header(), clock.anchors().front());
    clock.add_anchor(end);
    clock.settle();
    const uint64_t now_ns = clock.ns(end.time);
    return key_before(clock.first_tick_at(now_ns - std::min(now_ns, newest_left_ns)));
}

PastGone range_of(const ChunkRef& section) {
    return {section.offset, align_section(payload_end(section.offset, section.header)), 1};
}

// All that is gone, by place, neighbours as one.
std::vector<PastGone> all_gone(const DumpIndex& index, const std::vector<ChunkRef>& chunks) {
    std::vector<PastGone> all;
    if (index.past) all = index.past->gone;
    for (const ChunkRef& chunk : chunks) all.push_back(range_of(chunk));
    for (const ChunkRef& past : index.pasts) all.push_back(range_of(past));
    std::sort(all.begin(), all.end(),
              [](const PastGone& a, const PastGone& b) { return a.begin < b.begin; });
    std::vector<PastGone> merged;
    for (const PastGone& range : all) {
        if (!merged.empty() && merged.back().end == range.begin) {
            merged.back().end = range.end;
            merged.back().sections += range.sections;
        } else {
            merged.push_back(range);
        }
    }
    return merged;
}

// The limit on the length of files (ulimit -f) counts what was given back, too. What is added must
// leave room for what the program will write.
bool may_be_longer(uint64_t length, uint64_t by) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    return length < limit.rlim_cur && by < (limit.rlim_cur - length) / 2;
}

}  // namespace

LiveCompaction compact_live(const std::string& path, uint64_t max_bytes,
                            std::optional<uint64_t> until_ns) {
    const Moment now = Moment::now();
    Problems problems;
    DumpFile file(path, problems);
    const uint64_t before = newest_past(file);
    const DumpIndex index = index_dump(file, problems);
    check(path, file, problems);
    CompactRun run(file, index, problems,
                   index.past ? CompactRun::plan_of(*index.past, file) : plan_of_running());
    if (index.past) run.restore(*index.past);
    uint64_t key = key_of(run, file, now, until_ns);
    run.replay_until(key);
    check(path, file, problems);
    if (index.past) key = std::max(key, index.past->key);

    const WhatStays stays = what_stays(run, index, false);
    const std::vector<PastGone> gone = all_gone(index, stays.gone);
    const PackedState state = run.store();
    const std::string section =
        write_past({key, stays.lanes, gone, state.raw_bytes, 0, 0}, state.bytes);
    LiveCompaction result{section.size(), gone_bytes(gone) - gone_bytes(index.past)};
    const uint64_t for_a_moment = file.file_end_now() - gone_bytes(index.past) + section.size();
    const bool fits = (max_bytes == 0 || for_a_moment <= max_bytes - max_bytes / room_part) &&
                      may_be_longer(file.file_end_now(), section.size());
    const uint64_t least = until_ns ? 1 : section.size() + gain_min;
    if (!fits || result.freed_bytes < least) return {section.size(), 0};

    DumpInUse dump(path);
    if (dump.is_read()) return {section.size(), 0};
    const uint64_t offset = dump.append(section);
    if (!dump.announce(offset, before)) {
        throw Error(fmt::format("{} was compacted by another process meanwhile", printable(path)));
    }
    dump.give_back(gone);
    return result;
}

}  // namespace memtrace::analyzer
