// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/compact_dump.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/section_walk.h"
#include "analyzer/replay/load.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* why) {
    throw Error(fmt::format("{} cannot be compacted: {}.", printable(path), why));
}

// Throws if an event could be lost, or if it is not known what the dump has.
void check(const std::string& path, const DumpFile& file, const DumpIndex& index,
           const Problems& problems) {
    if (problems.damaged()) {
        refuse(path, "it is damaged, and after that nobody could see what is missing");
    }
    if (index.past) refuse(path, "it is compacted already");
    if (index.is_written || file.is_being_written()) {
        refuse(path,
               "the program still runs and writes to it; do it when the program has ended, or let "
               "the option max_dump bound the file");
    }
}

// The sections that stay.
struct Kept {
    std::vector<PastLane> lanes;
    std::vector<uint64_t> chunks, rings;  // offsets
};

class Chooser {
public:
    Chooser(const CompactRun& run, const DumpIndex& index, uint64_t key)
        : run_(run), index_(index), time_(key / 2), is_whole_(key == ~uint64_t{0}) {}

    Kept choose() {
        for (size_t lane = 0; lane < index_.lanes.size(); ++lane) add(lane);
        return std::move(kept_);
    }

private:
    void add(size_t number) {
        const LaneSections& lane = index_.lanes[number];
        PastLane past{lane.lane, 0, 0, 0};
        if (lane.lane == lane_none) {
            // What it says of the process is short, and useful without a replay.
            for (const ChunkRef& chunk : lane.chunks) kept_.chunks.push_back(chunk.offset);
            kept_.lanes.push_back(past);
            return;
        }
        const uint64_t needed = run_.needed_since(number);
        bool keeps = false;
        for (const ChunkRef& chunk : lane.chunks) {
            keeps |= !is_whole_ && std::max(chunk.header.last_time, chunk.header.first_time) >=
                                       std::min(time_, needed);
            if (keeps) {
                kept_.chunks.push_back(chunk.offset);
                continue;
            }
            past.first_slot = chunk.header.first_slot + chunk.header.slot_count;
            past.time = chunk.header.last_time;
        }
        past.is_over = is_whole_ || (!keeps && !has_slots(lane, past.first_slot));
        if (past.is_over == 0 && lane.ring) kept_.rings.push_back(lane.ring->offset());
        if (past.is_over != 0 && lane.ring)
            past.first_slot = std::max(past.first_slot, lane.ring->head());
        kept_.lanes.push_back(past);
    }
    static bool has_slots(const LaneSections& lane, uint64_t from) {
        return lane.ring && lane.ring->head() > std::max(from, lane.ring->begin());
    }

    const CompactRun& run_;
    const DumpIndex& index_;
    const uint64_t time_;
    const bool is_whole_;
    Kept kept_;
};

// Returns the key up to which events are older than this moment.
uint64_t key_of(const DumpFile& file, const DumpIndex& index, uint64_t until_ns) {
    const TickClock clock = look_at_clock(file, index);
    const uint64_t tick = clock.first_tick_at(until_ns);
    return tick == 0 ? 0 : last_key(tick - 1);
}

std::string_view section_at(const DumpFile& file, uint64_t offset) {
    const uint64_t end =
        std::min(align_section(payload_end(offset, header_at(file, offset))), file.size());
    return {reinterpret_cast<const char*>(file.data()) + offset, end - offset};
}

// The first page of the file, for a dump of these sections.
std::string first_page(const DumpFile& file, uint64_t file_end, size_t sections, size_t lasting) {
    std::string page(reinterpret_cast<const char*>(file.data()), page_bytes);
    FileHeader header;
    std::memcpy(&header, page.data(), sizeof header);
    header.features |= feature_compacted;
    header.checksum = hash_bytes(&header, header_checksum_offset);
    header.file_end = file_end;
    const auto put = [&](auto& number, size_t value) {
        const auto count = static_cast<uint32_t>(value);
        number = number.of(count);
        if (header.version < version_of_twins) number.word = uint64_t{count} << 32 | count;
    };
    if (header.header_bytes >= offsetof(FileHeader, sections) + sizeof header.sections)
        put(header.sections, sections);
    if (header.version >= version_of_ring_sums) put(header.rings_and_process, lasting);
    std::memcpy(page.data(), &header, std::min<size_t>(sizeof header, header.header_bytes));
    return page;
}

uint64_t process_chunks(const DumpIndex& index) {
    const bool has_any = !index.lanes.empty() && index.lanes.front().lane == lane_none;
    return has_any ? index.lanes.front().chunks.size() : 0;
}

}  // namespace

CompactSizes compact_dump(const std::string& path, const std::string& target,
                          std::optional<uint64_t> until_ns, CompactPlan plan,
                          const Progress& progress) {
    Problems problems;
    DumpFile file(path, problems);
    const DumpIndex index = index_dump(file, problems);
    check(path, file, index, problems);

    CompactRun run(file, index, problems, std::move(plan));
    run.set_half();
    uint64_t key = ~uint64_t{0};
    if (until_ns) key = key_of(file, index, *until_ns);
    run.replay_until(key, progress);
    check(path, file, index, problems);

    const Kept kept = Chooser(run, index, key).choose();
    const std::string state = run.store();
    const std::string packed = pack_state(state);
    const std::string past = write_past({key, kept.lanes, packed, state.size()});
    std::vector<std::string_view> sections{past};
    for (const uint64_t offset : kept.chunks) sections.push_back(section_at(file, offset));
    for (const uint64_t offset : kept.rings) sections.push_back(section_at(file, offset));
    uint64_t end = page_bytes;
    for (const std::string_view section : sections) end += align_section(section.size());

    const CompactSizes sizes{std::min(file.size(), file.header().file_end), end};
    if (target == path && sizes.after >= sizes.before) return sizes;
    ReportOutput output(target, Readers::owner);
    output.write(first_page(file, end, sections.size(), kept.rings.size() + process_chunks(index)));
    for (const std::string_view section : sections) {
        output.write(section);
        output.write(std::string(align_section(section.size()) - section.size(), '\0'));
    }
    output.finish();
    return sizes;
}

}  // namespace memtrace::analyzer
