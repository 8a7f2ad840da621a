// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/compact/compact_dump.h"
#include "analyzer/phases/range_text.h"
#include "analyzer/steps/load_steps.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_step_option(options, request);
    options.add_value("-o,--output", request.check.output, "FILE",
                      "Write to FILE (in place of the dump, when it is whole)");
    options.add_value("--until", request.until, "TIME",
                      "Keep the events from this time on, like \"20m\" (none)");
}

void finish(Request& request) {
    if (!request.json.empty()) {
        throw Error(
            fmt::format("--json {}: compact has no report; those of the dump stay as they "
                        "are",
                        printable(request.json)));
    }
    if (!request.check.output.empty() && request.dumps.size() > 1) {
        throw Error(fmt::format("-o {}: {} do not fit into one file; leave -o out",
                                printable(request.check.output),
                                counted(request.dumps.size(), "dump")));
    }
    if (!request.until.empty() &&
        !std::holds_alternative<RangeAtTime>(parse_range_text("--until", request.until))) {
        throw Error(fmt::format("--until {}: not a time; write \"90s\" or \"20m\"",
                                printable(request.until)));
    }
    read_text_options(request);
}

CompactPlan plan_of(const Recording& recording, const Request& request) {
    CompactPlan plan{request.slices, recording.model.loops};
    plan.slices.covers_end = true;
    const std::shared_ptr<const StepsOfDump>& steps = *request.loops;
    if (!steps || steps->has_marks || !request.slices.step.empty()) return plan;
    const std::optional<size_t>& chosen = steps->loops.found.steps;
    if (chosen) plan.slices.loop = std::make_shared<LoopTurns>(steps->loops.turns[*chosen]);
    return plan;
}

DumpReport report(const Recording& recording, const Request& request) {
    if (recording.path == "-") {
        throw Error(
            "compact reads the dump twice, and standard input can be read only once; write it to "
            "a file first");
    }
    std::optional<uint64_t> until;
    if (!request.until.empty())
        until = std::get<RangeAtTime>(parse_range_text("--until", request.until)).time_ns;
    const std::string& target =
        request.check.output.empty() ? recording.path : request.check.output;
    const CompactSizes sizes =
        compact_dump(recording.path, target, until, plan_of(recording, request));
    if (target == recording.path && sizes.after >= sizes.before) {
        return {.write_text = whole_text([target, sizes](std::string& out) {
                    out += fmt::format("{}: {} stay as they are; compacted it would take {}.\n",
                                       printable(target), human_bytes(sizes.before),
                                       human_bytes(sizes.after));
                })};
    }
    return {.write_text = whole_text([&request, target, sizes](std::string& out) {
                out += fmt::format(
                    "{}: {}, was {}. Its reports are the same, or say what they lack. The events "
                    "{} are gone: reports of "
                    "a part of the run{}, of single threads, of lives of blocks need the dump as "
                    "it was.\n",
                    printable(target), human_bytes(sizes.after), human_bytes(sizes.before),
                    request.until.empty() ? std::string("themselves")
                                          : "before " + printable(request.until),
                    request.until.empty() ? "" : " that begins or ends there");
            })};
}

}  // namespace

const Command command_compact{
    .name = "compact",
    .help = "Make a dump small: what happened becomes what it amounts to",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_everything,
    .report = report,
    .writes_output = true,
    .needs_events = true,
    .goes_on_from_past = true,
    .keeps_loops = true,
};

}  // namespace memtrace::analyzer
