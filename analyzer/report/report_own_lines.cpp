// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_own_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/sites/site_columns.h"

namespace memtrace::analyzer {

namespace {

using Kind = OwnRow::Kind;

constexpr size_t margin = 2;
constexpr size_t label_least = 34;  // columns; a space that leaves fewer begins another table
constexpr size_t narrowest = 16;
constexpr size_t imports_shown = 2;

// A column: a figure of one space.
struct Column {
    size_t space = 0;  // index in the model
    bool is_blocks = false;
    Measure measure = Measure::at_peak;
    bool is_estimate = false;
    std::string title;

    // Estimates have a sign before the number.
    size_t width() const { return is_estimate ? 12 : 11; }
};

size_t width_of(std::span<const Column> columns) {
    size_t width = 0;
    for (const Column& column : columns) width += column.width();
    return width;
}

uint64_t value_of(const Totals& totals, const Column& column) {
    if (!column.is_blocks) return value_of(totals, column.measure);
    return blocks_of(totals, column.measure);
}

std::string line_text(const Symbols& symbols, const OwnRow& row, size_t room) {
    if (!row.name.empty()) return "[" + printable(base_name(row.name)) + "]";
    Frame frame = symbols.frames[row.frame];
    if (frame.kind == FrameKind::backward) frame.kind = FrameKind::python;
    return place_text(frame, room, "", Style(false), false);
}

class Table {
public:
    Table(const Recording& recording, const OwnLines& lines, std::vector<Column> columns,
          const TextOptions& options)
        : recording_(recording),
          lines_(lines),
          columns_(std::move(columns)),
          options_(options),
          style_(options.colour) {
        const size_t taken = margin + width_of(columns_);
        const size_t left = options.width > taken ? options.width - taken : 0;
        room_ = std::max(left, narrowest);
        choose_rows();
    }

    void write(std::string& out) {
        add_lines(own_, options_.own_top, options_.all_rows, "line", "lines");
        add_lines(imports_, imports_shown, options_.all_rows, "import", "imports");
        for (const size_t row : kept_) add_row(row);
        add_libraries();
        if (shown_.empty()) return;
        if (shown_.size() > 1) shown_.push_back({"in all", whole_, true});
        for (const Line& line : shown_) {
            label_width_ = std::max(label_width_, display_width(line.label));
        }
        label_width_ = std::min(std::max(label_width_, label_least), room_);
        out += "\n";
        write_head(out);
        for (const Line& line : shown_) write_line(out, line);
    }

private:
    struct Line {
        std::string label;
        std::vector<uint64_t> values;  // by column
        bool is_faint = false;
    };

    // ---- which rows

    std::vector<uint64_t> values_of(size_t row) const {
        std::vector<uint64_t> values(columns_.size());
        const auto add = [&](size_t part) {
            for (size_t i = 0; i < columns_.size(); ++i)
                values[i] += value_of(lines_.totals[columns_[i].space][part], columns_[i]);
        };
        add(row);
        const auto alike = alike_.find(row);
        if (alike == alike_.end()) return values;
        for (const size_t other : alike->second) add(other);
        return values;
    }

    // Returns the weight by which rows are sorted: the largest of the sums over spaces of one
    // measure.
    uint64_t weight_of(const std::vector<uint64_t>& values) const {
        uint64_t peak = 0, held = 0;
        for (size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i].is_blocks) continue;
            (columns_[i].measure == Measure::at_peak ? peak : held) += values[i];
        }
        return std::max(peak, held);
    }

    // A line of a template has a row for each of its instances. Those whose names are cut to the
    // same text become one row, with the first of them. Returns true for the others, by row.
    std::vector<bool> join_alike() {
        using Place = std::tuple<std::string_view, uint32_t>;
        std::map<Place, std::vector<size_t>> instances;  // by file and line
        for (size_t row = 0; row < lines_.rows.size(); ++row) {
            const OwnRow& of = lines_.rows[row];
            if (of.kind != Kind::line || !of.name.empty()) continue;
            const Frame& frame = recording_.symbols.frames[of.frame];
            if (frame.line != 0) instances[{frame.file, frame.line}].push_back(row);
        }
        std::vector<bool> is_joined(lines_.rows.size());
        for (const auto& [place, rows] : instances) {
            if (rows.size() == 1) continue;
            std::map<std::string, size_t> firsts;
            for (const size_t row : rows) {
                const auto [first, is_new] = firsts.try_emplace(label_of(row), row);
                if (is_new) continue;
                alike_[first->second].push_back(row);
                is_joined[row] = true;
            }
        }
        return is_joined;
    }

