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
#include "analyzer/compact/what_stays.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/section_walk.h"
#include "memtrace/dump/control.h"
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
    if (index.is_written || file.is_being_written()) {
        refuse(path,
               "the program still runs and writes to it; do it when the program has ended, or let "
               "the option max_dump bound the file");
    }
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
    // It was compacted while it was written; this is a file at rest.
    auto* const control = reinterpret_cast<Control*>(page.data() + control_offset);
    control->newest_past = {};
    control->pages_given_back = {};
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

    if (index.past) plan = CompactRun::plan_of(*index.past, file);
    CompactRun run(file, index, problems, std::move(plan));
    if (index.past) run.restore(*index.past);
    else run.set_half();
    uint64_t key = ~uint64_t{0};
    if (until_ns) key = key_before(run.whole_clock().first_tick_at(*until_ns));
    run.replay_until(key, progress);
    check(path, file, index, problems);

    const WhatStays kept = what_stays(run, index, key == ~uint64_t{0});
    const PackedState state = run.store();
    if (index.past) key = std::max(key, index.past->key);
    const std::string past = write_past({key, kept.lanes, {}, state.raw_bytes, 0, 0}, state.bytes);
    std::vector<std::string_view> sections{past};
    for (const uint64_t offset : kept.chunks) sections.push_back(section_at(file, offset));
    for (const uint64_t offset : kept.rings) sections.push_back(section_at(file, offset));
    uint64_t end = page_bytes;
    for (const std::string_view section : sections) end += align_section(section.size());

    const CompactSizes sizes{dump_bytes(file, index), end};
    if (target == path && sizes.after >= sizes.before) return sizes;
    ReportOutput output(target, Readers::owner, Replaces::recordings);
    output.write(first_page(file, end, sections.size(), kept.rings.size() + process_chunks(index)));
    for (const std::string_view section : sections) {
        output.write(section);
        output.write(std::string(align_section(section.size()) - section.size(), '\0'));
    }
    output.finish();
    return sizes;
}

}  // namespace memtrace::analyzer
