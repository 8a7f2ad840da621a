// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/estimate.h"
#include "analyzer/model/gpu_facts.h"
#include "analyzer/report/report_host.h"
#include "analyzer/report/report_leaks.h"
#include "analyzer/report/report_lost.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {

namespace {

// Writes the remarks on GPUs that a reader of the table needs.
void write_gpu_hints(std::string& out, const Recording& recording, const TextOptions& options) {
    const GpuInfo& gpu = recording.model.gpu;
    const Space* mappings = find_space(recording.model, "mmap");
    const bool both = mappings != nullptr && mappings->classes.contains("gpu_driver") &&
                      find_space(recording.model, "pinned") != nullptr;
    if (both) {
        write_wrapped(out,
                      fmt::format("  pinned lies in mappings of the GPU's driver, which are part "
                                  "of mmap ({} at most): the same memory",
                                  human_bytes(mappings->classes.at("gpu_driver").own_peak_bytes)),
                      4, options.width);
    }
    if (!gpu.devices.empty()) {
        out += "  memtrace-report gpu says who takes what of each device\n";
    }
    if (gpu.refusals.empty()) return;
    out += "  " + Style(options.colour).bad(refusals_text(gpu)) +
           ": memtrace-report oom says who held it\n";
}

// Says of a sample of the heap what its figures are worth.
void write_sample(std::string& out, const Model& model, const TextOptions& options) {
    const std::string text = sample_text(model);
    if (!text.empty()) write_wrapped(out, "  " + text, 4, options.width);
}

void write_host_hint(std::string& out, const Recording& recording, const TextOptions& options) {
    const std::string line = host_line(recording);
    if (!line.empty()) write_wrapped(out, "  " + line + ": memtrace-report host", 4, options.width);
}

void write_space_table(std::string& out, const Recording& recording, const TextOptions& options) {
    const Style style(options.colour);
    if (recording.model.spaces.empty()) return;
    const bool tidied =
        std::any_of(recording.model.spaces.begin(), recording.model.spaces.end(),
                    [&](const Space& space) { return changed_after_work(recording.model, space); });
    const bool wide = options.width >= (tidied ? 100 : 96);
    size_t name_width = 12;
    for (const Space& space : recording.model.spaces) {
        name_width = std::max(name_width, display_width(printable(space.name)) + 1);
    }
    std::string header =
        fmt::format("  {:<{}}{:>11}{:>13}{}{:>12}{:>12}", "SPACE", name_width, "PEAK", "AFTER",
                    tidied ? fmt::format("{:>12}", "WORK ENDED") : "",
                    recording.model.phase ? "LEFT" : "AT THE END", "ALLOCATED");
    if (wide) header += fmt::format("{:>15}{:>11}", "CALLS", "TEMPORARY");
    out += "\n" + style.faint(header) + "\n";
    for (const Space& space : recording.model.spaces) {
        const Totals& totals = space.totals;
        const std::string sign = space.is_estimate ? "~" : "";
        const auto bytes = [&](uint64_t value) {
            return fmt::format("{:>12}", sign + human_bytes(value));
        };
        const std::string peak = fmt::format("{:>11}", sign + human_bytes(totals.own_peak_bytes));
        out += fmt::format("  {:<{}}{}{:>13}", printable(space.name), name_width,
                           style.number(peak), human_time(space.peak_time_ns)) +
               (tidied ? bytes(totals.held_bytes) : "") + bytes(totals.live_bytes) +
               bytes(totals.allocated_bytes);
        if (wide) {
            const std::string temporary =
                space.is_estimate ? "-" : percent(totals.temporary, totals.allocations);
            out += fmt::format("{:>15}{:>11}", sign + exact_count(totals.allocations), temporary);
        }
        out += "\n";
    }
}

// What a space holds has grown little if it has by less than this.
constexpr uint64_t grown_min_bytes = 64 << 10;
constexpr uint64_t grown_min_part = 100;  // a hundredth of what it held

uint64_t above(uint64_t bytes, uint64_t other) { return bytes - std::min(bytes, other); }

uint64_t grown(const Totals& totals) { return above(totals.held_bytes, totals.half_bytes); }

// How much more it was at the peak of its space than in the middle of the recording.
uint64_t risen(const Totals& totals) { return above(totals.at_peak_bytes, totals.half_bytes); }

bool is_much(const Space& space, uint64_t bytes) {
    return bytes >= std::max(grown_min_bytes, space.totals.half_bytes / grown_min_part);
}

// Returns how much of its growth the sample of a space may show by chance: three deviations.
uint64_t chance_of(const Space& space) {
    if (!space.is_estimate) return 0;
    const double bytes =
        static_cast<double>(space.totals.held_bytes) + static_cast<double>(space.totals.half_bytes);
    return static_cast<uint64_t>(3 * estimate_deviation(bytes, space.sample_interval));
}

// How much more a line held at the peak of its space than in the middle and at the end.
uint64_t risen_and_fallen(const Totals& totals) {
    return std::min(risen(totals), above(totals.at_peak_bytes, totals.held_bytes));
}

// The line of a space that has most of an amount.
struct LineAmount {
    uint64_t bytes = 0;
    const OwnRow* row = nullptr;
};
LineAmount line_with_most(const OwnLines& lines, size_t space, uint64_t amount(const Totals&)) {
    LineAmount most;
    for (size_t row = 0; row < lines.rows.size(); ++row) {
        const uint64_t bytes = amount(lines.totals[space][row]);
        if (bytes > most.bytes || most.row == nullptr) most = {bytes, &lines.rows[row]};
    }
    return most;
}

// True if a space was at its peak in the second half, and most of what it rose by was given back by
// the line that it rose by. Data of a long run that goes with its last function, before the work
// ends, does so. What falls may be something else, and hide that a line only grows.
bool rose_and_fell(const Space& space, const LineAmount& line, const ProcessInfo& process) {
    const uint64_t rise = risen(space.totals);
    return space.peak_time_ns > process.half_ns && is_much(space, rise) &&
           rise > chance_of(space) && rise / 2 > grown(space.totals) && line.bytes >= rise / 2;
}

// Says which line's mappings are hardly touched: an allocator's arena may be a gigabyte of
// addresses with a few pages of memory, in the line that happened to need it first.
void write_untouched_hint(std::string& out, const Recording& recording,
                          const std::vector<UntouchedRow>& untouched, const TextOptions& options) {
    constexpr uint64_t hinted_min = uint64_t{16} << 20;
    constexpr uint64_t hinted_part = 4;  // of what the space holds
    constexpr size_t room = 40;
    const Space* const mmap = find_space(recording.model, "mmap");
    if (untouched.empty() || mmap == nullptr || !options.shows(*mmap)) return;
    const uint64_t bytes = recording.model.host.at_end->not_touched;
    if (bytes < std::max(hinted_min, mmap->totals.held_bytes / hinted_part)) return;
    const UntouchedRow& most = untouched.front();
    write_wrapped(
        out,
        fmt::format("  mmap counts addresses: {} of what it held at the end have no "
                    "memory behind them ({}: {} of {} are resident): memtrace-report host",
                    human_bytes(bytes), own_row_text(recording.symbols, *most.row, room),
                    human_bytes(most.resident), human_bytes(most.mapped)),
        4, options.width);
}

// What became more since the middle of the recording. Each text has several spaces.
struct GrownTexts {
    std::string much, little, rose;
    bool has_space = false, is_by_chance = false, is_hidden = false;
};

class GrownWriter {
public:
    GrownWriter(const Recording& recording, const OwnLines& lines,
                const std::vector<UntouchedRow>& untouched)
        : recording_(recording), model_(recording.model), lines_(lines), untouched_(untouched) {}

