// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/read_compacted.h"

#include <fmt/format.h>

#include "analyzer/archive/archive.h"
#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

void replay_rest(CompactRun& run, const DumpFile& file, const DumpIndex& index, const Moment& now,
                 const Progress& progress) {
    const std::vector<Clock>& anchors = run.replay().clock().anchors();
    if (!index.is_written || anchors.empty()) return run.replay_until(~uint64_t{0}, progress);
    const Clock end = now.record(file.header(), anchors.front());
    run.replay_until(last_key(end.time), progress);
    run.replay().end_at(end);
}

Model finish_compacted(CompactRun& run, const DumpFile& file, const DumpIndex& index) {
    Model model = run.finish();
    model.capture.dump_bytes = dump_bytes(file, index);
    return model;
}

namespace {

Model read_once(const std::string& path, const Progress& progress) {
    const Moment now = Moment::now();
    Problems problems;
    DumpFile file(path, problems);
    const DumpIndex index = index_dump(file, problems);
    CompactPlan plan;
    // Without it, the figures are those of what is left, and the index has said so.
    if (index.past) plan = CompactRun::plan_of(*index.past, file);
    CompactRun run(file, index, problems, std::move(plan));
    if (index.past) run.restore(*index.past);
    replay_rest(run, file, index, now, progress);
    return finish_compacted(run, file, index);
}

}  // namespace

Model read_while_compacted(const std::string& path, const std::function<Model()>& read) {
    try {
        return while_compacted(path, read);
    } catch (const BadArchive& bad) {
        throw Error(
            fmt::format("{} was compacted, and this memtrace-report cannot read what it was "
                        "compacted to: {}. Use the one that compacted it.",
                        printable(path), bad.what()));
    }
}

Model read_compacted(const std::string& path, const Progress& progress) {
    return read_while_compacted(path, [&] { return read_once(path, progress); });
}

}  // namespace memtrace::analyzer
