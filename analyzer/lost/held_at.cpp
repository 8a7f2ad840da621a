// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/held_at.h"

#include <set>
#include <type_traits>
#include <utility>

#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/replay.h"

namespace memtrace::analyzer {
namespace {

// The blocks that threads acquired while they said that theirs should be left out.
class LeftOut {
public:
    void see(size_t lane, const Event& event) {
        visit_record(event, [&](const auto& record) {
            using Record = std::decay_t<decltype(record)>;
            if constexpr (std::is_same_v<Record, LostScope>) {
                if (record.is_disabled != 0) disabled_.insert(lane);
                else disabled_.erase(lane);
            } else if constexpr (std::is_same_v<Record, Acquire>) {
                take(lane, record.address);
            } else if constexpr (std::is_same_v<Record, ResizeEnd>) {
                take(lane, record.resize.address);
            }
        });
    }

    std::unordered_set<uint64_t> result() && { return std::move(addresses_); }

private:
    void take(size_t lane, uint64_t address) {
        if (!disabled_.empty() && disabled_.contains(lane)) addresses_.insert(address);
        else if (!addresses_.empty()) addresses_.erase(address);
    }

    std::set<size_t> disabled_;  // lanes
    std::unordered_set<uint64_t> addresses_;
};

}  // namespace

HeldAt held_at(const std::string& dump, uint64_t moment) {
    Problems problems;
    DumpFile file(dump, problems);
    const DumpIndex index = index_dump(file, problems, {});
    Replay replay(file.header(), problems);
    EventStream stream(
        file, index, problems, [](uint64_t) {},
        [&](const Node& node) { replay.define_node(node); });
    LeftOut left_out;
    stream.run_until(
        last_key(moment),
        [&](size_t lane, const Event& event) {
            left_out.see(lane, event);
            replay.take(lane, event);
        },
        [&](const Event& event, bool has_block)
            __attribute__((always_inline)) { replay.soon(event, has_block); });
    HeldAt result;
    result.memory = replay.held();
    result.left_out = std::move(left_out).result();
    result.pid = file.header().pid;
    result.is_damaged = problems.damaged();
    result.has_pause = replay.gaps().has_pause();
    result.has_older_blocks = replay.gaps().any() || replay.so_far().process.forked_from != 0;
    replay.for_each_counter([&](const SpaceCounter& counter) {
        result.is_sample |= counter.name() == "host" && replay.is_estimate(counter);
    });
    return result;
}

}  // namespace memtrace::analyzer
