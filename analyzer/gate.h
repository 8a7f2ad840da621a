// SPDX-License-Identifier: Apache-2.0
//
// Limits that a recording must keep: `memtrace-report check --max-leaked-bytes 1M`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model.h"
#include "analyzer/site_table.h"

namespace memtrace::analyzer {

enum class Metric : uint8_t { leaked_bytes, leaked_blocks, peak_bytes };

struct Limit {
    Metric      metric = Metric::leaked_bytes;
    std::string space  = "host";
    uint64_t    value  = 0;
};

struct LimitResult {
    Limit    limit;
    uint64_t measured = 0;
    bool     passed   = true;
};

const char* name_of(Metric metric);  // "leaked-bytes", as in --max-leaked-bytes

// "500K" or "mmap=2GiB". Throws Error with a sentence that names what is wrong.
Limit parse_limit(Metric metric, const std::string& text);

// A space without events measures zero.
std::vector<LimitResult> check_limits(const Model& model, const std::vector<Limit>& limits);

Measure measure_of(Metric metric);  // which sites are to blame

}  // namespace memtrace::analyzer
