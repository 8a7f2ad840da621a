// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/report_training.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/training/report_training_steps.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t bar_width = 20;
constexpr size_t numbers_width = 2 + 12 + 9 + 9 + 2;
constexpr size_t lines_shown = 3;

std::string bar(uint64_t part, uint64_t whole) {
    const size_t full =
        whole == 0 ? 0
                   : static_cast<size_t>(
                         static_cast<double>(part) * bar_width / static_cast<double>(whole) + 0.5);
    std::string text;
    for (size_t i = 0; i < full; ++i) text += "█";
    return text + std::string(bar_width - full, ' ');
}

class Writer {
public:
    Writer(std::string& out, const SiteRows& rows, const TextOptions& options)
        : out_(out), rows_(rows), options_(options), style_(options.colour) {}

    void write(const TrainingSpace& space, const TrainingTable& table) {
        out_ += "\n" +
                style_.heading(
                    fmt::format("What the memory is for: {} at its peak", printable(space.name))) +
                "\n";
        write_wrapped(out_, "  " + moment_of(space, table), 2, options_.width);
        out_ += style_.faint(fmt::format("  {:>12}{:>9}{:>9}  {:<{}}  {}", "BYTES", "SHARE",
                                         "BLOCKS", "", bar_width, "KIND")) +
                "\n";
        for (const KindRow* row : largest_first(space)) {
            write_row(row->sum.bytes, exact_count(row->sum.blocks), space.peak_bytes,
                      std::string(name_of(row->kind).name));
        }
        const uint64_t rest = space.peak_bytes - std::min(space.peak_bytes, space.tensor_bytes);
        if (rest != 0) {
            write_row(rest, "", space.peak_bytes,
                      style_.faint("no tensors: Python, libraries, the framework"));
        }
        write_row(space.peak_bytes, "", 0, "in all");
    }

    void write_details(const TrainingSpace& space, const TrainingTable& table) {
        write_training_steps(out_, space, table.steps, options_);
        write_training_modules(out_, space, table, options_);
        out_ +=
            "\n" + style_.heading(fmt::format("Lines, in {} at its peak", printable(space.name)));
        for (const KindRow* row : largest_first(space)) write_lines(*row);
    }

    void write(const std::vector<TrainingAdvice>& advice) {
        if (advice.empty()) return;
        out_ += "\n" + style_.heading("What could be changed") + "\n";
        for (const TrainingAdvice& one : advice) {
            write_wrapped(out_, "  " + sentence_of(one, rows_, options_.width), 4, options_.width);
            out_ += style_.faint("    " + std::string(one.link)) + "\n";
        }
    }

private:
    static std::vector<const KindRow*> largest_first(const TrainingSpace& space) {
        std::vector<const KindRow*> kinds;
        for (const KindRow& row : space.kinds) kinds.push_back(&row);
        std::stable_sort(kinds.begin(), kinds.end(), [](const KindRow* a, const KindRow* b) {
            return a->sum.bytes > b->sum.bytes;
        });
        return kinds;
    }

    std::string moment_of(const TrainingSpace& space, const TrainingTable& table) const {
        std::string text = fmt::format("{} after {}", human_bytes(space.peak_bytes),
                                       human_time(space.peak_time_ns));
        if (table.runs == 0 && !table.is_of_arrays) {
            return text + "; no backward pass was recorded";
        }
        const std::string part = part_of_peak(space, table);
        if (!part.empty()) text += ", " + part;
        if (space.row) text += ", at " + rows_.text(*space.row, options_.width);
        return text;
    }

    void write_row(uint64_t bytes, const std::string& blocks, uint64_t whole,
                   const std::string& name) {
        out_ += "  " + style_.number(fmt::format("{:>12}", human_bytes(bytes))) +
                fmt::format("{:>9}{:>9}  {}  {}\n", whole == 0 ? "" : percent(bytes, whole), blocks,
                            whole == 0 ? std::string(bar_width, ' ') : bar(bytes, whole), name);
    }

    void write_lines(const KindRow& row) {
        if (row.lines.empty()) return;
        const KindName name = name_of(row.kind);
        out_ += "\n" + style_.heading(fmt::format("  {}", name.name)) +
                style_.faint(fmt::format(": {}", name.what)) + "\n";
        const size_t room =
            options_.width > numbers_width + 16 ? options_.width - numbers_width : 16;
        const size_t shown = std::min(row.lines.size(), std::max(lines_shown, options_.own_top));
        KindSum rest = row.sum;
        for (size_t i = 0; i < shown; ++i) {
            const KindLine& line = row.lines[i];
            write_line(line.sum, row.sum.bytes, rows_.text(line.row, room));
            rest.bytes -= line.sum.bytes;
            rest.blocks -= line.sum.blocks;
        }
        if (shown == row.lines.size()) return;
        write_line(rest, row.sum.bytes,
                   style_.faint(counted(row.lines.size() - shown, "row") + " more"));
    }

    void write_line(const KindSum& sum, uint64_t whole, const std::string& where) {
        out_ += "  " + style_.number(fmt::format("{:>12}", human_bytes(sum.bytes))) +
                fmt::format("{:>9}{:>9}  {}\n", percent(sum.bytes, whole), exact_count(sum.blocks),
                            where);
    }

    std::string& out_;
    const SiteRows& rows_;
    const TextOptions& options_;
    Style style_;
};

void write_remark(std::string& out, const std::string& text, const TextOptions& options) {
    out += "\n";
    write_wrapped(out, "  " + text, 2, options.width);
}

}  // namespace

void write_training(std::string& out, const Recording& recording, const TrainingReport& training,
                    const SiteRows& rows, const TextOptions& options) {
    const TrainingTable& table = training.table;
    write_program(out, recording, options);
    if (table.spaces.empty()) {
        write_remark(out,
                     "No tensors of PyTorch and no arrays of JAX or TensorFlow were recorded, so "
                     "nothing is told about a training.",
                     options);
    }
    Writer writer(out, rows, options);
    for (const TrainingSpace& space : table.spaces) {
        if (options.space.empty() || options.space == space.name) writer.write(space, table);
    }
    writer.write(training.advice);
    for (const TrainingSpace& space : table.spaces) {
        if (options.space.empty() || options.space == space.name) {
            writer.write_details(space, table);
        }
    }
    for (const std::string& limit : limits_of_arrays(table)) write_remark(out, limit, options);
    if (table.left_out != 0) {
        write_remark(out,
                     fmt::format("{} were not followed, because there were too many: the figures "
                                 "are of the first ones.",
                                 counted(table.left_out, "tensor")),
                     options);
    }
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
