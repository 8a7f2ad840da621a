// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/model/selection.h"
#include "analyzer/report/report_quiet.h"
#include "analyzer/sites/site_columns.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t indent = 6;
constexpr size_t parts_shown = 5;
// Pinned parts of the heap are worth a line from 1 MiB and a tenth of the resident set on.
constexpr uint64_t pinned_min = 1 << 20;
constexpr uint64_t pinned_part = 10;

uint64_t whole(double value) { return value <= 0 ? 0 : static_cast<uint64_t>(std::llround(value)); }

// Three digits, and no power of ten.
std::string about(double count) {
    return count < 999.5 ? fmt::format("{:.3g}", count) : exact_count(whole(count));
}

std::string rate_text(const Growth& growth, const GrowthRate& rate) {
    const std::string between =
        fmt::format(" ({} to {})", human_bytes_of(rate.low), human_bytes_of(rate.high));
    if (!growth.by_steps) {
        return fmt::format("{} an hour{}, {}", human_bytes_of(rate.bytes_per_hour), between,
                           counted_of(rate.blocks_per_hour, "block"));
    }
    return fmt::format("{} a step{}, {}; {} an hour", human_bytes_of(rate.bytes_per_step), between,
                       counted_of(rate.blocks_per_step, "block"),
                       human_bytes_of(rate.bytes_per_hour));
}

// The last step of a loop has no end that is known, so it is not judged.
std::string steps_text(const Model& model) {
    const uint64_t judged = model.slices.steps;
    const auto& steps = model.loops.steps;
    const uint64_t all =
        model.slices.is_found && steps ? model.loops.loops[*steps].count.value_or(0) : 0;
    return (all > judged ? exact_count(judged) + " of " : "") +
           counted(std::max(all, judged), "step");
}

std::string headline(const Recording& recording, const Growth& growth) {
    const RunSlices& slices = recording.model.slices;
    const std::string until = " up to " + human_time(growth.until_ns);
    const std::string how =
        growth.by_steps
            ? fmt::format(", judged by {} (\"{}\"){}", steps_text(recording.model),
                          printable(slices.step), until)
            : fmt::format(", judged by {} of the run{}", counted(growth.points, "part"), until);
    if (!slices.is_trimmed) return how;
    return how + ", after which it only released memory";
}

class Writer {
public:
    Writer(std::string& out, const Recording& recording, const Growth& growth,
           const TextOptions& options)
        : out_(out),
          recording_(recording),
          growth_(growth),
          options_(options),
          style_(options.colour) {}

    void run() {
        write_title(out_, options_, "Growth", headline(recording_, growth_));
        size_t shown = 0, left = 0;
        for (const GrowthFinding& finding : growth_.findings) {
            if (!is_growth(finding.verdict) || !is_shown(finding.space)) continue;
            if (shown < options_.top && is_enough(recording_, finding, options_)) {
                if (shown > 0) out_ += "\n";
                write_finding(finding);
            } else {
                left += 1;
            }
            shown += 1;
        }
        if (left > 0) out_ += "\n  " + style_.faint(counted(left, "finding") + " more") + "\n";
        if (shown == 0) out_ += "  No call site grows steadily.\n";
        write_spaces();
        write_quiet(out_, recording_, growth_, options_);
    }

private:
    bool is_shown(const std::string& space) const {
        return options_.space.empty() || options_.space == space;
    }

    void write_spaces() {
        out_ += "\n";
        for (const SpaceGrowth& space : growth_.spaces) {
            if (!is_shown(space.space)) continue;
            std::string line = fmt::format("  {}: {} held; ", printable(space.space),
                                           human_bytes(space.held_bytes));
            if (space.verdict == Verdict::leak) {
                const bool grows = space.rate.bytes_per_hour != 0;
                line += grows ? style_.bad("leaks ") + rate_text(growth_, space.rate)
                              : style_.bad("lost blocks") + " in it, which do not grow";
            } else {
                line += fmt::format("{} ({})", word_of(space.verdict), space.why);
            }
            write_wrapped(out_, line, 4, options_.width);
        }
        for (const Exhaustion& end : growth_.exhaustions) write_exhaustion(end);
        if (options_.space.empty()) write_pinned();
    }

    // The machine's memory is used up by what is resident, a device's by what is held there.
    void write_exhaustion(const Exhaustion& end) {
        const std::string what = end.of == "host" ? "resident" : printable(end.of);
        std::string line = fmt::format("  {}: {}", what, human_bytes(end.used));
        if (end.own != 0) line += fmt::format(", of it memtrace {}", human_bytes(end.own));
        if (end.not_known.empty()) {
            line += fmt::format(", grows by {} an hour; {} of {} are left: about {}",
                                human_bytes_of(end.bytes_per_hour),
                                human_bytes(end.capacity - end.used), human_bytes(end.capacity),
                                human_long_time(whole(end.after_ns)));
        } else {
            line += "; when memory runs out is not known: " + end.not_known;
        }
        write_wrapped(out_, line, 4, options_.width);
    }

