// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/json_text.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/growth/exhaustion.h"
#include "analyzer/growth/resident_trend.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t value_width = 12;
constexpr size_t share_width = 8;
constexpr size_t detail_indent = 2 + value_width + share_width + 2;
constexpr size_t parts_in_line = 4;
constexpr uint64_t young_ns = 100'000'000;  // Younger processes have no ledger.

struct PartText {
    HostPart part;
    const char* key;
    const char* name;   // in the report
    const char* brief;  // in one line
};
constexpr std::array<PartText, host_parts> part_texts{{
    {HostPart::heap_blocks, "heap_blocks", "live blocks of the heap", "heap"},
    {HostPart::heap_overhead, "heap_overhead", "headers and rounding of these blocks",
     "headers of the heap"},
    {HostPart::heap_free, "heap_free", "free parts of the heap that the allocator keeps",
     "heap that is free but kept"},
    {HostPart::mappings, "mappings", "mapped by the program", "mappings"},
    {HostPart::gpu_driver, "gpu_driver", "mapped by the GPU's driver", "GPU driver"},
    {HostPart::python_objects, "python_objects", "live objects of Python", "Python objects"},
    {HostPart::python_free, "python_free", "free parts of the arenas of Python's objects",
     "free parts of Python's arenas"},
    {HostPart::python_arenas, "python_arenas",
     "arenas of Python's objects; python_allocs=all tells the objects from the free parts",
     "Python's arenas"},
    {HostPart::shared, "shared", "shared memory", "shared memory"},
    {HostPart::files, "files", "pages of mapped files: program, libraries, data", "files"},
    {HostPart::file_copies, "file_copies", "variables of program and libraries",
     "variables of libraries"},
    {HostPart::stacks, "stacks", "stacks of threads", "stacks"},
    {HostPart::memtrace, "memtrace", "memtrace itself", "memtrace"},
}};

uint64_t highest_sample(const Model& model) {
    uint64_t highest = 0;
    for (const RssSample& sample : model.samples) highest = std::max(highest, sample.rss);
    return highest;
}

std::string occasion_text(HostOccasion occasion) {
    return occasion == HostOccasion::work_end ? ", when the work ended" : "";
}

void write_row(std::string& out, const std::string& value, const std::string& share,
               const std::string& text, const TextOptions& options) {
    write_wrapped(out,
                  fmt::format("  {:>{}}{:>{}}  {}", value, value_width, share, share_width, text),
                  detail_indent, options.width);
}

void write_detail(std::string& out, uint64_t bytes, const char* text, const TextOptions& options) {
    if (bytes != 0)
        write_row(out, "", "", fmt::format("  {} {}", human_bytes(bytes), text), options);
}

void write_ledger(std::string& out, const char* title, const HostLedger& ledger,
                  const TextOptions& options) {
    write_title(out, options, title,
                fmt::format(": {}, after {}{}", human_bytes(ledger.resident),
                            human_time(ledger.time_ns), occasion_text(ledger.occasion)));
    for (const PartText& text : part_texts) {
        const uint64_t bytes = ledger.part(text.part);
        if (bytes == 0) continue;
        write_row(out, human_bytes(bytes), percent(bytes, ledger.resident), text.name, options);
        if (text.part != HostPart::heap_free) continue;
        write_detail(out, ledger.pinned, "in pages below a live block, which pins them", options);
        write_detail(out, ledger.free_at_top, "in pages above the last live block", options);
    }
    const int64_t rest = ledger.unexplained();
    write_row(out, signed_bytes(rest),
              rest < 0 ? "" : percent(static_cast<uint64_t>(rest), ledger.resident),
              rest < 0 ? "not explained: more is known of than was resident" : "not explained",
              options);
    if (ledger.swapped != 0) {
        write_wrapped(out, fmt::format("  {} are swapped out", human_bytes(ledger.swapped)), 4,
                      options.width);
    }
    const uint64_t held = ledger.heap_held;
    if (held > ledger.part(HostPart::heap_blocks)) {
        write_wrapped(
            out,
            fmt::format("  {} of the heap are held, {} of these were never touched, are "
                        "swapped out, or lie where nothing was looked up",
                        human_bytes(held), human_bytes(held - ledger.part(HostPart::heap_blocks))),
            4, options.width);
    }
    if (ledger.not_touched != 0) {
        write_wrapped(
            out,
            fmt::format("  {} of addresses are mapped by the program, {} of these are not "
                        "resident: never touched, given back, or swapped out",
                        human_bytes(ledger.mapped), human_bytes(ledger.not_touched)),
            4, options.width);
    }
    if (ledger.unknown_regions != 0) {
        write_wrapped(out,
                      fmt::format("  the pages of {} could not be looked up",
                                  counted(ledger.unknown_regions, "mapping")),
                      4, options.width);
    }
}

