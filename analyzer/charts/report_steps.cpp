// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/base/json_text.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/model/source_loop.h"

namespace memtrace::analyzer {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t function_least = 24;  // columns for the name of a function

std::string place_of(const SourceLoop& loop) {
    return fmt::format("{}:{}", base_name(loop.file), loop.line);
}

// Returns 0 where it is not known: several threads may go round at once, or one after another.
uint64_t step_ns(const SourceLoop& loop) {
    if (loop.threads > 1) return 0;
    const uint64_t count = loop.count.value_or(0);
    return count > 1 ? (loop.end_ns - loop.begin_ns) / (count - 1) : 0;
}

size_t depth_of(const SourceLoops& all, size_t index) {
    size_t depth = 0;
    for (auto outer = all.loops[index].parent; outer; outer = all.loops[*outer].parent) depth += 1;
    return depth;
}

// Returns the name of the loop's function. Python's names have neither brackets nor "::", and
// `<locals>` in them is no argument of a template.
std::string function_of(const SourceLoop& loop, size_t room) {
    const bool is_cpp = loop.function.find_first_of("(:") != std::string::npos;
    return is_cpp ? shorten(loop.function, std::max(room, function_least)) : loop.function;
}

// Returns the name of the program's first thread, which goes without saying.
std::string main_thread(const Model& model) {
    for (const ThreadInfo& thread : model.threads) {
        if (thread.tid != model.process.pid) continue;
        return thread.name.empty() ? std::to_string(thread.tid) : thread.name;
    }
    return {};
}

// The figures of the steps that the run is cut by.
struct StepFigures {
    double allocations = 0;
    double kept_bytes = 0;
};
StepFigures figures_of(const Space& space, const RunSlices& slices) {
    StepFigures figures;
    if (slices.steps == 0 || slices.slices.size() < 2) return figures;
    uint64_t before = 0, end = 0;
    for (const HeldPoint& point : space.history.held) {
        if (point.slice == 0) before = point.allocations;
        end = point.allocations;
    }
    uint64_t kept = 0;
    for (const BornPoint& born : space.history.born) kept += born.slice == 0 ? 0 : born.bytes;
    const auto steps = static_cast<double>(slices.steps);
    figures.allocations = static_cast<double>(end - before) / steps;
    figures.kept_bytes = static_cast<double>(kept) / steps;
    return figures;
}

std::string why_none(const Recording& recording) {
    const std::string& why = recording.model.loops.why_none;
    if (!why.empty()) return why;
    if (recording.merged.left_out.histories)
        return "the recordings that were merged have different steps, or only some have any";
    if (!recording.merged.processes.empty())
        return "a merged profile has no loops, and its recordings had no common steps";
    return "no loop of the program was recorded";
}

}  // namespace

std::string steps_line(const Recording& recording) {
    const SourceLoops& all = recording.model.loops;
    if (!all.steps) return {};
    const SourceLoop& loop = all.loops[*all.steps];
    std::string text =
        fmt::format("{} of {}", counted(*loop.count, "step"), printable(place_of(loop)));
    if (step_ns(loop) > 0) text += fmt::format(", {} each", human_time(step_ns(loop)));
    return text;
}

void write_steps(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    const SourceLoops& all = recording.model.loops;
    const RunSlices& slices = recording.model.slices;
    write_title(out, options, "Steps", "");
    const std::string line = steps_line(recording);
    if (!slices.step.empty() && !slices.is_found) {
        write_wrapped(out,
                      fmt::format("  {}, marked by the program as \"{}\"",
                                  counted(slices.steps, "step"), printable(slices.step)),
                      4, options.width);
    } else if (!line.empty()) {
        write_wrapped(out, "  " + line, 4, options.width);
    } else if (!slices.step.empty()) {
        // A merged profile has the steps of its recordings, and not their loops.
        write_wrapped(
            out,
            fmt::format("  {} of {}", counted(slices.steps, "whole step"), printable(slices.step)),
            4, options.width);
    } else {
        write_wrapped(out, "  none found: " + why_none(recording), 4, options.width);
    }
    for (const Space& space : recording.model.spaces) {
        if (slices.step.empty() || !options.shows(space)) continue;
        const StepFigures figures = figures_of(space, slices);
        if (figures.allocations == 0) continue;
        write_wrapped(out,
                      fmt::format("    {}: {:.4g} allocations a step, of which {} stay",
                                  printable(space.name), figures.allocations,
                                  human_bytes(static_cast<uint64_t>(figures.kept_bytes))),
                      6, options.width);
    }
    if (all.loops.empty()) return write_foot(out, recording, options);
    out += fmt::format("\n  {:>12} {:>10}  LOOP\n", "ITERATIONS", "EACH");
    const std::string main = main_thread(recording.model);
    size_t shown = 0;
    for (size_t i = 0; i < all.loops.size(); ++i) {
        const SourceLoop& loop = all.loops[i];
        if (!loop.is_own) continue;
        if (shown++ == options.top) break;
        const std::string indent(2 * depth_of(all, i), ' ');
        std::string text = fmt::format(
            "  {:>12} {:>10}  {}{}", loop.count ? exact_count(*loop.count) : "?",
            step_ns(loop) > 0 ? human_time(step_ns(loop)) : "", indent, printable(place_of(loop)));
        const size_t taken = display_width(text) + 1;
        const size_t room = options.width - std::min(options.width, taken);
        text += " " + printable(function_of(loop, room));
        if (!loop.thread.empty() && loop.thread != main && loop.thread != "MainThread") {
            text += fmt::format(" ({})", printable(loop.thread));
        }
        if (!loop.count) text += ": " + loop.why_not;
        write_wrapped(out, text, 27, options.width);
    }
    const auto libraries = std::count_if(all.loops.begin(), all.loops.end(),
                                         [](const SourceLoop& loop) { return !loop.is_own; });
    if (libraries > 0) {
        write_wrapped(out,
                      fmt::format("  {} in libraries: --json lists them",
                                  counted(static_cast<uint64_t>(libraries), "loop")),
                      4, options.width);
    }
    write_foot(out, recording, options);
}

std::string steps_json(const Recording& recording) {
    const SourceLoops& all = recording.model.loops;
    Json steps = Json::array();
    for (size_t i = 0; i < all.loops.size(); ++i) {
        const SourceLoop& loop = all.loops[i];
        Json entry{
            {"loop", {{"file", loop.file}, {"line", loop.line}, {"function", loop.function}}},
            {"thread", loop.thread},
            {"count", loop.count ? Json(*loop.count) : Json(nullptr)},
            {"parent", loop.parent ? Json(*loop.parent) : Json(nullptr)},
            {"own", loop.is_own},
            {"is_step", all.steps == i},
            {"begin_ns", loop.begin_ns},
            {"end_ns", loop.end_ns}};
        if (!loop.why_not.empty()) entry["why_not"] = loop.why_not;
        steps.push_back(std::move(entry));
    }
    const bool has_steps = all.steps || !recording.model.slices.step.empty();
    const Json why = has_steps ? Json(nullptr) : Json(why_none(recording));
    return "\"steps\": " + json_text(steps, 2) + ",\n  \"no_steps\": " + json_text(why, 2);
}

}  // namespace memtrace::analyzer
