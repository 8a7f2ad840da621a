// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/dump_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "analyzer/reader/chunk_fault.h"
#include "analyzer/reader/section_count.h"
#include "analyzer/reader/section_walk.h"

namespace memtrace::analyzer {
namespace {

// Fewer bytes than this are not the beginning of a chunk but an error of the storage medium.
constexpr int64_t torn_bytes_min = 16;

struct Extent {
    uint64_t begin;
    uint64_t end;
};

struct Lane {
    const PastLane* past = nullptr;  // nullptr: nothing of it was compacted
    bool is_over() const { return past != nullptr && past->is_over != 0; }
    std::vector<ChunkRef> chunks;
    std::vector<ChunkRef> broken;  // the header is sound, the payload is not
    std::optional<RingView> ring;
};

class Indexer {
public:
    Indexer(DumpFile& file, Problems& problems, const Progress& progress)
        : file_(file),
          problems_(problems),
          progress_(progress),
          is_written_(file.is_being_written()) {}

    DumpIndex run() {
        find_newest_past();
        take_snapshots();
        file_.refresh();
        const uint64_t limit = find_limit();
        walk_sections(
            file_, limit, gone(),
            [&](uint64_t offset, const SectionHeader& header) { add_frame(offset, header, limit); },
            [&](uint64_t begin, uint64_t end) {
                walk_gap(file_, begin, end, [&](uint64_t from, uint64_t to) {
                    gaps_.push_back({from, to});
                });
            });
        check_frames_end();
        check_past();
        DumpIndex index;
        index.is_written = is_written_;
        for (const uint32_t number : lanes_in_order()) finish_lane(number, index);
        for (const Extent& extent : gaps_) judge_gap(extent);
        count_.check(file_, lanes_.size(), is_written_, problems_);
        index.past = std::move(past_);
        index.pasts = std::move(pasts_);
        if (progress_) progress_(file_.size(), file_.size());
        return index;
    }

private:
    // The dump of a running program may be compacted at any moment, so this is first.
    void find_newest_past() {
        file_.refresh();
        is_replaced_ = newest_past(file_) != 0;
        past_ = read_newest_past(file_, problems_);
        for (const PastGone& range : gone()) count_.add_gone(range.sections);
    }
    std::span<const PastGone> gone() const {
        return past_ ? std::span<const PastGone>(past_->gone) : std::span<const PastGone>();
    }

    std::vector<uint32_t> lanes_in_order() const {
        std::vector<uint32_t> order;
        if (past_) {
            for (const PastLane& lane : past_->lanes) order.push_back(lane.lane);
        }
        // lane_none is the largest number but comes first.
        const auto place = static_cast<std::ptrdiff_t>(order.size());
        for (const auto& [number, lane] : lanes_) {
            if (lane.past != nullptr || is_too_new(number, lane)) continue;
            order.insert(number == lane_none ? order.begin() + place : order.end(), number);
        }
        return order;
    }

    // Rings are copied first. Records that leave them later are in chunks that the walk will find
    // (ring_view.h).
    void take_snapshots() {
        const uint64_t end = file_.file_end_now();
        const uint64_t limit = end >= page_bytes && end <= file_.size() ? end : file_.size();
        walk_sections(
            file_, limit, gone(),
            [&](uint64_t offset, const SectionHeader& header) {
                if (header.kind != SectionKind::ring) return;
                if (!is_honest_ring(header)) return;  // add_frame() reports this ring.
                snapshots_.emplace(offset, RingView(file_, offset, header));
            },
            [](uint64_t, uint64_t) {});
    }

    // A lane that began after the snapshots has nothing of the moment that is read. Its chunks may
    // lie behind what the walk reads.
    bool is_too_new(uint32_t number, const Lane& lane) const {
        if (number == lane_none || !is_written_ || !has_rings()) return false;
        return !lane.ring || snapshots_.count(lane.ring->offset()) == 0;
    }

    // Returns the offset before which sections are searched for, normally file_end.
    uint64_t find_limit() {
        for (;;) {
            file_end_ = file_.file_end_now();
            if (file_end_ > file_.size()) file_.refresh();  // It has grown meanwhile.
            const uint64_t size = file_.size();
            if (file_end_ < page_bytes || file_end_ % section_alignment != 0) {
                problems_.damage("header",
                                 fmt::format("The file header says that the dump ends at "
                                             "byte {}, which cannot be.",
                                             file_end_),
                                 offsetof(FileHeader, file_end), sizeof(uint64_t));
                file_end_ = size;
                return size;
            }
            if (file_end_ > size) {
                problems_.damage("truncated",
                                 fmt::format("The file ends at byte {}; {} bytes are "
                                             "missing.",
                                             size, file_end_ - size),
                                 size, file_end_ - size);
                return size;
            }
            const uint64_t dirt = file_.first_nonzero(file_end_, size);
            if (dirt == size) return file_end_;
            if (file_.file_end_now() != file_end_) continue;  // The file is being written now.
            problems_.damage("room",
                             fmt::format("The dump ends at byte {}, but there is something "
                                         "after it.",
                                         file_end_),
                             dirt, size - dirt);
            return size;
        }
    }

