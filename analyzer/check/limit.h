// SPDX-License-Identifier: Apache-2.0
//
// One limit that a recording must keep, and how people write it:
//
//   500M          at most this much                               mmap=2G   in another space
//   +10%          at most this much more than the highest value of the baseline
//   +1M  +10%+64K the same in bytes; both together
//   off           no limit, even if there is one by default
//
// The metric temporary-percent is itself a part: "25%" is an absolute limit, and "+2%" allows two
// percentage points more than the baseline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/check/metric.h"

namespace memtrace::analyzer {

// What a limit applies to: a whole space, each call site, or each call site that the baseline does
// not list.
enum class Scope : uint8_t { space, site, new_site };

struct Limit {
    Metric metric = Metric::leaked_bytes;
    std::string space = "host";
    uint64_t value = 0;  // the limit itself; if relative, the amount to add
    Scope scope = Scope::space;
    bool is_relative = false;
    uint64_t percent = 0;  // if relative, the part to add, in hundredths of a percent
    bool is_off = false;
    std::string phase;        // empty: the whole recording
    bool is_default = false;  // from default_limits(), not from the user
};

// Reads "mmap=2GiB". Without the name of a space the limit is on the host. Throws Error if `text`
// makes no sense. `where` is the origin of the text, for the Error: "--max-peak-bytes".
Limit parse_limit(Metric metric, Scope scope, const std::string& text, const std::string& where);

// The same if the space is known already.
Limit parse_limit(Metric metric, Scope scope, const std::string& space, const std::string& text,
                  const std::string& where);

// Reads "leaked-bytes=64K" or "leaked-bytes=mmap=1M", the value of --max-site.
Limit parse_site_limit(Scope scope, const std::string& text, const std::string& where);

// True if both limits are on the same metric, scope, space and phase. Then one replaces the other.
bool is_about_the_same(const Limit& limit, const Limit& other);

// Returns the highest value that is allowed. `before` is the highest value of the baseline.
uint64_t allowed_by(const Limit& limit, uint64_t before);

std::string title_of(const Limit& limit);  // "host peak-bytes", "host leaked-bytes of a new site"
std::string allowance_text(const Limit& limit);  // "+10 % +64.0 KiB"; if absolute, its size

}  // namespace memtrace::analyzer
