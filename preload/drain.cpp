// SPDX-License-Identifier: Apache-2.0
#include "preload/drain.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <atomic>
#include <new>

#include "memtrace/slots.h"
#include "preload/clock.h"
#include "preload/dump_file.h"
#include "preload/lane.h"
#include "preload/options.h"
#include "preload/sys.h"

namespace memtrace::preload {
namespace {

constexpr int    compression_level = 1;
// The compressor's table: 8 KiB. Eight times as much is what the level would take; it makes chunks
// hardly smaller, and pushes as much more of what the program works on out of its caches.
constexpr int    compression_table_log = 11;
constexpr size_t pool_size = ColumnWriter::pool_bytes(24 * 1024) + 4 * Lane::long_text_max;
constexpr size_t payload_max = pool_size + column_count * 2 * varint_bytes_max;

class Workspace {
public:
    // From the pile, or new; nullptr: no memory.
    static Workspace* take();
    void put_back();

    ColumnWriter& columns() { return columns_; }
    uint8_t* row() { return row_; }

    // Compresses what columns() holds and appends it to the file as a chunk with this header.
    bool write_chunk(FrameHeader header);

    static std::atomic<Workspace*> pile[16];

private:
    Workspace() : columns_(pool_, sizeof pool_, predictor_) {}
    bool make_compressor();

    Predictor    predictor_;
    ColumnWriter columns_;
    ZSTD_CCtx*   compressor_ = nullptr;
    uint8_t      row_[record_slots_max * slot_payload_bytes];
    alignas(16) uint8_t pool_[pool_size];
    uint8_t      payload_[payload_max];
    uint8_t      packed_[ZSTD_COMPRESSBOUND(payload_max)];
};
std::atomic<Workspace*> Workspace::pile[16];

Workspace* Workspace::take() {
    for (std::atomic<Workspace*>& place : pile) {
        if (place.load(std::memory_order_relaxed) == nullptr) continue;
        if (Workspace* workspace = place.exchange(nullptr, std::memory_order_acq_rel)) {
            return workspace;
        }
    }
    void* memory = sys::map_private(sizeof(Workspace));
    if (memory == nullptr) return nullptr;
    auto* workspace = new (memory) Workspace;
    if (workspace->make_compressor()) return workspace;
    sys::unmap(memory, sizeof(Workspace));
    return nullptr;
}

void Workspace::put_back() {
    for (std::atomic<Workspace*>& place : pile) {
        Workspace* expected = nullptr;
        if (place.compare_exchange_strong(expected, this, std::memory_order_acq_rel)) return;
    }
    // More threads drain at once than there are places: this one's scratch memory goes.
    const ZSTD_CCtx* compressor = compressor_;
    sys::unmap(const_cast<ZSTD_CCtx*>(compressor), ZSTD_estimateCCtxSize(compression_level));
    sys::unmap(this, sizeof(Workspace));
}

bool Workspace::make_compressor() {
    // A static context: zstd takes its memory from us and never calls malloc.
    const size_t bytes = ZSTD_estimateCCtxSize(compression_level);
    void* memory = sys::map_private(bytes);
    if (memory == nullptr) return false;
    compressor_ = ZSTD_initStaticCCtx(memory, bytes);
    if (compressor_ == nullptr) return false;
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_hashLog, compression_table_log);
    return true;
}

bool Workspace::write_chunk(FrameHeader header) {
    const size_t raw = columns_.write_payload(payload_);
    const size_t packed = ZSTD_compress2(compressor_, packed_, sizeof packed_, payload_, raw);
    const bool smaller = !ZSTD_isError(packed) && packed < raw;
    header.packing = smaller ? Packing::zstd : Packing::none;
    header.raw_bytes = static_cast<uint32_t>(raw);
    header.stored_bytes = static_cast<uint32_t>(smaller ? packed : raw);
    header.record_count = columns_.record_count();
    return dump_file::append_chunk(header, smaller ? packed_ : payload_);
}

// Takes a workspace for one job and gives it back.
class Borrowed {
public:
    Borrowed() : workspace_(Workspace::take()) {}
    ~Borrowed() {
        if (workspace_ != nullptr) workspace_->put_back();
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    explicit operator bool() const { return workspace_ != nullptr; }
    Workspace* operator->() const { return workspace_; }

private:
    Workspace* workspace_;
};

// One chunk with as much of [tail, head) as fits. Flat: so little is done for each record that
// calls would be a good part of it.
[[gnu::flatten]] bool drain_chunk(Lane& lane, Workspace& workspace) {
    Ring& ring = lane.ring();
    ColumnWriter& columns = workspace.columns();
    columns.begin();
    FrameHeader header{};
    header.lane = lane.number();
    header.first_slot = ring.tail();
    uint64_t& time = lane.drained_time();
    const auto visit = [&](const auto& record) {
        if (columns.record_count() == 0) header.first_time = record.time;
        header.last_time = record.time;
        columns.add(record);
    };
    const uint64_t end = read_slots(
        ring.tail(), ring.head(), workspace.row(), time,
        [&](uint64_t number) -> const Slot& { return ring.slot(number); }, visit,
        [](uint8_t) {}, [](uint64_t) { dump_file::count_lost_events(1); },
        [&] { return columns.has_room(Lane::long_text_max); });
    header.slot_count = static_cast<uint32_t>(end - ring.tail());
    if (!workspace.write_chunk(header)) return false;
    ring.release_until(end);
    return true;
}

}  // namespace

bool drain(Lane& lane) {
    if (lane.ring().used_slots() == 0) return true;
    const Borrowed workspace;
    if (!workspace) return false;
    while (lane.ring().used_slots() > 0) {
        if (!drain_chunk(lane, *workspace.operator->())) return false;
    }
    return true;
}

bool write_process_chunk(const Process& process) {
    const Borrowed workspace;
    if (!workspace) return false;
    ColumnWriter& columns = workspace->columns();
    columns.begin();
    columns.add(process);
    for_each_option(
        [](void* context, std::string_view key, std::string_view value) {
            static_cast<ColumnWriter*>(context)->add(Option{0, key, value});
        },
        &columns);
    columns.add(clock_record());
    FrameHeader header{};
    header.lane = lane_none;
    return workspace->write_chunk(header);
}

void forget_workspaces() {
    for (std::atomic<Workspace*>& place : Workspace::pile) place.store(nullptr);
}

}  // namespace memtrace::preload
