// SPDX-License-Identifier: Apache-2.0
//
// The parts of a group's block (gpu_space.h). A part has the number of the growth with which its
// bytes came to the space. Blocks take parts over while they live:
//
//   a pool takes 32 MiB from the device     kept: 32 of number 1
//   block 2 of 2 MiB                        kept: 30 of number 1      block 2 has 2 of number 1
//   block 2 is released                     kept: 32 of number 1
//
// So what comes back from blocks is not new to the space, whenever it comes back. Which bytes a
// block takes over is not known, nor which the driver returns to the device: those that came last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace memtrace::analyzer {

class GpuGroupParts {
public:
    struct Part {
        uint64_t number = 0;
        uint64_t bytes = 0;
    };

    void add(const Part& part) {
        if (!kept_.empty() && kept_.back().number == part.number) kept_.back().bytes += part.bytes;
        else kept_.push_back(part);
        bytes_ += part.bytes;
    }

    // Calls each(part) for the parts that these bytes are.
    template <class Each>
    void take(uint64_t bytes, Each&& each) {
        while (bytes > 0 && !kept_.empty()) {
            Part& last = kept_.back();
            const Part part{last.number, std::min(bytes, last.bytes)};
            bytes -= part.bytes;
            bytes_ -= part.bytes;
            last.bytes -= part.bytes;
            if (last.bytes == 0) kept_.pop_back();
            each(part);
        }
    }

    // The same; a block with this number has them.
    template <class Each>
    void lend(uint64_t bytes, uint64_t block, Each&& each) {
        take(bytes, [&](const Part& part) {
            lent_.insert({block, part});
            each(part);
        });
    }

    // A block was released, and so many of its bytes come to the group. What the block had not
    // taken over came to the space with the block itself. Calls each(part); the caller adds them.
    template <class Each>
    void end_block(uint64_t block, uint64_t bytes, Each&& each) {
        const auto [first, last] = lent_.equal_range(block);
        for (auto at = first; at != last && bytes > 0; ++at) {
            const Part part{at->second.number, std::min(bytes, at->second.bytes)};
            bytes -= part.bytes;
            each(part);
        }
        lent_.erase(first, last);
        if (bytes > 0) each(Part{block, bytes});
    }

    template <class Each>
    void for_each(Each&& each) const {
        std::for_each(kept_.begin(), kept_.end(), each);
    }

    uint64_t bytes() const { return bytes_; }
    bool is_sound() const {
        uint64_t sum = 0;
        for (const Part& part : kept_) sum += part.bytes;
        return sum == bytes_;
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.bytes_, self.kept_, self.lent_); }

private:
    uint64_t bytes_ = 0;
    std::vector<Part> kept_;              // in the order in which they came
    std::multimap<uint64_t, Part> lent_;  // by the block that has them
};

}  // namespace memtrace::analyzer