    void check_frames_end() {
        if (sections_end_ <= file_end_ || sections_end_ > file_.size()) return;
        problems_.damage("header",
                         fmt::format("The file header says that the dump ends at byte {}, "
                                     "but frames go on until byte {}.",
                                     file_end_, sections_end_),
                         offsetof(FileHeader, file_end), sizeof(uint64_t));
    }

    void add_frame(uint64_t offset, const SectionHeader& header, uint64_t limit) {
        count_.add(header);
        const uint64_t end = payload_end(offset, header);
        sections_end_ = std::max(sections_end_, align_section(end));
        if (progress_) progress_(std::min(offset, file_.size()), file_.size());
        if (header.kind == SectionKind::ring) add_ring(offset, header);
        else if (header.kind == SectionKind::chunk) add_chunk(offset, header, limit);
        else if (header.kind == SectionKind::past) add_past(offset, header, limit);
        else {
            problems_.remark("format", fmt::format("Frames of kind {}, which is newer than this "
                                                   "program, were skipped.",
                                                   static_cast<int>(header.kind)));
        }
        const uint64_t padding_end = std::min(align_section(end), file_.size());
        if (end >= padding_end) return;
        const uint64_t dirt = file_.first_nonzero(end, padding_end);
        if (dirt == padding_end) return;
        problems_.damage("padding",
                         fmt::format("The padding of the frame at byte {} is not zero.", offset),
                         dirt, padding_end - dirt);
    }

    void add_ring(uint64_t offset, const SectionHeader& header) {
        if (!is_honest_ring(header)) {
            problems_.damage(
                "ring", fmt::format("The ring of lane {} has an impossible size.", header.lane),
                offset, section_alignment);
            return;
        }
        Lane& lane = lanes_[header.lane];
        if (lane.ring) {
            problems_.damage("ring", fmt::format("Lane {} has a second ring.", header.lane), offset,
                             section_alignment + header.stored_bytes);
            return;
        }
        const auto found = snapshots_.find(offset);
        lane.ring.emplace(found != snapshots_.end() ? found->second
                                                    : RingView(file_, offset, header));
    }

    void add_past(uint64_t offset, const SectionHeader& header, uint64_t limit) {
        // Those of a running program replace each other, and one may be unfinished.
        pasts_.push_back({offset, header});
        const bool is_at_rest = (file_.header().features & feature_compacted) != 0;
        if (is_replaced_ || (!is_at_rest && offset != page_bytes)) return;
        Past past;
        const char* const fault =
            past_ ? "there is a second one" : read_past(file_, offset, header, limit, past);
        if (fault == nullptr) past_ = std::move(past);
        else
            problems_.damage("past",
                             fmt::format("What the dump was compacted to is damaged: {}.", fault),
                             offset, section_alignment + header.stored_bytes);
    }

    // Some lanes may have nothing but what was compacted.
    void check_past() {
        if (past_) {
            for (const PastLane& lane : past_->lanes) lanes_[lane.lane].past = &lane;
        } else if ((file_.header().features & feature_compacted) != 0) {
            problems_.damage("past", "What the dump was compacted to is lost.");
        }
    }

    void add_chunk(uint64_t offset, const SectionHeader& header, uint64_t limit) {
        const char* const fault = fault_of_chunk(file_, offset, header, limit);
        Lane& lane = lanes_[header.lane];
        if (fault == nullptr) {
            lane.chunks.push_back({offset, header});
            return;
        }
        lane.broken.push_back({offset, header});
        broken_fault_[offset] = fault;
    }

    // Puts the lane's chunks in order, finds its gaps and decides which slots of its ring to read.
    void finish_lane(uint32_t number, DumpIndex& index) {
        Lane& lane = lanes_[number];
        LaneSections result;
        result.lane = number;
        if (lane.past != nullptr) result.set_past(*lane.past);
        if (number == lane_none) {
            report_doubled(lane);
            result.chunks = std::move(lane.chunks);
            report_broken(number, lane);
            index.lanes.push_back(std::move(result));
            return;
        }
        std::stable_sort(lane.chunks.begin(), lane.chunks.end(),
                         [](const ChunkRef& a, const ChunkRef& b) {
                             return a.header.first_slot < b.header.first_slot;
                         });
        uint64_t next = result.first_slot;
        std::vector<Extent> gaps;  // in slots
        std::vector<uint64_t> starts;
        for (const ChunkRef& chunk : lane.chunks) {
            const SectionHeader& header = chunk.header;
            if (header.first_slot < next ||
                header.first_slot + header.slot_count < header.first_slot) {
                problems_.damage("chunk",
                                 fmt::format("Lane {} has a chunk whose slots {} to {} are "
                                             "in another chunk, too; it is ignored.",
                                             number, header.first_slot,
                                             header.first_slot + header.slot_count - 1),
                                 chunk.offset, section_alignment + header.stored_bytes);
                continue;
            }
            gaps.push_back({next, header.first_slot});
            next = header.first_slot + header.slot_count;
            starts.push_back(header.first_slot);
            result.chunks.push_back(chunk);
        }
        if (lane.ring) {
            if (is_written_) lane.ring->settle(file_, next);
            else lane.ring->judge(file_, starts, next, problems_);
            gaps.push_back({next, lane.ring->begin()});
            if (lane.ring->head() > lane.ring->begin()) undrained_ = true;
        } else if ((!is_ended() || has_rings()) && !lane.is_over()) {
            problems_.damage("no ring",
                             fmt::format("Lane {} has no ring in the file: its events after "
                                         "slot {} are lost, if there were any.",
                                         number, next));
        }
        report_broken(number, lane);
        for (const Extent& gap : gaps) report_gap(number, gap.begin, gap.end);
        result.ring = std::move(lane.ring);
        index.lanes.push_back(std::move(result));
    }