    void add(size_t index) {
        const Space& space = model_.spaces[index];
        texts_.has_space = true;
        const uint64_t more = grown(space.totals), chance = chance_of(space);
        const LineAmount line = line_with_most(lines_, index, grown);
        const LineAmount fallen = line_with_most(lines_, index, risen_and_fallen);
        const bool rose = rose_and_fell(space, fallen, model_.process);
        if (rose) {
            append(texts_.rose,
                   fmt::format("{} rose by {} until {} ({})", printable(space.name),
                               amount_of(space, risen(space.totals)),
                               human_time(space.peak_time_ns), text_of(space, fallen)));
        }
        if (std::max(more, line.bytes) < chance) {
            texts_.is_by_chance |= more != 0;
        } else if (is_much(space, std::max(more, line.bytes))) {
            append(texts_.much, grown_text(space, line));
        } else if (more != 0 && !rose) {
            append(texts_.little, grown_text(space, line));
        } else {
            texts_.is_hidden |= line.bytes >= hidden_min_bytes;
        }
    }

    const GrownTexts& texts() const { return texts_; }

private:
    // What a line may grow by unseen, where its space as a whole does not.
    static constexpr uint64_t hidden_min_bytes = 1 << 10;

    static void append(std::string& list, const std::string& text) {
        list += (list.empty() ? "" : ", ") + text;
    }
    static std::string amount_of(const Space& space, uint64_t bytes) {
        return (space.is_estimate ? "~" : "") + human_bytes(bytes);
    }
    std::string place_of(const LineAmount& line) const {
        constexpr size_t room = 40;
        return own_row_text(recording_.symbols, *line.row, room);
    }
    std::string text_of(const Space& space, const LineAmount& line) const {
        return place_of(line) + ": " + amount_of(space, line.bytes);
    }
    std::string grown_text(const Space& space, const LineAmount& line) const {
        const uint64_t more = grown(space.totals);
        const char* const rest = line.bytes > more + more / 10 ? ", while others shrank" : "";
        if (more == 0) {
            return fmt::format("in {} {} by {}{}", printable(space.name), place_of(line),
                               amount_of(space, line.bytes), rest);
        }
        return fmt::format("{} by {} ({}{}{})", printable(space.name), amount_of(space, more),
                           text_of(space, line), rest, resident_text(space, line));
    }
    // What grew may be addresses with hardly any memory behind them.
    std::string resident_text(const Space& space, const LineAmount& line) const {
        if (space.name != "mmap") return {};
        const auto found = std::ranges::find(untouched_, line.row, &UntouchedRow::row);
        const bool is_said = found != untouched_.end() && found->resident <= line.bytes / 2;
        return is_said ? fmt::format(", of which {} are resident", human_bytes(found->resident))
                       : "";
    }

