// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/read_compacted.h"

#include <fmt/format.h>

#include "analyzer/archive/archive.h"
#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/compact/compact_run.h"

namespace memtrace::analyzer {

Model read_compacted(const std::string& path, const Progress& progress) {
    Problems problems;
    DumpFile file(path, problems);
    const DumpIndex index = index_dump(file, problems);
    try {
        // Without it, the figures are those of what is left, and the index has said so.
        if (!index.past) return CompactRun(file, index, problems, {}).finish(progress);
        const std::string state = unpack_state(*index.past, path);
        CompactRun run(file, index, problems, CompactRun::plan_of(state));
        run.restore(state);
        return run.finish(progress);
    } catch (const BadArchive& bad) {
        throw Error(
            fmt::format("{} was compacted, and this memtrace-report cannot read what it was "
                        "compacted to: {}. Use the one that compacted it.",
                        printable(path), bad.what()));
    }
}

}  // namespace memtrace::analyzer
