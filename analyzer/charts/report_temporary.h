// SPDX-License-Identifier: Apache-2.0
//
// The report `temporary`: blocks that lived so short that their line could keep them instead.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What counts as short. Without either, it is a block that its thread freed before its next
// allocation.
struct BriefLife {
    uint64_t events = 0;   // 0: no such limit
    uint64_t time_ns = 0;  // the same

    bool is_temporary() const { return events == 0 && time_ns == 0; }
};

void write_temporary(std::string& out, const Recording& recording, const BriefLife& brief,
                     const TextOptions& options);

// Returns a member of a JSON object, without its brackets: an entry for each space.
std::string temporary_json(const Recording& recording, const BriefLife& brief);

}  // namespace memtrace::analyzer