    const Recording& recording_;
    const Model& model_;
    const OwnLines& lines_;
    const std::vector<UntouchedRow>& untouched_;
    GrownTexts texts_;
};

// Writes a fact and no verdict: `growth` judges.
void write_grown(std::string& out, const Recording& recording, const OwnLines& lines,
                 const std::vector<UntouchedRow>& untouched, const TextOptions& options) {
    const Model& model = recording.model;
    if (model.process.half_ns == 0 || model.phase) return;
    GrownWriter writer(recording, lines, untouched);
    for (size_t i = 0; i < model.spaces.size(); ++i) {
        if (options.shows(model.spaces[i])) writer.add(i);
    }
    const GrownTexts& found = writer.texts();
    if (!found.has_space) return;
    const std::string since = "in the second half, since " + human_time(model.process.half_ns);
    std::string text = (found.is_hidden ? "nothing grew much " : "nothing grew ") + since;
    if (!found.rose.empty()) {
        text = since + ", " + found.rose + ", and fell again";
        if (!found.much.empty()) text += "; grew: " + found.much;
    } else if (!found.much.empty()) text = "grew " + since + ": " + found.much;
    else if (!found.little.empty()) text = "grew little " + since + ": " + found.little;
    else if (found.is_by_chance)
        text = "nothing grew beyond what a sample shows by chance " + since;
    write_wrapped(out, "  " + text + ": memtrace-report growth", 4, options.width);
}

void write_next(std::string& out, const Recording& recording, const TextOptions& options) {
    const bool trains =
        recording.model.stacks.autograd_module != no_module && !recording.is_compacted;
    out += "\n";
    write_wrapped(out,
                  fmt::format("  Next: memtrace-report html (all of it in the browser), {}leaks "
                              "(what stays), growth (what grows), peak (what was held then), lines "
                              "FILE (beside your source)",
                              trains ? "training (parameters, gradients, activations), " : ""),
                  4, options.width);
}

// Writes what most readers came for, each answer by a function of its own.
void write_first_screen(std::string& out, const Recording& recording, const TextOptions& options,
                        const std::vector<std::string>& tensors) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    write_space_table(out, recording, options);
    write_sample(out, recording.model, options);
    write_host_hint(out, recording, options);
    write_gpu_hints(out, recording, options);
    for (const std::string& sentence : tensors) {
        // Kinds are told from whole lives, which a compacted dump does not have.
        const char* const next = recording.is_compacted ? "" : ": memtrace-report training";
        write_wrapped(out, "  " + sentence + next, 4, options.width);
    }
    const OwnLines lines = find_own_lines(recording, true);
    const std::vector<UntouchedRow> untouched = untouched_rows(recording.model, lines);
    write_untouched_hint(out, recording, untouched, options);
    write_grown(out, recording, lines, untouched, options);
    write_own_lines(out, recording, lines, OwnFigures::peak_and_held, options);
    if (!recording.model.spaces.empty()) write_next(out, recording, options);
}

}  // namespace

