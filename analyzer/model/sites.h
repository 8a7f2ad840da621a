// SPDX-License-Identifier: Apache-2.0
//
// The call sites of a space, with their totals.
//
// A run of PyTorch has nearly a million sites, and most of them acquire a few small blocks. So a
// site is a row of 16-bit figures. A site whose figures need more room has them in a list of 32-bit
// figures, and then in one of 64-bit figures, and its row says where:
//
//   rows      stack 7: 3 allocations, 96 bytes, …   stack 9: wide[0]   stack 12: medium[0]
//
// Sites are read and written as a whole, by value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "analyzer/base/long_list.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// Counts of one site or of one space. A resize counts as one free and one allocation.
struct Totals {
    uint64_t allocations = 0;
    uint64_t frees = 0;
    uint64_t allocated_bytes = 0;
    uint64_t live_blocks = 0;  // alive at the end; reported as leaked
    uint64_t live_bytes = 0;
    uint64_t at_peak_blocks = 0;  // alive when the space was at its peak
    uint64_t at_peak_bytes = 0;
    uint64_t own_peak_bytes = 0;  // the most that the site ever held; for a space: its peak
    uint64_t temporary = 0;       // allocations freed by their thread before its next one
    uint64_t held_blocks = 0;     // alive when the work ended (ProcessInfo::work_end_ns)
    uint64_t held_bytes = 0;
    uint64_t half_bytes = 0;  // alive in the middle of the recording (ProcessInfo::half_ns)
    // Alive at the end, of the kinds that LostKind explains.
    uint64_t lost_blocks = 0;
    uint64_t lost_bytes = 0;
    uint64_t indirectly_lost_blocks = 0;
    uint64_t indirectly_lost_bytes = 0;
    uint64_t possibly_lost_blocks = 0;
    uint64_t possibly_lost_bytes = 0;
    uint64_t garbage_blocks = 0;  // at the moment of the search, alive at the end or not
    uint64_t garbage_bytes = 0;

    bool operator==(const Totals&) const = default;
};

// Counts a block that is lost, or garbage.
void add_lost(Totals& totals, LostKind kind, uint64_t bytes);

struct Site {
    uint32_t stack = no_stack;
    Totals totals;
    uint32_t backward = 0;  // index into StackTree::backwards of the backward node in the stack
};

class Sites {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Site;
        using difference_type = std::ptrdiff_t;
        using pointer = const Site*;
        using reference = Site;

        Iterator() = default;
        Iterator(const Sites* sites, size_t at) : sites_(sites), at_(at) {}
        Site operator*() const { return (*sites_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return {sites_, at_++}; }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        const Sites* sites_ = nullptr;
        size_t at_ = 0;
    };

    Sites() = default;
    Sites(std::initializer_list<Site> sites) {
        for (const Site& site : sites) push_back(site);
    }

