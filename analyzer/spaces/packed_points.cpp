// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/packed_points.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "memtrace/dump/varint.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t numbers_of_point = 6;
constexpr size_t point_bytes_max = numbers_of_point * varint_bytes_max;

uint8_t* write_change(uint8_t* out, uint64_t before, uint64_t now) {
    return write_varint(out, zigzag(static_cast<int64_t>(now - before)));
}

// Most figures change by little or not at all between two points, so this is asked first.
const uint8_t* read_number(const uint8_t* in, const uint8_t* end, uint64_t& value) {
    if (in == end || *in >= 0x80) return read_varint(in, end, value);
    value = *in;
    return in + 1;
}

const uint8_t* read_change(const uint8_t* in, const uint8_t* end, uint64_t& value) {
    uint64_t change = 0;
    in = read_number(in, end, change);
    value += static_cast<uint64_t>(unzigzag(change));
    return in;
}

uint64_t place_of(const CutPoint& point) { return uint64_t{point.site} << 32 | point.cut; }

// Returns the points' indices in the order of site and cut. Points mostly come in the order of
// cuts, so counting how many each site has puts them into their places. Sites are many fewer than
// points, except in a short list.
std::vector<uint32_t> in_order(const std::vector<CutPoint>& points) {
    std::vector<uint32_t> order(points.size());
    uint32_t sites = 0;
    for (const CutPoint& point : points) sites = std::max(sites, point.site + 1);
    const auto is_before = [&](uint32_t a, uint32_t b) {
        return place_of(points[a]) < place_of(points[b]);
    };
    if (sites > 4 * points.size()) {
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), is_before);
        return order;
    }
    std::vector<uint32_t> ends(sites + 1);  // where the next point of the site before goes
    for (const CutPoint& point : points) ends[point.site + 1] += 1;
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (uint32_t i = 0; i < points.size(); ++i) order[ends[points[i].site]++] = i;
    auto first = order.begin();
    for (uint32_t site = 0; site < sites; ++site) {
        const auto end = order.begin() + ends[site];
        if (!std::is_sorted(first, end, is_before)) std::sort(first, end, is_before);
        first = end;
    }
    return order;
}

}  // namespace

// Each point is packed as its difference from the point before, if that is of the same site.
void PackedStream::write(const CutPoint& point) {
    if (chunks_.empty() || chunks_.back().used + point_bytes_max > chunk_bytes) {
        chunks_.push_back({std::vector<uint8_t>(chunk_bytes), 0});
    }
    Chunk& chunk = chunks_.back();
    uint8_t* out = chunk.bytes.data() + chunk.used;
    out = write_varint(out, point.site - written_.site);
    if (point.site != written_.site) written_ = {};
    out = write_change(out, written_.cut, point.cut);
    out = write_change(out, written_.bytes, point.bytes);
    out = write_change(out, written_.blocks, point.blocks);
    out = write_change(out, written_.allocations, point.allocations);
    out = write_change(out, written_.allocated_bytes, point.allocated_bytes);
    chunk.used = static_cast<size_t>(out - chunk.bytes.data());
    written_ = point;
    count_ += 1;
}

bool PackedStream::read(CutPoint& point) {
    if (!chunks_.empty() && read_at_ == chunks_.front().used) {
        chunks_.pop_front();
        read_at_ = 0;
    }
    if (chunks_.empty()) return false;
    const Chunk& chunk = chunks_.front();
    const uint8_t* in = chunk.bytes.data() + read_at_;
    const uint8_t* const end = chunk.bytes.data() + chunk.used;
    uint64_t site = 0;
    in = read_number(in, end, site);
    if (site != 0) read_ = {read_.site + static_cast<uint32_t>(site), 0, 0, 0, 0, 0};
    uint64_t cut = read_.cut;
    in = read_change(in, end, cut);
    read_.cut = static_cast<uint32_t>(cut);
    in = read_change(in, end, read_.bytes);
    in = read_change(in, end, read_.blocks);
    in = read_change(in, end, read_.allocations);
    in = read_change(in, end, read_.allocated_bytes);
    read_at_ = static_cast<size_t>(in - chunk.bytes.data());
    point = read_;
    return true;
}

bool PackedStream::has_whole_points() const {
    size_t begin = read_at_;
    for (const Chunk& chunk : chunks_) {
        const uint8_t* in = chunk.bytes.data() + std::exchange(begin, 0);
        const uint8_t* const end = chunk.bytes.data() + chunk.used;
        while (in != end) {
            uint64_t value = 0;
            for (size_t i = 0; i < numbers_of_point && in != nullptr; ++i)
                in = read_number(in, end, value);
            if (in == nullptr) return false;
        }
    }
    return true;
}

void PackedPoints::pack(const HistoryCuts& cuts) {
    PackedStream old = std::exchange(packed_, {});
    // There are far fewer cuts than points, except in a short list.
    std::vector<uint32_t> resolved;
    if (cuts.made() <= old.size() + waiting_.size()) {
        for (uint32_t cut = 0; cut < cuts.made(); ++cut) resolved.push_back(cuts.resolve(cut));
    }
    std::optional<CutPoint> last;
    const auto put = [&](CutPoint point) {
        point.cut = point.cut < resolved.size() ? resolved[point.cut] : cuts.resolve(point.cut);
        if (!last || last->site != point.site || last->cut != point.cut) {
            if (last) packed_.write(*last);
        } else if (merge_ == Merge::sum) {
            point.bytes += last->bytes;
            point.blocks += last->blocks;
            point.allocations += last->allocations;
            point.allocated_bytes += last->allocated_bytes;
        }
        last = point;
    };
    CutPoint point;
    bool is_left = old.read(point);
    for (const uint32_t i : in_order(waiting_)) {
        const CutPoint& waiting = waiting_[i];
        for (; is_left && place_of(point) <= place_of(waiting); is_left = old.read(point))
            put(point);
        put(waiting);
    }
    for (; is_left; is_left = old.read(point)) put(point);
    if (last) packed_.write(*last);
    waiting_ = {};
}

}  // namespace memtrace::analyzer
