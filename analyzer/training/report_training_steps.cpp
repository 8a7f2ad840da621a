// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/report_training_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t figure_width = 12;
constexpr size_t modules_shown = 5;

// The kinds that change with the modules of a model; all others are one column.
constexpr std::array module_kinds = {TrainingKind::parameter, TrainingKind::gradient,
                                     TrainingKind::activation};

std::string figure(uint64_t bytes) {
    return fmt::format("{:>{}}", bytes == 0 ? "–" : human_bytes(bytes), figure_width);
}

void write_row(std::string& out, const StepTable& steps, const Style& style,
               const std::string& name, auto&& bytes_of) {
    out += "  ";
    for (const StepRow& row : steps.rows) out += style.number(figure(bytes_of(row)));
    out += "  " + name + "\n";
}

std::string grown_text(const StepTable& steps) {
    if (steps.grown.empty()) return "No kind grows from the second one to the last one.";
    std::string text;
    for (const KindGrowth& grown : steps.grown) {
        text += fmt::format("{}{} {}, {} each", text.empty() ? "" : "; ", name_of(grown.kind).name,
                            human_bytes(grown.bytes), human_bytes(grown.each_step));
    }
    return "What grows from the second one to the last one: " + text + ".";
}

}  // namespace

std::string step_of_peak(const TrainingSpace& space, const TrainingSteps& steps) {
    if (space.step == 0) return "";
    const char* part = "in";
    if (space.is_in_run) {
        part = "in the backward pass of";
    } else if (space.stage == TrainingStage::forward) {
        part = "in the forward pass of";
    } else if (space.stage == TrainingStage::optimiser) {
        part = "in the optimiser's part of";
    }
    return fmt::format("{} step {} of {}", part, exact_count(space.step),
                       exact_count(steps.count()));
}

std::string part_of_peak(const TrainingSpace& space, const TrainingTable& table) {
    const std::string step = step_of_peak(space, table.steps);
    if (!step.empty()) return step;
    if (table.is_of_arrays) return table.steps.count() == 0 ? "" : "outside of the steps";
    if (space.run == 0) return "before the first backward pass";
    return fmt::format("{} backward pass {} of {}", space.is_in_run ? "in" : "after",
                       exact_count(space.run), exact_count(table.runs));
}

std::vector<std::string> limits_of_arrays(const TrainingTable& table) {
    std::vector<std::string> limits;
    if (!table.is_of_arrays) return limits;
    if (!table.spaces.empty()) {
        limits.emplace_back(
            "A step is one compiled program, which does not say what it computes: what it gives "
            "back is one kind. Of what is kept, parameters are told from the optimiser's state "
            "where a stack shows a library of layers or optimisers that made it.");
        if (table.steps.count() == 0) limits.push_back("Steps: " + table.steps.why_none + ".");
    }
    if (table.arena_bytes != 0) {
        limits.push_back(fmt::format(
            "TensorFlow held {} at the peak in arenas of its own. Which tensors are in there is "
            "not recorded. With TF_ENABLE_ONEDNN_OPTS=0 it allocates each tensor by itself.",
            human_bytes(table.arena_bytes)));
    }
    return limits;
}

void write_training_steps(std::string& out, const TrainingSpace& space, const TrainingSteps& steps,
                          const TextOptions& options) {
    const StepTable& table = space.steps;
    if (table.rows.empty()) return;
    const Style style(options.colour);
    out += "\n" +
           style.heading(
               steps.are_passes
                   ? fmt::format("Held in {} at the ends of backward passes", printable(space.name))
                   : fmt::format("Held in {} at the ends of steps, the rounds of {}",
                                 printable(space.name), printable(steps.name))) +
           "\n";
    if (steps.are_passes) write_wrapped(out, "  Steps: " + steps.why_none + ".", 2, options.width);
    if (steps.are_part) {
        write_wrapped(out, "  Some backward passes are in none of these rounds.", 2, options.width);
    }
    const char* what = steps.are_passes ? "PASS " : "STEP ";
    out += "  ";
    std::string head;
    for (const StepRow& row : table.rows) {
        head += fmt::format("{:>{}}", what + exact_count(row.step), figure_width);
    }
    out += style.faint(head + "  KIND") + "\n";
    for (size_t kind = 0; kind < std::tuple_size_v<KindBytes>; ++kind) {
        const bool occurs = std::any_of(table.rows.begin(), table.rows.end(),
                                        [&](const StepRow& row) { return row.at_end[kind] != 0; });
        if (!occurs) continue;
        write_row(out, table, style, std::string(name_of(static_cast<TrainingKind>(kind)).name),
                  [&](const StepRow& row) { return row.at_end[kind]; });
    }
    const auto faint = [&](const char* text) { return style.faint(text); };
    write_row(out, table, style, faint("most that tensors held in between"),
              [](const StepRow& row) { return row.most; });
    write_row(out, table, style, faint("made in between"),
              [](const StepRow& row) { return row.made; });
    write_row(out, table, style, faint("given back in between"),
              [](const StepRow& row) { return row.released; });
    write_wrapped(out, "  " + grown_text(table), 2, options.width);
}

void write_training_modules(std::string& out, const TrainingSpace& space,
                            const TrainingTable& table, const TextOptions& options) {
    const Style style(options.colour);
    if (!table.has_module_names) {
        out += "\n";
        write_wrapped(
            out,
            "  Modules are not told apart: Python names the class of a method since 3.11, "
            "and this recording is of an earlier version.",
            2, options.width);
        return;
    }
    if (space.modules.empty()) return;
    out += "\n" + style.heading(fmt::format("Modules, in {} at its peak", printable(space.name))) +
           "\n  ";
    std::string head = fmt::format("{:>{}}", "BYTES", figure_width);
    for (const TrainingKind kind : module_kinds) {
        std::string name(name_of(kind).name);
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        head += fmt::format("{:>{}}", name, figure_width);
    }
    out += style.faint(head + "  CLASS") + "\n";
    const size_t shown = std::min(space.modules.size(), std::max(modules_shown, options.own_top));
    for (size_t i = 0; i < shown; ++i) {
        const ModuleRow& row = space.modules[i];
        out += "  " + style.number(figure(row.all));
        for (const TrainingKind kind : module_kinds) {
            out += style.number(figure(row.bytes[static_cast<size_t>(kind)]));
        }
        out += "  " + printable(table.modules[row.number].name);
        if (row.layers > 1) out += ", " + counted(row.layers, "layer");
        out += "\n";
    }
    if (shown < space.modules.size()) {
        out += style.faint(
            fmt::format("  {} more\n", counted(space.modules.size() - shown, "module")));
    }
}

}  // namespace memtrace::analyzer