    // True if every lane has a ring in the file. Dumps of before version 3 do not say so.
    bool has_rings() const {
        const FileHeader& header = file_.header();
        return header.version >= version_of_ring_sums &&
               (header.features & feature_private_rings) == 0;
    }

    // Chunks about the process have no slots, by which a second copy would be told.
    void report_doubled(const Lane& lane) {
        std::set<std::pair<uint32_t, uint32_t>> seen;
        for (const ChunkRef& chunk : lane.chunks) {
            const SectionHeader& header = chunk.header;
            if (seen.emplace(header.payload_checksum, header.stored_bytes).second) continue;
            problems_.damage(
                "chunk",
                fmt::format("The chunk of the process at byte {} is there twice.", chunk.offset),
                chunk.offset, section_alignment + header.stored_bytes);
        }
    }

    bool is_ended() const {
        return file_.header().state.value() == static_cast<uint32_t>(State::ended);
    }

    void report_gap(uint32_t lane, uint64_t from, uint64_t to) {
        if (to <= from) return;
        problems_.damage(
            "gap", fmt::format("Lane {} lacks slots {} to {}: up to {} events are lost.", lane,
                               from, to - 1, to - from));
        problems_.lose_events(to - from);
    }

    void report_broken(uint32_t number, const Lane& lane) {
        for (const ChunkRef& chunk : lane.broken) {
            const SectionHeader& header = chunk.header;
            const uint64_t bytes = align_section(section_alignment + header.stored_bytes);
            const bool in_ring = lane.ring && lane.ring->begin() <= header.first_slot &&
                                 header.first_slot + header.slot_count <= lane.ring->head();
            if (in_ring) {
                report_unfinished(chunk.offset);
                continue;
            }
            problems_.damage(
                "chunk",
                fmt::format("A chunk of lane {} with {} records is damaged: {}.", lane_name(number),
                            header.record_count, broken_fault_[chunk.offset]),
                chunk.offset, std::min(bytes, file_.size() - chunk.offset));
        }
    }

    void report_unfinished(uint64_t offset) {
        problems_.remark(
            "unfinished",
            fmt::format("The chunk at byte {} was being written when the "
                        "process died or the dump was read; its events were read from the ring.",
                        offset));
    }

    static std::string lane_name(uint32_t lane) {
        return lane == lane_none ? "the process" : std::to_string(lane);
    }

    void judge_gap(Extent extent) {
        extent.end = std::min(extent.end, file_end_);  // find_limit() has judged the rest.
        if (extent.begin >= extent.end) return;
        // It is a chunk that is being written. Its records were in a ring when that was copied, or
        // came later.
        if (is_written_) return;
        const uint64_t first = file_.first_nonzero(extent.begin, extent.end);
        if (first == extent.end) return;
        const uint8_t* data = file_.data();
        uint64_t last = extent.end - 1;
        while (data[last] == 0) --last;
        const auto written =
            std::count_if(data + first, data + last + 1, [](uint8_t byte) { return byte != 0; });
        const uint64_t begin = first & ~uint64_t{section_alignment - 1};
        const bool torn = undrained_ && written >= torn_bytes_min &&
                          first - extent.begin >= section_alignment &&
                          !has_header_like(file_, begin, last + 1);
        if (torn) {
            return report_unfinished(begin - section_alignment);
        }
        problems_.damage("chunk",
                         fmt::format("Bytes {} to {} belong to no readable frame.", first, last),
                         first, last + 1 - first);
    }

    DumpFile& file_;
    Problems& problems_;
    const Progress& progress_;
    const bool is_written_;     // The program still runs.
    bool is_replaced_ = false;  // The dump of a running program was compacted.
    uint64_t file_end_ = 0;
    uint64_t sections_end_ = page_bytes;
    SectionCount count_;
    bool undrained_ = false;  // True if some ring holds events that are in no chunk.
    std::map<uint64_t, RingView> snapshots_;  // by offset
    std::optional<Past> past_;
    std::vector<ChunkRef> pasts_;
    std::map<uint32_t, Lane> lanes_;
    std::map<uint64_t, const char*> broken_fault_;
    std::vector<Extent> gaps_;
};

}  // namespace

DumpIndex index_dump(DumpFile& file, Problems& problems, const Progress& progress) {
    return Indexer(file, problems, progress).run();
}

}  // namespace memtrace::analyzer