    size_t size() const { return rows_.size(); }
    bool empty() const { return rows_.empty(); }
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, rows_.size()}; }

    Site operator[](size_t i) const { return {rows_[i].stack, totals(i), rows_[i].backward()}; }
    Site at(size_t i) const { return i < rows_.size() ? (*this)[i] : (rows_.at(i), Site{}); }
    uint32_t stack(size_t i) const { return rows_[i].stack; }
    uint32_t backward(size_t i) const { return rows_[i].backward(); }
    uint64_t allocations(size_t i) const {
        const Row& row = rows_[i];
        return row.width() == Width::small    ? row.figures.allocations
               : row.width() == Width::medium ? medium_[row.place()].allocations
                                              : wide_[row.place()].allocations;
    }
    Totals totals(size_t i) const {
        const Row& row = rows_[i];
        return row.width() == Width::small    ? converted<Totals>(row.figures)
               : row.width() == Width::medium ? converted<Totals>(medium_[row.place()])
                                              : wide_[row.place()];
    }

    // Adds a site that has acquired nothing yet.
    void push_back(uint32_t stack, uint32_t backward) {
        Row row;
        row.stack = stack;
        row.set_backward(backward);
        rows_.push_back(row);
    }
    void push_back(const Site& site);
    void set(size_t i, const Site& site) {
        rows_[i].stack = site.stack;
        rows_[i].set_backward(site.backward);
        set_totals(i, site.totals);
    }
    void set_totals(size_t i, const Totals& totals);
    void set_stack(size_t i, uint32_t stack) { rows_[i].stack = stack; }
    void set_backward(size_t i, uint32_t backward) { rows_[i].set_backward(backward); }

    // Removes the sites for which is_gone(site) returns true. The others keep their order.
    template <class IsGone>
    void erase_if(IsGone&& is_gone) {
        size_t kept = 0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (!is_gone((*this)[i])) rows_[kept++] = rows_[i];
        }
        rows_.resize(kept);
    }

    // ---- changes by one event ----

    // Prefetches a site that will change soon.
    [[gnu::always_inline]] void soon(size_t i) const {
        const auto* row = reinterpret_cast<const char*>(&rows_[i]);
        __builtin_prefetch(row, 1);
        __builtin_prefetch(row + sizeof(Row) - 1, 1);
    }

    void acquire(size_t i, uint64_t bytes, uint64_t blocks) {
        change(i, bytes, blocks, [=](auto& figures) {
            add(figures.allocations, blocks);
            add(figures.allocated_bytes, bytes);
            add(figures.live_blocks, blocks);
            add(figures.live_bytes, bytes);
            raise_peak(figures);
        });
    }
    // A block became larger. `taken` of the bytes count as allocated.
    void grow(size_t i, uint64_t bytes, uint64_t taken) {
        change(i, bytes, 0, [=](auto& figures) {
            add(figures.allocated_bytes, taken);
            add(figures.live_bytes, bytes);
            raise_peak(figures);
        });
    }
    void release(size_t i, uint64_t bytes, bool temporary, uint64_t blocks) {
        change(i, 0, blocks, [=](auto& figures) {
            add(figures.frees, blocks);
            subtract(figures.live_blocks, blocks);
            subtract(figures.live_bytes, bytes);
            add(figures.temporary, temporary);
        });
    }
    // A block became smaller.
    void shrink(size_t i, uint64_t bytes) {
        change(i, 0, 0, [=](auto& figures) { subtract(figures.live_bytes, bytes); });
    }
    // The current figures are those at the peak of the space, at the end of the work, or in the
    // middle of the recording.
    void keep(size_t i, bool at_peak, bool at_work_end, bool at_half) {
        change(i, 0, 0, [=](auto& figures) {
            if (at_peak) {
                figures.at_peak_blocks = figures.live_blocks;
                figures.at_peak_bytes = figures.live_bytes;
            }
            if (at_work_end) {
                figures.held_blocks = figures.live_blocks;
                figures.held_bytes = figures.live_bytes;
            }
            if (at_half) figures.half_bytes = figures.live_bytes;
        });
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.rows_, self.medium_, self.wide_);
        each.check([&] { return self.is_sound(); }, "a call site in it has no figures");
    }

