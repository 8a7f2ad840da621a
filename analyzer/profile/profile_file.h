// SPDX-License-Identifier: Apache-2.0
//
// The file of a profile: what every report of a recording needs, without its events.
//
//   ┌──────────────────┬─────────┬──────────┬─────────────┬──────────┬──────────┬─ ─ ─ ─ ─ ─ ─ ─┐
//   │ memtrace profile │ version │ raw size │ stored size │ checksum │ checksum │ payload       │
//   │ 16 bytes         │ 8       │ 8        │ 8           │ of the   │ of the   │ zstd of a     │
//   │                  │         │          │             │ payload  │ header   │ stored.Profile│
//   └──────────────────┴─────────┴──────────┴─────────────┴──────────┴──────────┴─ ─ ─ ─ ─ ─ ─ ─┘
//
// Numbers are little-endian. Checksums are those of hash.h; the second is of the 48 bytes before
// it. The payload is described in profile.proto. A file is read whole or not at all, because half a
// profile has wrong sums.
//
// Equal recordings give equal bytes. A version of memtrace reads the versions of this form up to
// its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/base/report_output.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

inline constexpr uint64_t profile_version = 1;

// Returns the bytes of the file. Throws Error if the recording is too large for this form.
std::string write_profile(const Recording& recording);

// True if the file at `path` begins with the magic. False also if it cannot be opened.
bool is_profile(const std::string& path);

// Reads a profile, without the histories of sites if they are not needed. Throws Error if it is
// damaged, or of a newer version. `path` is named in errors.
Recording read_profile_bytes(std::string_view bytes, const std::string& path,
                             bool with_histories = true);
Recording read_profile(const std::string& path, bool with_histories = true);

}  // namespace memtrace::analyzer
