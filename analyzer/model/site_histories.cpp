// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/site_histories.h"

#include "memtrace/dump/varint.h"

namespace memtrace::analyzer {
namespace {

void pack_number(std::vector<uint8_t>& bytes, uint64_t number) {
    uint8_t packed[varint_bytes_max];
    bytes.insert(bytes.end(), packed, write_varint(packed, number));
}

// The difference of two numbers, in either direction.
void pack_change(std::vector<uint8_t>& bytes, uint64_t before, uint64_t now) {
    pack_number(bytes, zigzag(static_cast<int64_t>(now - before)));
}

class Unpacker {
public:
    explicit Unpacker(const std::vector<uint8_t>& bytes, size_t at)
        : at_(bytes.data() + at), end_(bytes.data() + bytes.size()) {}

    uint64_t number() {
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

// Held points are packed as differences from the point before.
void SiteHistories::push_back(const SiteHistory& history) {
    if (size_ % group == 0) starts_.push_back(bytes_.size());
    ++size_;
    if (history.held.empty() && history.born.empty()) {
        bytes_.push_back(0);
        return;
    }
    const size_t begin = bytes_.size();
    pack_number(bytes_, history.held.size());
    HeldPoint before;
    for (const HeldPoint& point : history.held) {
        pack_number(bytes_, point.slice - before.slice);
        pack_change(bytes_, before.bytes, point.bytes);
        pack_change(bytes_, before.blocks, point.blocks);
        pack_change(bytes_, before.allocations, point.allocations);
        pack_change(bytes_, before.allocated_bytes, point.allocated_bytes);
        before = point;
    }
    uint32_t slice = 0;
    for (const BornPoint& point : history.born) {
        pack_number(bytes_, point.slice - slice);
        pack_number(bytes_, point.bytes);
        pack_number(bytes_, point.blocks);
        slice = point.slice;
    }
    // The length comes first, and is only known now.
    uint8_t length[varint_bytes_max];
    uint8_t* const end = write_varint(length, bytes_.size() - begin);
    bytes_.insert(bytes_.begin() + static_cast<ptrdiff_t>(begin), length, end);
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
