// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/backward_frames.h"
#include "analyzer/frames/short_name.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t margin = 2;
constexpr size_t value_width = 11;
constexpr size_t share_width = 8;
constexpr size_t count_width = 11;
constexpr size_t name_min = 16;
constexpr size_t file_min = 8;
static_assert(margin + value_width + share_width + count_width + 2 == NumberColumns::width);

bool is_count(Measure measure) {
    return measure == Measure::allocations || measure == Measure::temporary;
}

const char* count_title(Measure measure) {
    switch (measure) {
        case Measure::allocations: return "BYTES";
        case Measure::allocated:
        case Measure::temporary:
        case Measure::own_peak: return "CALLS";
        default: return "BLOCKS";
    }
}

const char* value_title(Measure measure) {
    switch (measure) {
        case Measure::allocations: return "CALLS";
        case Measure::temporary: return "TEMPORARY";
        default: return "BYTES";
    }
}

std::string count_text(const Totals& totals, Measure measure) {
    if (measure == Measure::allocations) return human_bytes(totals.allocated_bytes);
    return exact_count(blocks_of(totals, measure));
}

size_t left_of(size_t room, size_t used) { return room > used ? room - used : 0; }

std::string line_suffix(const Frame& frame) {
    return frame.line == 0 ? "" : ":" + std::to_string(frame.line);
}

// Returns the file without its folder. In few columns the middle of its name goes, and not the
// line, which is what a reader came for. Empty if even that does not fit.
std::string narrow_location(const Frame& frame, size_t room) {
    const std::string line = line_suffix(frame);
    const std::string file = printable(base_name(frame.file));
    const size_t left = left_of(room, line.size());
    if (left < std::min(display_width(file), file_min)) return "";
    return cut_middle(file, left) + line;
}

// Uses Python's own order, as in its tracebacks. The location is more useful than the name, so the
// name is shortened first, at last to the function without its class.
std::string python_place(const Frame& frame, size_t room, const std::string& suffix,
                         const Style& style, bool strong) {
    std::string location = printable(short_path(frame.file));
    if (!location.empty()) location += line_suffix(frame);
    std::string full = printable(frame.function);
    const size_t least = std::min(display_width(full), name_min);
    const auto left = [&] { return left_of(room, display_width(location) + suffix.size() + 1); };
    if (left() < least && !frame.file.empty()) {
        location = printable(base_name(frame.file)) + line_suffix(frame);
        const std::string function = full.substr(full.rfind('.') + 1);
        if (left() < least && left() >= display_width(function)) full = function;
        else location = narrow_location(frame, left_of(room, least + suffix.size() + 1));
        const std::string alone = narrow_location(frame, left_of(room, suffix.size()));
        const bool has_both = !location.empty() || alone.empty();
        if (!has_both) return (strong ? style.strong(alone) : alone) + style.faint(suffix);
    }
    const std::string name = cut_middle(full, std::max(left(), least));
    if (location.empty()) return (strong ? style.strong(name) : name) + style.faint(suffix);
    return (strong ? style.strong(location) : location) + " " + name + style.faint(suffix);
}

// Puts the backward part before Python's order, because it is not a call of that line.
std::string backward_place(const Frame& frame, size_t room, const std::string& suffix,
                           const Style& style, bool strong) {
    const std::string before = "backward of ";
    const std::string behind = printable(" (" + frame.operation + ")");
    Frame of = frame;
    of.kind = FrameKind::python;
    if (of.function.empty()) of.function = forward_not_recorded;
    const size_t used = before.size() + display_width(behind);
    return before + python_place(of, left_of(room, used), "", style, strong) + behind +
           style.faint(suffix);
}

}  // namespace

std::string NumberColumns::header(const std::string& place_title) const {
    return style_.faint(fmt::format("{:{}}{:>{}}{:>{}}{:>{}}  {}", "", margin,
                                    value_title(measure_), value_width, "SHARE", share_width,
                                    count_title(measure_), count_width, place_title)) +
           "\n";
}

std::string NumberColumns::row(const Totals& totals) const {
    const uint64_t value = value_of(totals, measure_);
    const std::string text = sign_ + (is_count(measure_) ? exact_count(value) : human_bytes(value));
    const std::string share = measure_ == Measure::own_peak ? "" : percent(value, whole_);
    // Of bytes that are a part of what blocks have, nothing counts the blocks.
    const bool has_count = measure_ != Measure::at_peak || totals.at_peak_blocks != 0 || value == 0;
    const std::string count = has_count ? sign_ + count_text(totals, measure_) : "-";
    return fmt::format("{:{}}{}{:>{}}{:>{}}  ", "", margin,
                       style_.number(fmt::format("{:>{}}", text, value_width)), share, share_width,
                       count, count_width);
}

std::string short_path(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return path;
    const size_t before = path.rfind('/', slash - 1);
    return before == std::string::npos ? path : path.substr(before + 1);
}

std::string place_text(const Frame& frame, size_t room, const std::string& suffix,
                       const Style& style, bool strong) {
    if (frame.kind == FrameKind::python) return python_place(frame, room, suffix, style, strong);
    if (frame.kind == FrameKind::group) {  // The name is a phrase, not a C++ name.
        return (strong ? style.strong(frame.function) : frame.function) + style.faint(suffix);
    }
    if (frame.kind == FrameKind::backward) {
        return backward_place(frame, room, suffix, style, strong);
    }
    std::string location;
    if (!frame.file.empty()) {
        location = printable(short_path(frame.file)) + line_suffix(frame);
    } else if (frame.named && !frame.module.empty()) {
        location = "[" + printable(base_name(frame.module)) + "]";
    }
    const std::string full = printable(shorten(frame.function));
    const size_t least = std::min(display_width(full), name_min);
    const auto left = [&] {
        const size_t between = location.empty() ? 0 : 2;
        return left_of(room, display_width(location) + between + suffix.size());
    };
    if (left() < least) {
        const size_t others = least + 2 + suffix.size();
        location = frame.file.empty() ? "" : narrow_location(frame, left_of(room, others));
    }
    const std::string name = printable(shorten(frame.function, std::max(left(), least)));
    return (strong ? style.strong(name) : name) +
           style.faint((location.empty() ? "" : "  " + location) + suffix);
}

}  // namespace memtrace::analyzer
