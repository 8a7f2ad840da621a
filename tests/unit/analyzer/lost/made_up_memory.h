// SPDX-License-Identifier: Apache-2.0
//
// A memory for tests: words at addresses, and mappings as a process would have them. A range
// without words has no page.
#pragma once

#include <cstring>
#include <map>
#include <vector>

#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

class MadeUpMemory : public Memory {
public:
    // Puts words at an address, one behind the other.
    void put(uint64_t address, const std::vector<uint64_t>& words) {
        for (const uint64_t word : words) {
            words_[address] = word;
            address += sizeof(uint64_t);
        }
    }
    void map(Mapping mapping) { mappings_.push_back(std::move(mapping)); }

    const std::vector<Mapping>& mappings() const override { return mappings_; }
    void read(std::span<const LostRange> ranges, uint8_t* to) override {
        for (const LostRange& range : ranges) {
            std::memset(to, 0, range.end - range.begin);
            for (auto word = words_.lower_bound(range.begin);
                 word != words_.end() && word->first + sizeof(uint64_t) <= range.end; ++word) {
                std::memcpy(to + (word->first - range.begin), &word->second, sizeof(uint64_t));
            }
            to += range.end - range.begin;
        }
    }
    void for_each_own_part(LostRange range, const std::function<void(LostRange)>& visit) override {
        const auto word = words_.lower_bound(range.begin);
        if (word != words_.end() && word->first < range.end) visit(range);
    }

private:
    std::map<uint64_t, uint64_t> words_;
    std::vector<Mapping> mappings_;
};

}  // namespace memtrace::analyzer