// Lists the call sites whose mappings are not resident.
void write_untouched(std::string& out, const Recording& recording, const HostLedger& ledger,
                     const TextOptions& options) {
    if (ledger.untouched.empty()) return;
    Space mappings;
    mappings.name = "mmap";
    for (const HostUntouched& one : ledger.untouched) {
        Totals totals;
        totals.at_peak_bytes = one.mapped - one.resident;
        mappings.totals.at_peak_bytes += totals.at_peak_bytes;
        mappings.sites.push_back({one.stack, totals});
    }
    write_title(out, options, "Mapped by the program, and not resident",
                ": " + human_bytes(mappings.totals.at_peak_bytes));
    write_site_list(out, recording, mappings, Measure::at_peak, options);
}

// Lists the call sites whose blocks pin free memory.
void write_pins(std::string& out, const Recording& recording, const HostLedger& ledger,
                const TextOptions& options) {
    if (ledger.pins.empty()) return;
    Space pins;
    pins.name = "host";
    uint64_t block_bytes = 0;
    for (const HostPin& pin : ledger.pins) {
        Totals totals;
        totals.at_peak_bytes = pin.free_bytes;
        totals.at_peak_blocks = pin.blocks;
        pins.totals.at_peak_bytes += pin.free_bytes;
        pins.totals.at_peak_blocks += pin.blocks;
        block_bytes += pin.block_bytes;
        pins.sites.push_back({pin.stack, totals});
    }
    write_title(
        out, options, "Free pages of the heap that live blocks pin",
        fmt::format(": {} below {} of {} in all", human_bytes(pins.totals.at_peak_bytes),
                    counted(pins.totals.at_peak_blocks, "block"), human_bytes(block_bytes)));
    write_site_list(out, recording, pins, Measure::at_peak, options);
}

uint64_t highest_of(const Model& model) {
    return std::max({model.host.highest, highest_sample(model), model.host.at_peak->resident});
}

// True if the ledger is of a moment at which clearly less was resident than at the peak.
bool missed_peak(const Model& model) {
    constexpr uint64_t much_part = 20;
    const uint64_t resident = model.host.at_peak->resident;
    return highest_of(model) > resident + resident / much_part;
}

void write_highest(std::string& out, const Recording& recording, const TextOptions& options) {
    const Model& model = recording.model;
    const HostInfo& host = model.host;
    const uint64_t peak = host.at_peak->resident;
    const uint64_t most = highest_of(model);
    std::string text = fmt::format(
        "  highest: {} by the kernel (VmHWM), {} of {}; the ledger below "
        "is of {}",
        host.highest == 0 ? "not known" : human_bytes(host.highest),
        human_bytes(highest_sample(model)), counted(model.samples.size(), "sample"),
        human_bytes(peak));
    if (most > peak) text += fmt::format(", {} less", human_bytes(most - peak));
    write_wrapped(out, text, 4, options.width);
    write_wrapped(out,
                  fmt::format("  memtrace looked {}, which took {}", counted(host.moments, "time"),
                              human_time(host.duration_ns)),
                  4, options.width);
}