    // Small blocks can keep much more of the heap resident than they hold.
    void write_pinned() {
        const auto& ledger = recording_.model.host.at_end;
        if (!ledger || ledger->pins.empty()) return;
        if (ledger->pinned < std::max(pinned_min, ledger->resident / pinned_part)) return;
        const HostPin& pin = ledger->pins[0];
        const std::string text = fmt::format(
            "  {} of {} resident are free parts of the heap below blocks that live, {} of them "
            "below "
            "{} ({}) of",
            human_bytes(ledger->pinned), human_bytes(ledger->resident), human_bytes(pin.free_bytes),
            counted(pin.blocks, "block"), human_bytes(pin.block_bytes));
        write_wrapped(out_, text, 4, options_.width);
        write_frame(own_frame_of(pin.stack), 4, false);
        write_wrapped(out_, "    (memtrace-report host lists them)", 4, options_.width);
    }

    // Returns the innermost frame of the user's own code, or else the innermost one.
    FrameId own_frame_of(uint32_t stack) const {
        const StackView view(recording_.symbols, options_.interpreter_frames);
        FrameId first = no_frame, own = no_frame;
        view.walk_interesting(stack, [&](FrameId id, uint32_t) {
            if (first == no_frame) first = id;
            if (is_user_code(recording_.symbols.frames[id], recording_.code)) own = id;
            return own == no_frame;
        });
        return own == no_frame ? first : own;
    }

    // The reader's own line comes first: most of the time it is enough.
    void write_finding(const GrowthFinding& finding) {
        const bool leaks = finding.verdict == Verdict::leak;
        const std::string title = leaks ? "LEAK" : "growing, not sure";
        const size_t column = 2 + title.size() + 2;
        out_ += "  " + (leaks ? style_.bad(title) : title) + "  ";
        if (!finding.lines.empty()) write_place(finding.lines[0].frame, column, true);
        else write_place(finding.frames.empty() ? no_frame : finding.frames[0], column, true);
        write_wrapped(out_, "    " + kept_text(finding), indent, options_.width);
        const bool only_lost =
            finding.reason == GrowthReason::lost && finding.rate.bytes_per_hour == 0;
        write_wrapped(out_,
                      fmt::format("    {}: {}; confidence {:.2f}", printable(finding.space),
                                  only_lost ? "no rate: it was lost and does not grow"
                                            : rate_text(growth_, finding.rate),
                                  finding.confidence),
                      indent, options_.width);
        write_wrapped(out_, "    " + finding.why, indent, options_.width);
        if (const std::string_view end = sentence_of(finding.reason); !end.empty()) {
            write_wrapped(out_, fmt::format("    {}", end), indent, options_.width);
        }
        write_places(finding);
    }

    // "3.3 MiB: 3,200 of 3,200 blocks stay, 4 in each of 800 steps; since 1.2 s"
    std::string kept_text(const GrowthFinding& finding) const {
        const Space* space = find_space(recording_.model, finding.space);
        const char* const sign = space != nullptr && space->is_estimate ? "~" : "";
        std::string text = fmt::format(
            "{}{}: {}{} of {} stay", sign, human_bytes(finding.grown_bytes), sign,
            exact_count(finding.grown_blocks), counted(finding.acquired_blocks, "block"));
        if (finding.grown_steps > 0) {
            const double each = static_cast<double>(finding.grown_blocks) /
                                static_cast<double>(finding.grown_steps);
            const std::string steps = counted(finding.grown_steps, "step");
            text += finding.grown_blocks == 1 ? fmt::format(", in {}", steps)
                    : each >= 0.95 ? fmt::format(", {} in each of {}", about(each), steps)
                                   : fmt::format(", one in every {} of {}", about(1 / each), steps);
        }
        return text + fmt::format("; since {}", human_time(finding.since_ns));
    }

    // Writes the rest of a line that has `column` columns already.
    void write_place(FrameId id, size_t column, bool strong) {
        const size_t room = options_.width > column ? options_.width - column : 16;
        out_ += id == no_frame
                    ? std::string(no_stack_text)
                    : place_text(recording_.symbols.frames[id], room, "", style_, strong);
        out_ += "\n";
    }

    void write_frame(FrameId id, size_t column, bool strong) {
        out_ += std::string(column, ' ');
        write_place(id, column, strong);
    }

    void write_gap() { out_ += std::string(indent + 2, ' ') + style_.faint("...") + "\n"; }

    // The frames shown of a long stack: [0, first) and [second, end).
    struct Excerpt {
        size_t first;
        size_t second;
        size_t end;
    };

    // A library's innermost frames tell what was allocated, and the program's own frames tell for
    // whom. If the innermost own frame, or else the innermost Python frame, lies further out than
    // there are lines, some of the lines are reserved for it and its callers.
    Excerpt excerpt_of(const std::vector<FrameId>& frames) const {
        constexpr size_t outer_lines = 4;
        const size_t count = frames.size();
        if (count <= options_.depth) return {count, count, count};
        const auto frame_of = [&](FrameId id) -> const Frame& {
            return recording_.symbols.frames[id];
        };
        const auto first_of = [&](auto&& is_wanted) {
            const auto found = std::find_if(frames.begin(), frames.end(), is_wanted);
            return static_cast<size_t>(found - frames.begin());
        };
        size_t place =
            first_of([&](FrameId id) { return is_user_code(frame_of(id), recording_.code); });
        if (place < options_.depth || place == count) {
            place = first_of([&](FrameId id) { return frame_of(id).kind == FrameKind::python; });
        }
        if (place < options_.depth || place == count) return {options_.depth, count, count};
        const size_t kept = options_.depth - std::min(outer_lines, options_.depth - 1);
        return {kept, place, std::min(count, place + options_.depth - kept)};
    }

