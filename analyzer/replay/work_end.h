// SPDX-License-Identifier: Apache-2.0
//
// Decides when the program's work ended. Python's interpreter finalises inside main(), so a Python
// program has two ends, and the first end counts:
//
//   work ............... | finalisation | main returns | exit handlers
//                        Python's                      the program's
//
// But a program that only embeds the interpreter may continue after the interpreter's end. It did
// so if it made a considerable share of its acquisitions in between, because finalisation mostly
// releases and acquires little.
#pragma once

#include <cstdint>
#include <optional>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class WorkEndChoice {
public:
    void count_acquisition() { acquisitions_ += 1; }

    // Returns true if this record counts for now.
    bool take(const WorkEnd& record) {
        const uint64_t since = acquisitions_ - acquisitions_then_;
        const bool went_on = since * went_on_part > acquisitions_;
        if (time_ && !went_on) return false;
        time_ = record.time;
        acquisitions_then_ = acquisitions_;
        return true;
    }

    std::optional<uint64_t> time() const { return time_; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.acquisitions_, self.acquisitions_then_, self.time_);
    }

private:
    static constexpr uint64_t went_on_part = 10;  // one tenth of all acquisitions

    uint64_t acquisitions_ = 0;
    uint64_t acquisitions_then_ = 0;
    std::optional<uint64_t> time_;
};

}  // namespace memtrace::analyzer
