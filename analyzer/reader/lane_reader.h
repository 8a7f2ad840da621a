// SPDX-License-Identifier: Apache-2.0
//
// Reads the events of one lane in order: its chunks, then the slots of its ring. It works in
// batches, so its memory is one unpacked chunk and a few hundred events per lane, whatever the
// size of the dump.
//
// Events point into the chunk and the batch. They are valid until the next fill().
//
// In a dump that grows, chunks are added at the end, and a newer view replaces that of the ring.
// The slots that were read from the ring are left out of the chunk that they move to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zstd.h>

#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event.h"
#include "analyzer/reader/open_chunks.h"
#include "memtrace/dump/column_reader.h"

namespace memtrace::analyzer {

// Bounds the memory of what readers of a dump keep by name: modules, threads, notes, functions of
// Python. A chunk of a hundred bytes can have a million of them, and one of a real program does
// not.
class NameBudget {
public:
    explicit NameBudget(uint64_t file_bytes) : left_((uint64_t{64} << 20) + 32 * file_bytes) {}

    // False if the file is too small to have this record, with `text` bytes of texts, too.
    bool take(uint64_t text) {
        constexpr uint64_t beside_text = 128;  // about what a list and a map take
        const uint64_t cost = text + beside_text;
        if (cost > left_) return false;
        left_ -= cost;
        return true;
    }
    // True when it is called first.
    bool complain() { return !std::exchange(has_complained_, true); }

private:
    uint64_t left_;
    bool has_complained_ = false;
};

// State that the readers of all lanes share: the file, the list of problems, the decompressor.
struct ReadContext {
    const DumpFile& file;
    Problems& problems;
    std::function<void(uint64_t bytes)> on_bytes;  // receives the bytes read since the last call
    // Receives definitions of stack nodes: the first `count` of `nodes`. The others come soon.
    // Null: they are events.
    std::function<void(std::span<const Node> nodes, size_t count)> on_nodes = {};
    bool skips_nodes = false;      // Nobody receives their definitions.
    bool skips_addresses = false;  // Nobody receives releases, and acquisitions have no addresses.
    std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> unpacker{ZSTD_createDCtx(), ZSTD_freeDCtx};
    OpenChunks open_chunks{};
    size_t batch_length = 256;  // events that a lane reads at once
    bool grows = false;         // Sections are still added to the lanes.
    NameBudget names{file.size()};
};

class LaneReader : private OpenChunks::Holder {
public:
    LaneReader(const LaneSections& frames, ReadContext& context);

    uint32_t lane() const { return frames_.lane; }

    // Returns the next events, or an empty list if the lane has ended, or has no more events yet.
    const EventBatch& fill();

    // The definitions of stack nodes among the events of the batch.
    struct Definitions {
        // Those up to the node `end` come before the event `before` of the batch. The last ones may
        // come before the next batch. They then have the length of this one.
        struct Run {
            size_t before;
            size_t end;
        };
        std::vector<Node> nodes;
        std::vector<Run> runs;
    };
    const Definitions& definitions() const { return definitions_; }

private:
    static constexpr size_t texts_max = 1 << 16;  // bytes of texts in a batch
    static constexpr size_t definitions_max = 1 << 16;

    struct End {
        uint64_t key;
        AnyRecord record;
    };

    void let_go() override;
    bool open_chunk(const ChunkRef& chunk);
    const char* unpack(const ChunkRef& chunk);
    bool come_back();
    bool is_full(size_t length) const { return batch_.size() >= length || text_bytes_ > texts_max; }
    bool was_read(const ChunkRef& chunk);
    void skip_read_records();
    void close_chunk(const char* fault);
    void read_chunk();
    void read_ring();
    void report_slots();
    void begin_hole();
    void end_hole(uint64_t time);
    void come_to(uint64_t time);
    void add(const Node& record);
    template <class Record>
    void add(const Record& record);
    template <class Record>
    void add_other(const Record& record);
    void push(uint64_t key, const AnyRecord& record);
    void skip_name();
    void begin_definitions();
    void define(const Node& node);
    template <class Second>
    void add_end(const Second& end);
    void push_ends(uint64_t until);
    Text keep(Text text);

    const LaneSections& frames_;
    ReadContext& context_;
    EventBatch batch_;
    Definitions definitions_;
    std::deque<AnyRecord> others_;   // records of the batch that are not in its events
    std::deque<std::string> texts_;  // texts of ring records in the batch
    std::vector<End> ends_;          // ends of resizes that have begun, by time, latest first
    size_t next_chunk_ = 0;
    std::vector<uint8_t> payload_;
    std::unique_ptr<PredictorTables> tables_;
    std::unique_ptr<ColumnReader> reader_;  // reader of the open chunk
    bool is_open_ = false;        // A chunk is being read. Its reader may have been let go.
    uint32_t records_read_ = 0;   // of the open chunk
    uint32_t records_again_ = 0;  // read twice, because the chunk was let go meanwhile
    size_t text_bytes_ = 0;       // of the batch
    uint64_t next_slot_ = 0;      // Those before it were read, from chunks or from the ring.
    uint32_t ring_records_ = 0;   // records that were read from the ring behind the last chunk
    uint64_t time_ = 0;           // of the newest event
    bool is_in_hole_ = false;     // Events are missing since then.
    uint64_t hole_begin_ = 0;
    uint64_t bad_begin_ = 0;  // slots [bad_begin_, bad_end_) are damaged and not yet reported
    uint64_t bad_end_ = 0;
};

}  // namespace memtrace::analyzer