private:
    // The figures of Totals, in its order, without those of lost blocks: few sites have any, and
    // these are wide.
    template <class Figure>
    struct Figures {
        static constexpr uint64_t max = static_cast<Figure>(-1);

        Figure allocations = 0;
        Figure frees = 0;
        Figure allocated_bytes = 0;
        Figure live_blocks = 0;
        Figure live_bytes = 0;
        Figure at_peak_blocks = 0;
        Figure at_peak_bytes = 0;
        Figure own_peak_bytes = 0;
        Figure temporary = 0;
        Figure held_blocks = 0;
        Figure held_bytes = 0;
        Figure half_bytes = 0;

        // No figure can overflow if none of the largest does.
        bool has_room(uint64_t bytes, uint64_t blocks) const {
            return (bytes | blocks | (allocated_bytes + bytes) | (live_bytes + bytes) |
                    (allocations + blocks) | (frees + blocks)) <= max;
        }
    };
    using Small = Figures<uint16_t>;
    using Medium = Figures<uint32_t>;

    enum class Width : uint32_t { small, medium, wide };

    struct Row {
        uint32_t stack = no_stack;
        uint32_t backward_and_width = 0;  // the width is in the highest bits
        Small figures;                    // not small: where they are, in the first two

        static constexpr unsigned width_shift = 30;
        static constexpr uint32_t backward_bits = (1u << width_shift) - 1;

        Width width() const { return static_cast<Width>(backward_and_width >> width_shift); }
        uint32_t backward() const { return backward_and_width & backward_bits; }
        void set_backward(uint32_t backward) {
            backward_and_width = (backward_and_width & ~backward_bits) | (backward & backward_bits);
        }
        uint32_t place() const { return figures.allocations | uint32_t{figures.frees} << 16; }
        // The figures are there from now on.
        void move_to(Width width, size_t place) {
            backward_and_width = backward() | static_cast<uint32_t>(width) << width_shift;
            figures = {};
            figures.allocations = static_cast<uint16_t>(place);
            figures.frees = static_cast<uint16_t>(place >> 16);
        }
    };

    bool is_sound() const {
        bool is_sound = true;
        for (size_t i = 0; i < rows_.size(); ++i) {
            const Row& row = rows_[i];
            is_sound &= row.width() == Width::small ||
                        (row.width() == Width::medium && row.place() < medium_.size()) ||
                        (row.width() == Width::wide && row.place() < wide_.size());
        }
        return is_sound;
    }

    template <class T>
    static void add(T& sum, uint64_t part) {
        sum = static_cast<T>(sum + part);
    }
    template <class T>
    static void subtract(T& sum, uint64_t part) {
        sum = static_cast<T>(sum - part);
    }
    static void raise_peak(auto& figures) {
        if (figures.live_bytes > figures.own_peak_bytes)
            figures.own_peak_bytes = figures.live_bytes;
    }

    // Applies a change that adds at most `bytes` and `blocks` to figures.
    template <class Change>
    [[gnu::always_inline]] void change(size_t i, uint64_t bytes, uint64_t blocks,
                                       Change&& change_figures) {
        Row& row = rows_[i];
        if (row.width() == Width::small) [[likely]] {
            if (row.figures.has_room(bytes, blocks)) [[likely]]
                return change_figures(row.figures);
            widen(row);
        }
        if (row.width() == Width::medium) {
            Medium& figures = medium_[row.place()];
            if (figures.has_room(bytes, blocks)) [[likely]]
                return change_figures(figures);
            widen(row);
        }
        change_figures(wide_[row.place()]);
    }

    template <class To>
    static To converted(const auto& from) {
        using Figure = decltype(To::allocations);
        To to;
        to.allocations = static_cast<Figure>(from.allocations);
        to.frees = static_cast<Figure>(from.frees);
        to.allocated_bytes = static_cast<Figure>(from.allocated_bytes);
        to.live_blocks = static_cast<Figure>(from.live_blocks);
        to.live_bytes = static_cast<Figure>(from.live_bytes);
        to.at_peak_blocks = static_cast<Figure>(from.at_peak_blocks);
        to.at_peak_bytes = static_cast<Figure>(from.at_peak_bytes);
        to.own_peak_bytes = static_cast<Figure>(from.own_peak_bytes);
        to.temporary = static_cast<Figure>(from.temporary);
        to.held_blocks = static_cast<Figure>(from.held_blocks);
        to.held_bytes = static_cast<Figure>(from.held_bytes);
        to.half_bytes = static_cast<Figure>(from.half_bytes);
        return to;
    }
    static bool has_lost(const Totals& totals);
    static Width width_for(const Totals& totals);
    void widen(Row& row);

    LongList<Row> rows_;
    LongList<Medium> medium_;
    std::vector<Totals> wide_;
};

}  // namespace memtrace::analyzer