    void choose_rows() {
        whole_.assign(columns_.size(), 0);
        weights_.resize(lines_.rows.size());
        const std::vector<bool> is_joined = join_alike();
        for (size_t row = 0; row < lines_.rows.size(); ++row) {
            if (is_joined[row]) continue;
            const std::vector<uint64_t> values = values_of(row);
            if (std::all_of(values.begin(), values.end(),
                            [](uint64_t value) { return value == 0; }))
                continue;
            for (size_t i = 0; i < values.size(); ++i) whole_[i] += values[i];
            weights_[row] = weight_of(values);
            list_of(lines_.rows[row]).push_back(row);
        }
        for (std::vector<size_t>* rows : {&own_, &imports_, &kept_, &libraries_}) {
            std::stable_sort(rows->begin(), rows->end(),
                             [&](size_t a, size_t b) { return weights_[a] > weights_[b]; });
        }
    }

    std::vector<size_t>& list_of(const OwnRow& row) {
        switch (row.kind) {
            case Kind::line:
            case Kind::backward: return own_;
            case Kind::import: return imports_;
            case Kind::library: break;
        }
        return row.frame != no_frame ? kept_ : libraries_;
    }

    // ---- lines of text

    void add_row(size_t row) { shown_.push_back({label_of(row), values_of(row), false}); }

    void add_sum(std::span<const size_t> rows, const std::string& label) {
        Line line{label, std::vector<uint64_t>(columns_.size()), true};
        for (const size_t row : rows) {
            const std::vector<uint64_t> values = values_of(row);
            for (size_t i = 0; i < values.size(); ++i) line.values[i] += values[i];
        }
        shown_.push_back(std::move(line));
    }

    // Adds the largest rows, and the others as one line. `--min` counts parts of their sum.
    void add_lines(const std::vector<size_t>& rows, size_t most, bool all, const char* one,
                   const char* several) {
        uint64_t sum = 0;
        for (const size_t row : rows) sum += weights_[row];
        const uint64_t least = all ? 0 : options_.least(sum);
        size_t count = 0;
        const bool is_none_enough = !rows.empty() && weights_[rows[0]] < least;
        const auto is_enough = [&](size_t at) {
            const uint64_t weight = weights_[rows[at]];
            return is_none_enough ? at < options_.shown_least && weight != 0 : weight >= least;
        };
        while (count < rows.size() && (all || count < most) && is_enough(count)) {
            add_row(rows[count++]);
        }
        // The last row takes no more room than its sum.
        if (count + 1 == rows.size() && weights_[rows[count]] >= least) add_row(rows[count++]);
        if (count == rows.size()) return;
        const size_t left = rows.size() - count;
        add_sum(std::span(rows).subspan(count),
                fmt::format("{} {}{}", exact_count(left), left == 1 ? one : several,
                            count > 0 ? " more" : ""));
    }

    // Libraries are one line, unless there is nothing else.
    void add_libraries() {
        if (options_.all_rows || libraries_.size() == 1) {
            for (const size_t row : libraries_) add_row(row);
        } else if (own_.empty() && imports_.empty()) {
            add_lines(libraries_, options_.own_top, false, "library", "libraries");
        } else if (!libraries_.empty()) {
            add_sum(libraries_, libraries_text());
        }
    }

    std::string libraries_text() const {
        bool interpreter = false, threads = false, others = false;
        for (const size_t row : libraries_) {
            const std::string& name = lines_.rows[row].name;
            if (name == "the interpreter") interpreter = true;
            else if (name.starts_with("threads")) threads = true;
            else others = true;
        }
        std::string text;
        const auto add = [&](bool is_there, const char* word) {
            if (is_there) text += (text.empty() ? "" : ", ") + std::string(word);
        };
        add(interpreter, "interpreter");
        add(threads, "threads");
        add(others, "libraries");
        return text;
    }

    std::string label_of(size_t row) const {
        return own_row_text(recording_.symbols, lines_.rows[row], room_);
    }

    // ---- writing

    void write_head(std::string& out) const {
        const bool several = columns_.front().space != columns_.back().space;
        if (several) {
            std::string names = std::string(margin + label_width_, ' ');
            for (size_t i = 0; i < columns_.size(); i += 2) {
                const std::string name = printable(recording_.model.spaces[columns_[i].space].name);
                names += fmt::format("{:>{}}", "- " + name + " -",
                                     columns_[i].width() + columns_[i + 1].width());
            }
            out += style_.faint(names) + "\n";
        }
        const Space& space = recording_.model.spaces[columns_.front().space];
        std::string name = title();
        if (!several && recording_.model.spaces.size() > 1) {
            name += " (" + printable(space.name) + ")";
        }
        std::string head = fmt::format("{:{}}{:<{}}", "", margin, name, label_width_);
        for (const Column& column : columns_) {
            head += fmt::format("{:>{}}", column.title, column.width());
        }
        out += style_.faint(head) + "\n";
    }

