// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/chunk_writer.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "memtrace/dump/slots.h"
#include "preload/base/clock.h"
#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/base/sys.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

constexpr int compression_level = 1;
// The compressor's table: 8 KiB. The compression level would take eight times as much, which
// makes chunks hardly smaller and pushes that much more of the program's data out of its caches.
constexpr int compression_table_log = 11;
constexpr size_t records_max = 24 * 1024;
constexpr size_t pool_size = ColumnWriter::pool_bytes(records_max) + 4 * long_text_max;
constexpr size_t payload_max = pool_size + column_count * 2 * varint_bytes_max;

class Workspace {
public:
    // Returns a workspace from the pile or a new one; nullptr if there is no memory.
    static Workspace* take();
    void put_back();

    ColumnWriter& columns() { return columns_; }
    uint8_t* row() { return row_; }

    // Compresses what columns() holds and appends it to the file as a chunk with this header.
    bool write_chunk(SectionHeader header);

    static std::atomic<Workspace*> pile[16];

private:
    Workspace() : columns_(pool_, sizeof pool_, records_max, tables_) {}
    bool make_compressor();

    PredictorTables tables_;
    ColumnWriter columns_;
    ZSTD_CCtx* compressor_ = nullptr;
    uint8_t row_[record_slots_max * slot_payload_bytes];
    alignas(16) uint8_t pool_[pool_size];
    uint8_t payload_[payload_max];
    uint8_t packed_[ZSTD_COMPRESSBOUND(payload_max)];
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
    // More threads drained at once than the pile has places, so this workspace is unmapped.
    const ZSTD_CCtx* compressor = compressor_;
    sys::unmap(const_cast<ZSTD_CCtx*>(compressor), ZSTD_estimateCCtxSize(compression_level));
    sys::unmap(this, sizeof(Workspace));
}

bool Workspace::make_compressor() {
    // A static context: zstd uses our memory and never calls malloc.
    const size_t bytes = ZSTD_estimateCCtxSize(compression_level);
    void* memory = sys::map_private(bytes);
    if (memory == nullptr) return false;
    compressor_ = ZSTD_initStaticCCtx(memory, bytes);
    if (compressor_ == nullptr) return false;
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_compressionLevel, compression_level);
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_hashLog, compression_table_log);
    return true;
}

bool Workspace::write_chunk(SectionHeader header) {
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

// Nearly all slots are acquisitions or releases. Adds those from `number` on and returns the
// number of the first slot that is something else. Everything that changes with each slot is in
// local copies (see event_columns.h).
[[gnu::hot, gnu::noinline]] uint64_t add_events(const Ring& lane_ring, uint64_t number,
                                                uint64_t end, EventColumns& lane_columns) {
    const Ring ring = lane_ring;
    EventColumns columns = lane_columns;
    for (; number != end; ++number) {
        const Slot& slot = ring.slot(number);
        if (!is_event(slot) || !slot_is_sound(slot, number)) [[unlikely]]
            break;
        if (slot_tag(slot) == Acquire::tag) {
            Acquire record;
            unpack_slot(slot, record);
            columns.add(record);
        } else {
            Release record;
            unpack_slot(slot, record);
            columns.add(record);
        }
    }
    lane_columns = columns;
    return number;
}

// Adds the record at `number` and all that follow, up to the next acquisition or release.
uint64_t add_others(const Ring& ring, uint64_t number, uint64_t& time, Workspace& workspace) {
    ColumnWriter& columns = workspace.columns();
    const uint64_t first = number;
    return read_slots(
        number, ring.head(), workspace.row(), time,
        [&](uint64_t at) -> const Slot& { return ring.slot(at); },
        [&](const auto& record) { columns.add(record); }, [](uint8_t) {},
        [](uint64_t) { dump_file::count_lost_events(1); },
        [&](uint64_t at) {
            return columns.has_room(long_text_max) && (at == first || !is_event(ring.slot(at)));
        });
}

// Writes one chunk with as much of [tail, head) as fits.
bool drain_chunk(Ring& ring, uint32_t lane_number, uint64_t& drained_time, Workspace& workspace) {
    ColumnWriter& columns = workspace.columns();
    EventColumns& events = columns.events();
    columns.begin();
    const uint64_t end = ring.head();
    uint64_t number = ring.tail();
    while (number < end && columns.has_room(long_text_max)) {
        const uint64_t count = std::min<uint64_t>(end - number, columns.records_left());
        const uint64_t other = add_events(ring, number, number + count, events);
        if (other != number) drained_time = events.last_time();
        number = add_others(ring, other, drained_time, workspace);
    }
    SectionHeader header{};
    header.lane = lane_number;
    header.first_slot = ring.tail();
    header.slot_count = static_cast<uint32_t>(number - ring.tail());
    header.first_time = events.first_time();
    header.last_time = events.last_time();
    if (!workspace.write_chunk(header)) return false;
    ring.release_until(number);
    return true;
}

Note private_rings_note() {
    static FixedText<600> text;
    text.clear();
    text << "The newest events lay in memory of the process, because "
         << dump_file::why_not_mapped() << ". A kill would lose up to " << options.ring
         << " slots of each thread; a program that ends by itself loses none.";
    Note note;
    note.subject = "rings";
    note.text = text.view();
    return note;
}

}  // namespace

bool drain(Ring& ring, uint32_t lane_number, uint64_t& drained_time) {
    if (ring.used_slots() == 0) return true;
    const Borrowed workspace;
    if (!workspace) return false;
    while (ring.used_slots() > 0) {
        if (!drain_chunk(ring, lane_number, drained_time, *workspace.operator->())) return false;
    }
    return true;
}

bool write_process_chunk(const Process& process, SwitchState state) {
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
    if (options.sample != 0) columns.add(HeapSample{0, options.sample});
    if (state == SwitchState::off) columns.add(RecordingSwitch{0, state});
    if (!dump_file::is_mapped()) columns.add(private_rings_note());
    SectionHeader header{};
    header.lane = lane_none;
    return workspace->write_chunk(header);
}

void forget_workspaces() {
    for (std::atomic<Workspace*>& place : Workspace::pile) place.store(nullptr);
}

}  // namespace memtrace::preload