void write_trend(std::string& out, const Recording& recording, const TextOptions& options) {
    const ResidentTrend trend = resident_trend(recording.model);
    const auto say = [&](const std::string& text) {
        write_wrapped(out, "  " + text, 4, options.width);
    };
    write_title(out, options, "Course of the resident set", "");
    if (!trend.not_known.empty()) return say("not judged: " + trend.not_known);
    if (!trend.rises) {
        return say(fmt::format("no steady rise in the last {} of the work ({})",
                               human_time(trend.until_ns - trend.since_ns), own_part_text(trend)));
    }
    say(fmt::format("rises by {} an hour ({} to {}), judged in the last {} of the work ({})",
                    human_bytes(static_cast<uint64_t>(trend.bytes_per_hour)),
                    human_bytes(static_cast<uint64_t>(std::max(trend.low, 0.0))),
                    human_bytes(static_cast<uint64_t>(trend.high)),
                    human_time(trend.until_ns - trend.since_ns), own_part_text(trend)));
    const Exhaustion end = host_exhaustion(trend, host_memory(recording.model.process));
    say(end.not_known.empty() ? fmt::format("at this rate the memory ({}) is used up in about {}",
                                            human_bytes(end.capacity),
                                            human_time(static_cast<uint64_t>(end.after_ns)))
                              : "when memory is used up is not known: " + end.not_known);
}

// ---- JSON ---------------------------------------------------------------------------------------

Json frames_json(uint32_t stack, const Recording& recording, const StackView& view) {
    Json frames = Json::array();
    view.walk(stack, [&](FrameId id, uint32_t) {
        frames.push_back(frame_json(recording.symbols.frames[id]));
        return true;
    });
    return frames;
}

Json pin_json(const HostPin& pin, const Recording& recording, const StackView& view) {
    return {{"stack", frames_json(pin.stack, recording, view)},
            {"blocks", pin.blocks},
            {"block_bytes", pin.block_bytes},
            {"free_bytes", pin.free_bytes}};
}

Json ledger_json(const std::optional<HostLedger>& found, const Recording& recording,
                 const StackView& view) {
    if (!found) return nullptr;
    const HostLedger& ledger = *found;
    Json parts = Json::object();
    for (const PartText& text : part_texts) parts[text.key] = ledger.part(text.part);
    Json pins = Json::array();
    for (const HostPin& pin : ledger.pins) pins.push_back(pin_json(pin, recording, view));
    Json untouched = Json::array();
    for (const HostUntouched& one : ledger.untouched) {
        untouched.push_back({{"stack", frames_json(one.stack, recording, view)},
                             {"mapped_bytes", one.mapped},
                             {"resident_bytes", one.resident}});
    }
    return {{"time_ns", ledger.time_ns},
            {"occasion", word_of(ledger.occasion)},
            {"resident", ledger.resident},
            {"parts", parts},
            {"not_explained", ledger.unexplained()},
            {"swapped", ledger.swapped},
            {"shared_with_others", ledger.shared_with_others},
            {"heap_held", ledger.heap_held},
            {"free_pages", ledger.free_pages},
            {"free_at_top", ledger.free_at_top},
            {"pinned", ledger.pinned},
            {"pins", pins},
            {"mapped", ledger.mapped},
            {"not_touched", ledger.not_touched},
            {"untouched", untouched},
            {"regions_not_looked_up", ledger.unknown_regions}};
}

Json trend_json(const Recording& recording) {
    const ResidentTrend trend = resident_trend(recording.model);
    const auto or_null = [](const std::string& why) {
        return why.empty() ? Json(nullptr) : Json(why);
    };
    Json json{{"not_judged", or_null(trend.not_known)}, {"rises", trend.rises}};
    if (!trend.not_known.empty()) return json;
    json["since_ns"] = trend.since_ns;
    json["until_ns"] = trend.until_ns;
    json["at_start"] = trend.at_start;
    json["now"] = trend.now;
    json["own_at_start"] = trend.own_at_start ? Json(*trend.own_at_start) : Json(nullptr);
    json["own_now"] = trend.own_now ? Json(*trend.own_now) : Json(nullptr);
    json["bytes_per_hour"] = trend.bytes_per_hour;
    json["low"] = trend.low;
    json["high"] = trend.high;
    const Exhaustion end = host_exhaustion(trend, host_memory(recording.model.process));
    json["exhausted_after_s"] = end.not_known.empty() ? Json(end.after_ns / 1e9) : Json(nullptr);
    json["exhaustion_not_known"] = or_null(end.not_known);
    return json;
}

}  // namespace

