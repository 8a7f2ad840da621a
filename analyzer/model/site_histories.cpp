// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/site_histories.h"

#include "memtrace/dump/varint.h"

namespace memtrace::analyzer {
namespace {

// The difference of two numbers, in either direction.
uint8_t* write_change(uint8_t* out, uint64_t before, uint64_t now) {
    return write_varint(out, zigzag(static_cast<int64_t>(now - before)));
}

// Held points are packed as differences from the point before.
uint8_t* write_history(uint8_t* out, const SiteHistory& history) {
    out = write_varint(out, history.held.size());
    HeldPoint before;
    for (const HeldPoint& point : history.held) {
        out = write_varint(out, point.slice - before.slice);
        out = write_change(out, before.bytes, point.bytes);
        out = write_change(out, before.blocks, point.blocks);
        out = write_change(out, before.allocations, point.allocations);
        out = write_change(out, before.allocated_bytes, point.allocated_bytes);
        before = point;
    }
    uint32_t slice = 0;
    for (const BornPoint& point : history.born) {
        out = write_varint(out, point.slice - slice);
        out = write_varint(out, point.bytes);
        out = write_varint(out, point.blocks);
        slice = point.slice;
    }
    return out;
}

class Unpacker {
public:
    explicit Unpacker(const std::vector<uint8_t>& bytes, size_t at)
        : at_(bytes.data() + at), end_(bytes.data() + bytes.size()) {}

    uint64_t number() {
        if (*at_ < 0x80) return *at_++;  // Most numbers are differences, and small.
        uint64_t number = 0;
        at_ = read_varint(at_, end_, number);
        return number;
    }
    uint64_t change(uint64_t before) { return before + static_cast<uint64_t>(unzigzag(number())); }
    void skip(uint64_t length) { at_ += length; }
    // Makes `length` bytes from here on the end.
    void end_after(uint64_t length) { end_ = at_ + length; }
    bool is_at_end() const { return at_ == end_; }

private:
    const uint8_t* at_;
    const uint8_t* end_;
};

}  // namespace

void SiteHistories::push_back(const SiteHistory& history) {
    if (size_ % group == 0) starts_.push_back(bytes_.size());
    ++size_;
    if (history.held.empty() && history.born.empty()) {
        bytes_.push_back(0);
        return;
    }
    const size_t numbers = 1 + 5 * history.held.size() + 3 * history.born.size();
    uint8_t of_few[64 * varint_bytes_max];
    std::vector<uint8_t> of_many;
    if (numbers * varint_bytes_max > sizeof of_few) of_many.resize(numbers * varint_bytes_max);
    uint8_t* const begin = of_many.empty() ? of_few : of_many.data();
    uint8_t* const end = write_history(begin, history);
    uint8_t length[varint_bytes_max];
    bytes_.insert(bytes_.end(), length, write_varint(length, static_cast<uint64_t>(end - begin)));
    bytes_.insert(bytes_.end(), begin, end);
}

SiteHistory SiteHistories::operator[](size_t site) const {
    Unpacker packed(bytes_, starts_[site / group]);
    uint64_t length = packed.number();
    for (size_t i = site % group; i > 0; --i) {
        packed.skip(length);
        length = packed.number();
    }
    SiteHistory history;
    if (length == 0) return history;
    packed.end_after(length);
    history.held.resize(packed.number());
    HeldPoint before;
    for (HeldPoint& point : history.held) {
        point.slice = before.slice + static_cast<uint32_t>(packed.number());
        point.bytes = packed.change(before.bytes);
        point.blocks = packed.change(before.blocks);
        point.allocations = packed.change(before.allocations);
        point.allocated_bytes = packed.change(before.allocated_bytes);
        before = point;
    }
    for (uint32_t slice = 0; !packed.is_at_end();) {
        BornPoint& point = history.born.emplace_back();
        slice += static_cast<uint32_t>(packed.number());
        point.slice = slice;
        point.bytes = packed.number();
        point.blocks = packed.number();
    }
    return history;
}

}  // namespace memtrace::analyzer
