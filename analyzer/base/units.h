// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the form in which people read and type them. Sizes are binary: 1 KiB is 1024 bytes,
// and so is 1K.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

std::string human_bytes(uint64_t bytes);             // "0 B", "999 B", "1.5 KiB", "412.3 MiB"
std::string human_bytes_of(double bytes);            // the same, below 10 B as "0.4 B"
std::string exact_count(uint64_t count);             // "12,345,678"
std::string human_time(uint64_t time_ns);            // "850 ns", "12.4 ms", "1.24 s", "3 min 12 s"
std::string human_long_time(uint64_t time_ns);       // as human_time(), "3 h 20 min", "12 days"
std::string percent(uint64_t part, uint64_t whole);  // "72.8 %", "<0.1 %"; "-" if `whole` is 0

// "1 block", "12 blocks", "1,234 blocks"
std::string counted(uint64_t count, std::string_view noun);
// The same, below 10 as "0.4 blocks".
std::string counted_of(double count, std::string_view noun);

// Reads "500", "500K", "1.5G", "4GiB", "1TB", "64 MiB". Returns nothing if `text` is not a size or
// the size does not fit into 64 bits.
std::optional<uint64_t> parse_size(std::string_view text);

// Reads "90" (seconds), "2.5s", "250 ms", "1m30s", "3 min 12 s", "1h", and returns nanoseconds.
// Returns nothing if `text` is not a time or the time is longer than 290 years.
std::optional<uint64_t> parse_time(std::string_view text);

// Reads "5%", "0.1 %", up to 100. Returns nothing if `text` is not a percentage from 0 to 100.
std::optional<double> parse_percent(std::string_view text);

}  // namespace memtrace::analyzer