std::string no_host_ledger(const Recording& recording) {
    const Model& model = recording.model;
    if (model.host.at_peak) return {};
    if (!recording.merged.processes.empty()) {
        return "this profile is of several processes, which do not peak at the same time";
    }
    const auto sample_ms = model.options.find("sample_ms");
    if (sample_ms != model.options.end() && sample_ms->second == "0") {
        return "the resident set was not sampled (sample_ms=0)";
    }
    if (!model.capture.gaps.empty()) {
        return "the recording was off while the program ran, and the ledger needs every block";
    }
    if (const Space* const host = find_space(model, "host"); host != nullptr && host->is_estimate)
        return "the heap is a sample, and the ledger needs every block";
    if (model.process.duration_ns < young_ns) {
        return fmt::format("the process ran for {} only: memtrace looks from {} on",
                           human_time(model.process.duration_ns), human_time(young_ns));
    }
    return "memtrace did not look at the memory of the process: the dump is an old one, or the "
           "process ended before it was time to";
}

void write_host(std::string& out, const Recording& recording, const TextOptions& options) {
    write_program(out, recording, options);
    const HostInfo& host = recording.model.host;
    if (const std::string why = no_host_ledger(recording); !why.empty()) {
        write_wrapped(out, "\nNo ledger of the host: " + why, 0, options.width);
    } else {
        out += "\n";
        write_highest(out, recording, options);
        const bool is_missed = missed_peak(recording.model);
        write_ledger(out, is_missed ? "Resident when memtrace looked" : "Resident at the peak",
                     *host.at_peak, options);
        write_untouched(out, recording, *host.at_peak, options);
        write_pins(out, recording, *host.at_peak, options);
        if (host.at_end->time_ns != host.at_peak->time_ns) {
            write_ledger(out, "Resident at the end", *host.at_end, options);
            write_untouched(out, recording, *host.at_end, options);
            write_pins(out, recording, *host.at_end, options);
        }
    }
    write_trend(out, recording, options);
    write_foot(out, recording, options);
}

std::string host_ledger_json(const Recording& recording) {
    const HostInfo& host = recording.model.host;
    const StackView view(recording.symbols, false);
    const std::string why = no_host_ledger(recording);
    const Json json{{"absent", why.empty() ? Json(nullptr) : Json(why)},
                    {"highest", host.highest == 0 ? Json(nullptr) : Json(host.highest)},
                    {"highest_sample", highest_sample(recording.model)},
                    {"missed_peak", host.at_peak && missed_peak(recording.model)},
                    {"looks", host.moments},
                    {"looks_ns", host.duration_ns},
                    {"peak", ledger_json(host.at_peak, recording, view)},
                    {"end", ledger_json(host.at_end, recording, view)},
                    {"trend", trend_json(recording)}};
    return "\"host_ledger\": " + json_text(json, 2);
}

std::string host_line(const Recording& recording) {
    if (!recording.model.host.at_peak) return {};
    const HostLedger& ledger = *recording.model.host.at_peak;
    std::vector<const PartText*> parts;
    for (const PartText& text : part_texts) {
        if (ledger.part(text.part) != 0) parts.push_back(&text);
    }
    std::stable_sort(parts.begin(), parts.end(), [&](const PartText* a, const PartText* b) {
        return ledger.part(a->part) > ledger.part(b->part);
    });
    const bool is_missed = missed_peak(recording.model);
    const uint64_t peak = is_missed ? highest_of(recording.model) : ledger.resident;
    std::string line = fmt::format("resident {} at the peak", human_bytes(peak));
    if (is_missed) {
        line += fmt::format(", {} when memtrace looked, after {}", human_bytes(ledger.resident),
                            human_time(ledger.time_ns));
    }
    uint64_t others = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        const uint64_t bytes = ledger.part(parts[i]->part);
        if (i >= parts_in_line) others += bytes;
        else
            line +=
                fmt::format("{}{} {}", i == 0 ? ": " : ", ", parts[i]->brief, human_bytes(bytes));
    }
    if (others != 0) line += fmt::format(", other parts {}", human_bytes(others));
    return line + fmt::format(", not explained {}", signed_bytes(ledger.unexplained()));
}

}  // namespace memtrace::analyzer
