// SPDX-License-Identifier: Apache-2.0
//
// Compacts a dump in its place, while a program writes it: what the events up to now amount to is
// added, and their room is given back (dump_in_use.h). The program goes on writing meanwhile, and
// waits for nothing. The helper of the program (compact_helper.h) calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace memtrace::analyzer {

struct LiveCompaction {
    uint64_t section_bytes = 0;  // that were added
    uint64_t freed_bytes = 0;    // that were given back; 0: it would not have been worth it
};

// `max_bytes`: that the dump may take on the disk, also for a moment; 0: any number. `until_ns`:
// the moment, from the start of the recording; nothing: a tenth of a second ago, because the newest
// events may still be on their way to the file. Then it is only done if more is given back than
// added, and not while somebody reads the dump who was too slow before. Throws Error if the dump is
// damaged, if its rings are not in the file, or if the file system cannot give back a part of a
// file. Then nothing has changed.
LiveCompaction compact_live(const std::string& path, uint64_t max_bytes,
                            std::optional<uint64_t> until_ns = {});

}  // namespace memtrace::analyzer