    void write_places(const GrowthFinding& finding) {
        if (finding.sites > 1) {
            const char* const where =
                finding.frames.empty() ? " without a common caller" : " below";
            out_ += std::string(indent, ' ') +
                    style_.faint(counted(finding.sites, "call stack") + where) + "\n";
        }
        const Excerpt excerpt = excerpt_of(finding.frames);
        for (size_t i = 0; i < excerpt.first; ++i) {
            write_frame(finding.frames[i], i == 0 ? indent : indent + 2, i == 0);
        }
        if (excerpt.second != excerpt.first) write_gap();
        for (size_t i = excerpt.second; i < excerpt.end; ++i) {
            write_frame(finding.frames[i], indent + 2, false);
        }
        if (excerpt.end != finding.frames.size() && excerpt.end != excerpt.second) write_gap();
        if (finding.frames.empty() && finding.sites <= 1) {
            out_ += std::string(indent, ' ') + no_stack_text + "\n";
        }
        if (finding.sites <= 1) return;
        write_parts(finding, write_lines(finding));
    }

    void write_share(const std::string& share, FrameId id) {
        out_ += fmt::format("{:{}}{:>7}  ", "", indent, share);
        if (id == no_frame) {
            out_ += std::string(no_stack_text) + "\n";
            return;
        }
        out_ += place_text(recording_.symbols.frames[id], options_.width - 20, "", style_, false) +
                "\n";
    }

    void write_more(size_t all, const char* what) {
        if (all <= parts_shown) return;
        const std::string more = counted(all - parts_shown, what) + " more";
        out_ += fmt::format("{:{}}{:9}", "", indent, "") + style_.faint(more) + "\n";
    }

    // Writes the lines of the user's own code through which the stacks differ. Returns whether
    // there are any.
    bool write_lines(const GrowthFinding& finding) {
        const bool is_said = finding.lines.size() == 1 && !finding.frames.empty() &&
                             finding.lines[0].frame == finding.frames[0];
        if (finding.lines.empty() || is_said) return false;
        out_ += std::string(indent, ' ') + style_.faint("through these lines of your code") + "\n";
        for (size_t i = 0; i < std::min(finding.lines.size(), parts_shown); ++i) {
            const GrowthLine& line = finding.lines[i];
            write_share(fmt::format("{:.1f} %", line.share * 100), line.frame);
        }
        write_more(finding.lines.size(), "line");
        return true;
    }

    // Writes the innermost place of each part, with its share.
    void write_parts(const GrowthFinding& finding, bool follows_lines) {
        const StackView view(recording_.symbols, options_.interpreter_frames);
        const TableOptions shape{1, options_.all_frames, options_.interpreter_frames};
        Space parts;
        for (const GrowthPart& part : finding.parts) {
            Site site;
            site.stack = part.stack;
            site.totals.live_bytes = whole(part.share * static_cast<double>(finding.grown_bytes));
            parts.totals.live_bytes += site.totals.live_bytes;
            parts.sites.push_back(site);
        }
        const SiteTable table = make_site_table(parts, recording_.symbols, Measure::leaked, shape);
        const auto frame_of = [&](uint32_t group) { return table.nodes[group].frame; };
        const bool is_head = table.groups.size() == 1 && !finding.frames.empty() &&
                             frame_of(table.groups[0]) == finding.frames[0];
        const bool are_lines =
            follows_lines && std::ranges::equal(table.groups, finding.lines, {}, frame_of,
                                                [](const GrowthLine& line) { return line.frame; });
        if (is_head || are_lines) return;  // They are said.
        if (follows_lines)
            out_ += std::string(indent, ' ') + style_.faint("and in the end here") + "\n";
        for (size_t i = 0; i < std::min(table.groups.size(), parts_shown); ++i) {
            const Caller& place = table.nodes[table.groups[i]];
            write_share(percent(place.totals.live_bytes, finding.grown_bytes), place.frame);
        }
        write_more(table.groups.size(), "place");
    }

    std::string& out_;
    const Recording& recording_;
    const Growth& growth_;
    const TextOptions& options_;
    Style style_;
};

}  // namespace

void write_growth(std::string& out, const Recording& recording, const Growth& growth,
                  const TextOptions& options) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    if (!nothing_passes_text(recording.model).empty()) return write_foot(out, recording, options);
    if (growth.not_judged.empty()) {
        Writer(out, recording, growth, options).run();
    } else {
        write_title(out, options, "Growth", " was not judged");
        write_wrapped(out, "  " + growth.not_judged, 2, options.width);
    }
    write_foot(out, recording, options);
}

}  // namespace memtrace::analyzer
