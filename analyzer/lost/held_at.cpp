// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/held_at.h"

#include <span>

#include <fmt/format.h>

#include "analyzer/archive/archive.h"
#include "analyzer/base/error.h"
#include "analyzer/compact/compact_run.h"
#include "analyzer/compact/scoped_blocks.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/replay.h"

namespace memtrace::analyzer {
namespace {

HeldAt held_by(Replay& replay, const ScopedBlocks& left_out, const DumpFile& file,
               const Problems& problems) {
    HeldAt result;
    result.memory = replay.held();
    result.left_out = left_out.addresses();
    result.pid = file.header().pid;
    result.is_damaged = problems.damaged();
    result.has_pause = replay.gaps().has_pause();
    result.has_older_blocks = replay.gaps().any() || replay.so_far().process.forked_from != 0;
    replay.for_each_counter([&](const SpaceCounter& counter) {
        result.is_sample |= counter.name() == "host" && replay.is_estimate(counter);
    });
    return result;
}

HeldAt read_held_at(const std::string& dump, uint64_t moment) {
    Problems problems;
    DumpFile file(dump, problems);
    const DumpIndex index = index_dump(file, problems, {});
    if (index.past) {
        if (index.past->key > last_key(moment))
            throw Error("the dump was compacted beyond the moment of the search");
        CompactRun run(file, index, problems, CompactRun::plan_of(*index.past, file));
        run.restore(*index.past);
        run.replay_until(last_key(moment));
        return held_by(run.replay(), run.left_out(), file, problems);
    }
    Replay replay(file.header(), problems);
    EventStream stream(
        file, index, problems, [](uint64_t) {},
        [&](std::span<const Node> nodes, size_t count) { replay.define_nodes(nodes, count); });
    ScopedBlocks left_out;
    stream.run_until(
        last_key(moment),
        [&](size_t lane, const Event& event) {
            left_out.see(lane, event);
            replay.take(lane, event);
        },
        [&](const Event& event, bool has_block)
            __attribute__((always_inline)) { replay.soon(event, has_block); });
    return held_by(replay, left_out, file, problems);
}

}  // namespace

HeldAt held_at(const std::string& dump, uint64_t moment) {
    try {
        return while_compacted(dump, [&] { return read_held_at(dump, moment); });
    } catch (const BadArchive& bad) {
        throw Error(fmt::format("another version of memtrace compacted the dump: {}", bad.what()));
    }
}

}  // namespace memtrace::analyzer
