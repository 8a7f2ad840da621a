// SPDX-License-Identifier: Apache-2.0
//
// Text in a fixed buffer, which the shim uses instead of strings. Text that does not fit is cut.
// Nothing allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace memtrace::preload {

template <size_t capacity>
class FixedText {
public:
    FixedText() = default;
    explicit FixedText(std::string_view text) { *this << text; }

    FixedText& operator<<(std::string_view text) {
        const size_t room = capacity - 1 - size_;
        const size_t part = text.size() < room ? text.size() : room;
        if (part < text.size()) cut_ = true;
        std::memcpy(bytes_ + size_, text.data(), part);
        size_ += part;
        bytes_[size_] = 0;
        return *this;
    }
    FixedText& operator<<(char c) { return *this << std::string_view(&c, 1); }
    FixedText& operator<<(const char* text) { return *this << std::string_view(text); }
    FixedText& operator<<(uint64_t number) {
        char digits[20];
        size_t at = sizeof digits;
        do {
            digits[--at] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        return *this << std::string_view(digits + at, sizeof digits - at);
    }
    FixedText& operator<<(int number) {
        if (number < 0) *this << '-';
        return *this << static_cast<uint64_t>(number < 0 ? -static_cast<int64_t>(number) : number);
    }

    // Lets fill(room, size) append text. `fill` returns the length, or less than 1 for none.
    template <class Fill>
    FixedText& append_from(Fill&& fill) {
        const long length = fill(bytes_ + size_, capacity - 1 - size_);
        if (length > 0) size_ += static_cast<size_t>(length);
        bytes_[size_] = 0;
        return *this;
    }

    void clear() {
        size_ = 0;
        cut_ = false;
        bytes_[0] = 0;
    }
    const char* c_str() const { return bytes_; }
    std::string_view view() const { return {bytes_, size_}; }
    size_t size() const { return size_; }
    bool was_cut() const { return cut_; }

private:
    size_t size_ = 0;
    bool cut_ = false;
    char bytes_[capacity] = {};
};

using Path = FixedText<4096>;
using Line = FixedText<1024>;

// Reads a decimal number. Returns false if the text is not a number or the number is too large.
inline bool parse_number(std::string_view text, uint64_t& value) {
    if (text.empty() || text.size() > 18) return false;
    uint64_t result = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return false;
        result = result * 10 + static_cast<uint64_t>(c - '0');
    }
    value = result;
    return true;
}

// Reads a number of bytes, which may end with K, M or G for powers of 1024 (512K). Returns false if
// the text is none, or the number is too large.
inline bool parse_size(std::string_view text, uint64_t& value) {
    constexpr std::string_view suffixes = "KMG";
    const size_t suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
    const bool has_suffix = suffix != std::string_view::npos;
    if (has_suffix) text.remove_suffix(1);
    uint64_t number = 0;
    const unsigned bits = has_suffix ? 10 * (static_cast<unsigned>(suffix) + 1) : 0;
    if (!parse_number(text, number) || number > UINT64_MAX >> bits) return false;
    value = number << bits;
    return true;
}

}  // namespace memtrace::preload