    const char* title() const {
        const bool has_line = std::any_of(own_.begin(), own_.end(), [&](size_t row) {
            const OwnRow& of = lines_.rows[row];
            return of.name.empty() && recording_.symbols.frames[of.frame].line != 0;
        });
        return has_line ? "YOUR LINES" : own_.empty() ? "WHERE" : "YOUR CODE";
    }

    void write_line(std::string& out, const Line& line) const {
        const std::string label = fitted(line.label);
        const std::string gap(label_width_ - display_width(label), ' ');
        std::string text =
            std::string(margin, ' ') + (line.is_faint ? style_.faint(label) : label) + gap;
        for (size_t i = 0; i < columns_.size(); ++i) {
            const std::string number = fmt::format(
                "{:>{}}", number_text(columns_[i], line.values[i]), columns_[i].width());
            text += columns_[i].is_blocks ? number : style_.number(number);
        }
        out += text + "\n";
    }

    // The beginning of a label tells the line, so the end goes first.
    std::string fitted(const std::string& label) const {
        if (display_width(label) <= label_width_) return label;
        return cut_to_width(label, label_width_ - 3) + "...";
    }

    static std::string number_text(const Column& column, uint64_t value) {
        if (value == 0) return "-";
        return (column.is_estimate ? "~" : "") +
               (column.is_blocks ? exact_count(value) : human_bytes(value));
    }

    const Recording& recording_;
    const OwnLines& lines_;
    std::vector<Column> columns_;
    const TextOptions& options_;
    Style style_;
    size_t room_ = 0;                                       // columns that a label may take
    std::map<size_t, std::vector<size_t>> alike_;           // by row: those that look the same
    std::vector<uint64_t> whole_;                           // by column
    std::vector<uint64_t> weights_;                         // by row
    std::vector<size_t> own_, imports_, kept_, libraries_;  // numbers of rows, the largest first
    std::vector<Line> shown_;
    size_t label_width_ = 0;
};

std::vector<Column> columns_of(const Recording& recording, size_t index, OwnFigures figures) {
    const Space& space = recording.model.spaces[index];
    const Measure held = held_measure(recording.model, space);
    const Column peak{index, false, Measure::at_peak, space.is_estimate, "AT PEAK"};
    const Column left{index, false, held, space.is_estimate,
                      recording.model.phase ? "LEFT" : "HELD"};
    const auto with_blocks = [](const Column& bytes) {
        Column blocks = bytes;
        blocks.is_blocks = true;
        blocks.title = "BLOCKS";
        return std::vector{bytes, blocks};
    };
    switch (figures) {
        case OwnFigures::peak: return with_blocks(peak);
        case OwnFigures::held: return with_blocks(left);
        case OwnFigures::peak_and_held: break;
    }
    return {peak, left};
}

bool has_value(const Recording& recording, const Column& column) {
    return value_of(recording.model.spaces[column.space].totals, column) != 0;
}

}  // namespace

std::string own_row_text(const Symbols& symbols, const OwnRow& row, size_t room) {
    switch (row.kind) {
        case Kind::library: return printable(row.name);
        case Kind::line: return line_text(symbols, row, room);
        case Kind::backward: {
            const std::string before = "backward of ";
            return before + line_text(symbols, row, room - std::min(room, before.size()));
        }
        case Kind::import: break;
    }
    const std::string what = row.name.empty() ? "imports" : "import " + printable(row.name);
    const Frame& frame = symbols.frames[row.frame];
    if (frame.file.empty()) return what;
    return fmt::format("{} ({}:{})", what, printable(base_name(frame.file)), frame.line);
}

void write_own_lines(std::string& out, const Recording& recording, const OwnLines& lines,
                     OwnFigures figures, const TextOptions& options) {
    const size_t room =
        options.width > margin + label_least ? options.width - margin - label_least : 0;
    std::vector<Column> columns;
    const auto flush = [&] {
        if (!columns.empty()) Table(recording, lines, std::move(columns), options).write(out);
        columns.clear();
    };
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        const Space& space = recording.model.spaces[i];
        const std::vector<Column> of_space = columns_of(recording, i, figures);
        const bool is_empty =
            std::none_of(of_space.begin(), of_space.end(),
                         [&](const Column& column) { return has_value(recording, column); });
        if (!options.shows(space) || is_empty) continue;
        // Memory of a GPU is another subject than the host's.
        const bool begins_gpu = !columns.empty() && is_of_gpu(space) &&
                                !is_of_gpu(recording.model.spaces[columns.back().space]);
        const bool fits = width_of(columns) + width_of(of_space) <= room;
        if (begins_gpu || !fits) flush();
        columns.insert(columns.end(), of_space.begin(), of_space.end());
    }
    flush();
}

}  // namespace memtrace::analyzer