std::string sample_text(const Model& model) {
    const Space* const host = find_space(model, "host");
    if (host == nullptr || host->sample_interval == 0) return {};
    const uint64_t interval = host->sample_interval;
    const uint64_t some = 16 * interval, much = 1024 * interval;
    const auto limit = model.options.find("max_dump");
    const bool varies = limit != model.options.end() && limit->second != "0";
    const bool has_turned = host->exact_until_ns.has_value();
    std::string what = "host is estimated";
    if (has_turned) {
        what = fmt::format(
            "host is exact until {}, when max_dump was nearly used up, and estimated from then on,",
            human_time(*host->exact_until_ns));
    }
    return fmt::format(
        "{} from a sample of {}, one in {}{} on average: {}{} may be {} off, and {} "
        "{} (in 95 of 100 cases)",
        what, counted(host->sampled, "block"), has_turned || varies ? "at most " : "",
        human_bytes(interval), human_bytes(some), has_turned ? " of it" : "",
        estimate_error_text(some, interval), human_bytes(much),
        estimate_error_text(much, interval));
}

void write_peak_of(std::string& out, const Recording& recording, const Space& space,
                   const TextOptions& options) {
    const auto& phase = recording.model.phase;
    const std::string in = phase ? std::string(" in the ") + phase->noun() : "";
    write_title(out, options, "Peak of " + printable(space.name) + in,
                ": " +
                    amount_text(space, space.totals.own_peak_bytes, space.totals.at_peak_blocks) +
                    ", after " + human_time(space.peak_time_ns));
    if (const auto& info = recording.model.capture.python_objects) {
        write_arenas_of(out, recording, space, info->arena_bytes_at_peak,
                        space.totals.own_peak_bytes, options);
    }
    write_site_list(out, recording, space, Measure::at_peak, options);
}

void write_summary(std::string& out, const Recording& recording, const TextOptions& options,
                   const std::vector<std::string>& tensors) {
    write_first_screen(out, recording, options, tensors);
    for (const Space& space : recording.model.spaces) {
        if (options.shows(space)) write_peak_of(out, recording, space, options);
    }
    for (const Space& space : recording.model.spaces) {
        if (options.shows(space)) write_leaks_in_summary(out, recording, space, options);
    }
    write_lost_in_summary(out, recording, options);
    write_foot(out, recording, options);
}

void write_peak(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    write_own_lines(out, recording, find_own_lines(recording), OwnFigures::peak, options);
    for (const Space& space : recording.model.spaces) {
        if (options.shows(space)) write_peak_of(out, recording, space, options);
    }
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
