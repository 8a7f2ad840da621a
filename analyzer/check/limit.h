// SPDX-License-Identifier: Apache-2.0
//
// One limit that a recording must keep, and how people write it:
//
//   500M          at most so much                                    mmap=2G   of another space
//   +10%          at most so much more than the baseline had at most
//   +1M  +10%+64K the same in bytes; both together
//   off           none, where there would be one by default
//
// Of temporary-percent, which is a part already, "25%" is at most so much, "+2%" two points more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/check/metric.h"

namespace memtrace::analyzer {

// Of what: of a whole space, of each call site, of each that the baseline does not have.
enum class Scope : uint8_t { space, site, new_site };

struct Limit {
    Metric metric = Metric::leaked_bytes;
    std::string space = "host";
    uint64_t value = 0;  // absolute; or, if it is relative, to be added
    Scope scope = Scope::space;
    bool is_relative = false;
    uint64_t percent = 0;  // relative: so many hundredths of a percent more
    bool is_off = false;
    std::string phase;        // empty: the whole recording
    bool is_default = false;  // nobody asked for it
};

// "mmap=2GiB", or without a space's name of the host. `where` says who wrote it, for the sentence
// of the Error if it makes no sense: "--max-peak-bytes".
Limit parse_limit(Metric metric, Scope scope, const std::string& text, const std::string& where);

// Of a space that is known already.
Limit parse_limit(Metric metric, Scope scope, const std::string& space, const std::string& text,
                  const std::string& where);

// "leaked-bytes=64K" or "leaked-bytes=mmap=1M", as behind --max-site.
Limit parse_site_limit(Scope scope, const std::string& text, const std::string& where);

// Whether it takes the place of `other`, because it is about the same.
bool is_about_the_same(const Limit& limit, const Limit& other);

// The most that is allowed where `before` was the most.
uint64_t allowed_by(const Limit& limit, uint64_t before);

std::string title_of(const Limit& limit);  // "host peak-bytes", "host leaked-bytes of a new site"
std::string allowance_text(const Limit& limit);  // "+10 % +64.0 KiB"; of an absolute one its size

}  // namespace memtrace::analyzer
