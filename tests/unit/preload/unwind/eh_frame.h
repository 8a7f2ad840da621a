// SPDX-License-Identifier: Apache-2.0
//
// Writes CIEs and FDEs in memory, with an .eh_frame_hdr before them, as a linker would, for tests
// of their readers. The structure is well formed; tests supply unusual contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "preload/unwind/cfi.h"

namespace memtrace::tests {

using Bytes = std::vector<uint8_t>;

// The usual first instructions of compilers: CFA = rsp + 8, the return address at CFA - 8.
inline const Bytes usual_beginning = {0x0c, 7, 8, 0x90, 1};

struct CommonParts {
    uint8_t version = 1;
    std::string augmentation = "zR";
    Bytes augmentation_data = {0x1b};
    uint8_t return_column = preload::register_return;
};

struct EntryParts {
    uint64_t begin = 0;  // relative to Tables::code()
    uint64_t size = 0x10;
    uint8_t encoding = 0x1b;  // relative to its own place, four signed bytes
    Bytes instructions = {};
    Bytes augmentation_data = {};
    bool has_long_length = false;
};

class Tables {
public:
    // An address that entries may cover. There is no code, because nothing reads it.
    uint64_t code() const { return address_of(room); }

    size_t add_common(const CommonParts& parts) {
        const size_t place = begin_piece(false);
        put_number(0, 4);
        put({parts.version});
        put(Bytes(parts.augmentation.begin(), parts.augmentation.end()));
        put({0, 1, 0x78, parts.return_column});  // alignments 1 and -8
        if (parts.augmentation[0] == 'z') {
            put({static_cast<uint8_t>(parts.augmentation_data.size())});
            put(parts.augmentation_data);
        }
        put(usual_beginning);
        end_piece(place, false);
        has_sized_augmentation_ = parts.augmentation[0] == 'z';
        return place;
    }

    void add_entry(size_t common, const EntryParts& parts) {
        const size_t place = begin_piece(parts.has_long_length);
        entries_.push_back({parts.begin, place});
        const size_t id_place = end_;
        put_number(id_place - common, 4);
        put_pointer(code() + parts.begin, parts.encoding);
        put_pointer(parts.size, parts.encoding & 0x0f);
        if (has_sized_augmentation_) {
            put({static_cast<uint8_t>(parts.augmentation_data.size())});
            put(parts.augmentation_data);
        }
        put(parts.instructions);
        end_piece(place, parts.has_long_length);
    }

    // Writes the header. The encodings tell if it has a table to search. The zero that ends
    // .eh_frame follows the last piece.
    const uint8_t* header(uint8_t count_encoding = 0x03, uint8_t table_encoding = 0x3b) {
        bytes_[0] = 1;
        bytes_[1] = 0x1b;
        bytes_[2] = count_encoding;
        bytes_[3] = table_encoding;
        set_number(4, header_room - 4, 4);
        set_number(8, entries_.size(), 4);
        std::sort(entries_.begin(), entries_.end(),
                  [](const Place& a, const Place& b) { return a.code < b.code; });
        // With another table encoding, the places of this form stay empty.
        for (size_t i = 0; table_encoding == 0x3b && i < entries_.size(); ++i) {
            set_number(12 + 8 * i, room + entries_[i].code, 4);
            set_number(16 + 8 * i, entries_[i].entry, 4);
        }
        return bytes_.data();
    }

private:
    static constexpr size_t header_room = 64;
    static constexpr size_t room = 0x1000;
    struct Place {
        uint64_t code;
        size_t entry;
    };

    uint64_t address_of(size_t place) const {
        return reinterpret_cast<uint64_t>(bytes_.data()) + place;
    }
    void set_number(size_t place, uint64_t number, size_t size) {
        std::memcpy(&bytes_.at(place + size) - size, &number, size);
    }
    void put_number(uint64_t number, size_t size) {
        set_number(end_, number, size);
        end_ += size;
    }
    void put(const Bytes& content) {
        for (const uint8_t byte : content) bytes_.at(end_++) = byte;
    }
    void put_pointer(uint64_t value, uint8_t encoding) {
        if ((encoding & 0x70) == 0x10) value -= address_of(end_);
        switch (encoding & 0x0f) {
            case 0x01: return put_leb(value, false);
            case 0x09: return put_leb(value, true);
            case 0x02:
            case 0x0a: return put_number(value, 2);
            case 0x03:
            case 0x0b: return put_number(value, 4);
            default: return put_number(value, 8);
        }
    }
    void put_leb(uint64_t value, bool is_signed) {
        auto rest = static_cast<int64_t>(value);
        for (bool is_last = false; !is_last;) {
            const auto low = static_cast<uint8_t>(rest & 0x7f);
            rest = is_signed ? rest >> 7 : static_cast<int64_t>(static_cast<uint64_t>(rest) >> 7);
            is_last = is_signed ? rest == ((low & 0x40) != 0 ? -1 : 0) : rest == 0;
            put({static_cast<uint8_t>(is_last ? low : low | 0x80)});
        }
    }
    size_t begin_piece(bool has_long_length) {
        const size_t place = end_;
        end_ += has_long_length ? 12 : 4;
        return place;
    }
    void end_piece(size_t place, bool has_long_length) {
        while (end_ % 4 != 0) put({0});
        if (has_long_length) {
            set_number(place, 0xffffffff, 4);
            set_number(place + 4, end_ - place - 12, 8);
        } else {
            set_number(place, end_ - place - 4, 4);
        }
    }

    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(room);
    size_t end_ = header_room;
    std::vector<Place> entries_;
    bool has_sized_augmentation_ = true;
};

}  // namespace memtrace::tests
