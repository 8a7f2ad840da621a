// SPDX-License-Identifier: Apache-2.0
//
// A list for millions of small values. It grows by pieces and never moves a value: std::vector
// needs twice the memory while it grows, and touches every page of it again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

template <class T>
class LongList {
public:
    LongList() = default;
    explicit LongList(size_t size, const T& value = T()) { resize(size, value); }
    LongList(const LongList& other) { *this = other; }
    LongList(LongList&& other) noexcept { swap(other); }
    LongList& operator=(const LongList& other) {
        if (this == &other) return *this;
        clear();
        while (size_ < other.size_) push_back(other[size_]);
        return *this;
    }
    LongList& operator=(LongList&& other) noexcept {
        LongList(std::move(other)).swap(*this);
        return *this;
    }
    ~LongList() = default;

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](size_t i) { return pieces_[i / piece_length][i % piece_length]; }
    const T& operator[](size_t i) const { return pieces_[i / piece_length][i % piece_length]; }
    const T& at(size_t i) const {
        if (i >= size_) throw std::out_of_range("LongList");
        return (*this)[i];
    }

    void push_back(const T& value) {
        if (size_ == pieces_.size() * piece_length) add_piece();
        (*this)[size_] = value;
        size_ += 1;
    }

    // Adds copies of `value` until there are at least `size` values.
    void grow_to(size_t size, const T& value = T()) {
        if (size > size_) resize(size, value);
    }

    // New values are copies of `value`.
    void resize(size_t size, const T& value = T()) {
        if (size < size_) pieces_.resize((size + piece_length - 1) / piece_length);
        while (pieces_.size() * piece_length < size) add_piece();
        while (size_ < size) {
            const size_t begin = size_ % piece_length;
            const size_t count = std::min(size - size_, piece_length - begin);
            std::fill_n(&pieces_[size_ / piece_length][begin], count, value);
            size_ += count;
        }
        size_ = size;
    }

    void clear() {
        pieces_.clear();
        size_ = 0;
    }

    void swap(LongList& other) noexcept {
        pieces_.swap(other.pieces_);
        std::swap(size_, other.size_);
    }

private:
    static constexpr size_t piece_length = std::bit_floor((size_t{1} << 16) / sizeof(T));

    void add_piece() { pieces_.push_back(std::make_unique_for_overwrite<T[]>(piece_length)); }

    std::vector<std::unique_ptr<T[]>> pieces_;
    size_t size_ = 0;
};

}  // namespace memtrace::analyzer
