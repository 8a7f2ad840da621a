// SPDX-License-Identifier: Apache-2.0
//
// Makes a dump smaller: what happened up to some moment becomes what it amounts to, and blocks that
// were alive then stay, one by one. Later events stay as they are.
//
//   a dump       header, process, chunk, chunk, chunk, chunk, ring
//                                        ┆ the moment is in this chunk
//   compacted    header, process, past,  chunk, chunk, ring
//
// A chunk that reaches beyond the moment stays whole. Whoever reads the dump skips what it has of
// before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/compact/compact_run.h"

namespace memtrace::analyzer {

struct CompactSizes {
    uint64_t before = 0;  // bytes of the dump, without room that was reserved
    uint64_t after = 0;
};

// Writes the compacted dump of `path` to `target`, which may be the same file: it is replaced when
// the new one is whole. `until_ns`: the moment, from the start of the recording; nothing: its end.
// A dump that would not become smaller is not replaced. A dump that was compacted already is
// compacted further, as it was planned then. Throws Error if the dump is damaged or still written,
// if another version compacted it, and if the target cannot be written. Then nothing has changed.
CompactSizes compact_dump(const std::string& path, const std::string& target,
                          std::optional<uint64_t> until_ns, CompactPlan plan,
                          const Progress& progress = {});

}  // namespace memtrace::analyzer
