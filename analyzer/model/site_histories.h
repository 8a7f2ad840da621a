// SPDX-License-Identifier: Apache-2.0
//
// The histories of all sites of a space, packed. Most sites have one point or two, and a vector of
// points for each site would take several times the bytes of the points.
//
// A history is unpacked when it is read, so operator[] returns it by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "analyzer/model/site_history.h"

namespace memtrace::analyzer {

class SiteHistories {
public:
    SiteHistories() = default;
    SiteHistories(std::initializer_list<SiteHistory> list) {
        for (const SiteHistory& history : list) push_back(history);
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    SiteHistory operator[](size_t site) const;
    void push_back(const SiteHistory& history);
    // Call after the last push_back().
    void shrink_to_fit() {
        bytes_.shrink_to_fit();
        starts_.shrink_to_fit();
    }

    class Iterator {
    public:
        Iterator(const SiteHistories& of, size_t site) : of_(&of), site_(site) {}
        SiteHistory operator*() const { return (*of_)[site_]; }
        Iterator& operator++() {
            ++site_;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return site_ != other.site_; }

    private:
        const SiteHistories* of_;
        size_t site_;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, size_}; }

private:
    static constexpr size_t group = 4;  // sites per entry of starts_

    std::vector<uint8_t> bytes_;    // each site's history, behind its length
    std::vector<uint64_t> starts_;  // where each group of sites begins in bytes_
    size_t size_ = 0;
};

}  // namespace memtrace::analyzer
