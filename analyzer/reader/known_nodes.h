// SPDX-License-Identifier: Apache-2.0
//
// The stack nodes of a dump. Nearly half of its records define nodes, and these mean the same in
// each pass over the dump. So only the first whole pass reads them:
//
//   the loops of the program    reads the definitions, keeps them
//   the replay                  skips them
//   the lives of tensors        skips them
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/model/problems.h"
#include "analyzer/model/stack_nodes.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/node_join.h"

namespace memtrace::analyzer {

// Returns the limit of the ids that are believed after `nodes` definitions. Ids are dense, but an
// id in a damaged dump may be any number.
constexpr uint64_t node_id_limit(uint64_t nodes) {
    return std::max<uint64_t>(uint64_t{1} << 20, nodes * 16);
}

// What the definitions say that were read so far.
struct KnownNodes {
    explicit KnownNodes(StackNodes of_dump) : nodes(std::move(of_dump)) {}

    StackNodes nodes;
    NodeJoin join{nodes};
    uint64_t count = 0;                  // definitions
    uint64_t unsound = 0;                // nodes whose parent cannot be
    std::vector<Node> far;               // with an id so large that the dump may be damaged
    uint64_t first_time = ~uint64_t{0};  // of a definition, in ticks
    uint64_t last_time = 0;

    void take(const Node& record) {
        first_time = std::min(first_time, record.time);
        last_time = std::max(last_time, record.time);
        count += 1;
        if (record.id < node_id_limit(count)) define(record);
        else far.push_back(record);
    }
    // Takes the first `wanted` of these. The others come soon.
    void take(std::span<const Node> records, size_t wanted) {
        constexpr size_t distance = 16;  // in nodes; about the duration of a cache miss
        for (size_t i = 0; i < wanted; ++i) {
            if (i + distance < records.size()) join.soon(records[i + distance]);
            take(records[i]);
        }
    }
    void define(const Node& record) { unsound += !join.define(record); }

    bool is_sound() const { return unsound == 0 && far.empty(); }

    // Takes over what another one has, and shares no node with it: nodes of a Model change. There
    // must be no further definitions.
    void copy(const KnownNodes& known) {
        for (uint32_t id = 0; id < known.nodes.size(); ++id) {
            const Location& location = known.nodes.location(known.nodes.location_of(id));
            nodes.set(id, known.nodes.parent(id), location);
        }
        join.join_like(known.join);
        count = known.count;
        unsound = known.unsound;
        far = known.far;
        first_time = known.first_time;
        last_time = known.last_time;
    }
};

// What the passes over one dump share.
class NodeMemo {
public:
    // Returns the nodes of this dump; nullptr if the pass must read them.
    std::shared_ptr<const KnownNodes> find(const DumpFile& file) const {
        return nodes_ != nullptr && is_of(file) ? nodes_ : nullptr;
    }

    // True if what a whole pass has found counts for later ones. A damaged dump is read anew by
    // each pass, and so is one that may have more nodes by then.
    static bool may_keep(const KnownNodes& found, const DumpIndex& index,
                         const Problems& problems) {
        return found.is_sound() && !index.is_written && !problems.damaged() &&
               problems.lost_events() == 0;
    }
    // Nobody may change the nodes any more.
    void keep(KnownNodes found, const DumpFile& file) {
        found.join.forget_children();
        nodes_ = std::make_shared<const KnownNodes>(std::move(found));
        bytes_ = file.size();
        header_ = file.header();
    }

private:
    // A program that was started again may have replaced the file meanwhile.
    bool is_of(const DumpFile& file) const {
        const FileHeader& header = file.header();
        return file.size() == bytes_ && header.file_end == header_.file_end &&
               header.pid == header_.pid && header.process_start == header_.process_start &&
               header.ticks_zero == header_.ticks_zero;
    }

    std::shared_ptr<const KnownNodes> nodes_;
    uint64_t bytes_ = 0;
    FileHeader header_ = {};
};

}  // namespace memtrace::analyzer
