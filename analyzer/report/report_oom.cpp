// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_oom.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/json_frames.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/gpu/gpu_replay.h"
#include "analyzer/model/gpu_facts.h"
#include "analyzer/report/report_gpu.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t json_sites_max = 100;
constexpr uint64_t out_of_memory = 2;  // CUDA_ERROR_OUT_OF_MEMORY

std::string asked_text(const GpuRefusal& refusal) {
    const std::string size = refusal.size == 0 ? "memory of a size that is not known"
                                               : fmt::format("{} ({})", human_bytes(refusal.size),
                                                             counted(refusal.size, "byte"));
    const std::string space = refused_space(refusal);
    std::string where = fmt::format("on device {}", refusal.device);
    if (space == "pinned") where = "of pinned memory, which is the host's";
    if (space == "managed") where = "of managed memory";
    if (space.empty()) where = "of addresses";
    return fmt::format("{} {}, by {}", size, where,
                       refusal.by_tensors ? "PyTorch's allocator" : "the driver");
}

// Returns the figures that came with the refusal.
std::string reason_text(const GpuRefusal& refusal) {
    if (refusal.by_tensors) {
        return fmt::format("it counted {} in blocks and {} in segments",
                           human_bytes(refusal.allocated), human_bytes(refusal.reserved));
    }
    std::string text = fmt::format("{} answered {}{}", word_of(refusal.api), refusal.result,
                                   refusal.result == out_of_memory ? " (out of memory)" : "");
    if (refusal.memory != 0 && is_of_device(refusal)) {
        text += fmt::format("; {} of {} were free", human_bytes(refusal.free),
                            human_bytes(refusal.memory));
    }
    return text;
}

// Returns a space with the holdings of the sites at the moment of the refusal, in the fields for
// the peak. With `growth`, it contains the growth of the sites instead.
Space space_of(const Recording& recording, const std::string& name,
               const std::vector<GpuHeldSite>& held, int64_t GpuHeldSite::*growth) {
    Space result;
    result.name = name;
    const Space* space = find_space(recording.model, name);
    if (space == nullptr) return result;
    for (const GpuHeldSite& site : held) {
        const int64_t bytes = growth == nullptr ? static_cast<int64_t>(site.bytes) : site.*growth;
        if (bytes <= 0) continue;
        Site copy;
        copy.stack = space->sites.stack(site.site);
        copy.totals.at_peak_bytes = static_cast<uint64_t>(bytes);
        copy.totals.at_peak_blocks = growth == nullptr ? site.blocks : 0;  // of the growth: unknown
        result.totals.at_peak_bytes += copy.totals.at_peak_bytes;
        result.totals.at_peak_blocks += copy.totals.at_peak_blocks;
        result.sites.push_back(copy);
    }
    return result;
}

void write_held(std::string& out, const Recording& recording, const std::string& name,
                const std::vector<GpuHeldSite>& held, const TextOptions& options) {
    const Space space = space_of(recording, name, held, nullptr);
    if (space.sites.empty()) return;
    write_title(out, options, "Held then in " + name,
                fmt::format(": {} in {}", human_bytes(space.totals.at_peak_bytes),
                            counted(space.totals.at_peak_blocks, "block")));
    write_site_list(out, recording, space, Measure::at_peak, options);
}

void write_growth(std::string& out, const Recording& recording, const std::string& name,
                  const std::vector<GpuHeldSite>& held, const TextOptions& options) {
    const GpuHolders& holders = *recording.model.gpu.holders;
    const bool by_mark = holders.mark_time_ns.has_value();
    const Space space = space_of(recording, name, held,
                                 by_mark ? &GpuHeldSite::since_mark : &GpuHeldSite::since_half);
    const std::optional<uint64_t> since = by_mark ? holders.mark_time_ns : holders.half_time_ns;
    std::string when = "since the beginning";
    if (since) {
        const uint64_t now = told_refusal(recording.model.gpu).time_ns;
        when = by_mark ? fmt::format("since the mark \"{}\"", printable(holders.mark))
                       : std::string("lately");
        when += fmt::format(" (in the last {})", human_time(now - std::min(now, *since)));
    }
    const std::string title = fmt::format("Grown in {} {}", name, when);
    if (space.sites.empty()) return write_title(out, options, title, ": nothing");
    write_title(out, options, title, ": " + human_bytes(space.totals.at_peak_bytes));
    write_site_list(out, recording, space, Measure::at_peak, options);
}

void write_list(std::string& out, const Recording& recording, const TextOptions& options) {
    const GpuInfo& gpu = recording.model.gpu;
    write_title(out, options, "All refusals", "");
    for (const GpuRefusal& refusal : gpu.refusals) {
        write_wrapped(out,
                      fmt::format("  {:>12}  {}; {}", human_time(refusal.time_ns),
                                  asked_text(refusal), reason_text(refusal)),
                      16, options.width);
    }
    if (gpu.refusals_more == 0) return;
    out += fmt::format("  and {} more\n", exact_count(gpu.refusals_more));
}

void write_asked(std::string& out, const Recording& recording, const GpuRefusal& last,
                 const TextOptions& options) {
    write_title(out, options, "Refused after " + human_time(last.time_ns), ": " + asked_text(last));
    write_wrapped(out, "  " + reason_text(last), 4, options.width);
    if (last.size == 0) return write_one_stack(out, recording, last.stack, options);
    Space asked;
    asked.name = "asked";
    asked.totals.at_peak_bytes = last.size;
    asked.totals.at_peak_blocks = 1;
    asked.sites.push_back({last.stack, asked.totals});
    write_site_list(out, recording, asked, Measure::at_peak, options);
}

// What devices hold does not matter if other memory was refused.
void write_other_holders(std::string& out, const Recording& recording, const std::string& space,
                         const TextOptions& options) {
    const std::vector<GpuHeldSite>& held = recording.model.gpu.holders->device;
    if (space.empty()) return;
    if (held.empty()) {
        return write_title(out, options, "Held then in " + space, ": nothing that was recorded");
    }
    write_held(out, recording, space, held, options);
    write_growth(out, recording, space, held, options);
}

void write_told(std::string& out, const Recording& recording, const TextOptions& options) {
    const GpuInfo& gpu = recording.model.gpu;
    const GpuRefusal& last = told_refusal(gpu);
    const GpuHolders& holders = *gpu.holders;
    write_asked(out, recording, last, options);
    if (!is_of_device(last)) {
        return write_other_holders(out, recording, refused_space(last), options);
    }
    write_title(out, options, fmt::format("Device {} at that moment", last.device), "");
    write_gpu_table(out, gpu_table_at_refusal(recording), options);
    if (!holders.holes.empty()) {
        std::string holes;
        for (const GpuHole& hole : holders.holes) {
            holes += (holes.empty() ? "" : ", ") + human_bytes(hole.bytes);
        }
        write_wrapped(out, "  largest free pieces of segments: " + holes, 4, options.width);
    }
    const std::string tensors = GpuReplay::tensors_name(last.device_type, last.device);
    const std::string device = device_space(last.device);
    const bool has_tensors = !holders.tensors.empty();
    write_held(out, recording, tensors, holders.tensors, options);
    write_held(out, recording, device, holders.device, options);
    write_growth(out, recording, has_tensors ? tensors : device,
                 has_tensors ? holders.tensors : holders.device, options);
}

// ---- JSON ---------------------------------------------------------------------------------------

Json stack_json(const Recording& recording, uint32_t stack) {
    Json frames = Json::array();
    StackView(recording.symbols).walk(stack, [&](FrameId id, uint32_t) {
        frames.push_back(frame_json(recording.symbols.frames[id]));
        return true;
    });
    return frames;
}

Json refusal_json(const GpuRefusal& refusal) {
    const std::string space = refused_space(refusal);
    Json json{{"time_ns", refusal.time_ns},
              {"by", refusal.by_tensors ? "torch" : "driver"},
              {"device", is_of_device(refusal) ? Json(refusal.device) : Json(nullptr)},
              {"space", space.empty() ? Json(nullptr) : Json(space)},
              {"size", refusal.size == 0 ? Json(nullptr) : Json(refusal.size)}};
    if (refusal.by_tensors) {
        json["allocated"] = refusal.allocated;
        json["reserved"] = refusal.reserved;
        json["device_type"] = refusal.device_type;
        return json;
    }
    json["api"] = word_of(refusal.api);
    json["result"] = refusal.result;
    const bool has_room = refusal.memory != 0 && is_of_device(refusal);
    json["free"] = has_room ? Json(refusal.free) : Json(nullptr);
    json["memory"] = has_room ? Json(refusal.memory) : Json(nullptr);
    return json;
}

Json held_json(const Recording& recording, const std::string& name, std::vector<GpuHeldSite> held) {
    Json json{{"space", name}, {"bytes", 0}, {"sites", Json::array()}};
    const Space* space = find_space(recording.model, name);
    if (space == nullptr) return json;
    std::stable_sort(held.begin(), held.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    uint64_t bytes = 0;
    for (const GpuHeldSite& site : held) {
        bytes += site.bytes;
        if (json["sites"].size() == json_sites_max) continue;
        json["sites"].push_back({{"bytes", site.bytes},
                                 {"blocks", site.blocks},
                                 {"since_mark", site.since_mark},
                                 {"since_half", site.since_half},
                                 {"stack", stack_json(recording, space->sites[site.site].stack)}});
    }
    json["bytes"] = bytes;
    return json;
}

Json holders_json(const Recording& recording) {
    const GpuInfo& gpu = recording.model.gpu;
    if (!gpu.holders) return nullptr;
    const GpuHolders& holders = *gpu.holders;
    const GpuRefusal& last = told_refusal(gpu);
    const bool is_device = is_of_device(last);
    Json holes = Json::array();
    for (const GpuHole& hole : holders.holes) {
        holes.push_back({{"address", hole.address}, {"bytes", hole.bytes}});
    }
    const auto time = [](const std::optional<uint64_t>& ns) {
        return ns ? Json(*ns) : Json(nullptr);
    };
    return {{"refusal", told_refusal_at(gpu)},
            {"asked_by", stack_json(recording, last.stack)},
            {"ledger", is_device ? gpu_table_json(gpu_table_at_refusal(recording)) : Json(nullptr)},
            {"holes", holes},
            {"mark", holders.mark_time_ns ? Json(holders.mark) : Json(nullptr)},
            {"mark_time_ns", time(holders.mark_time_ns)},
            {"half_time_ns", time(holders.half_time_ns)},
            {"device", held_json(recording, refused_space(last), holders.device)},
            {"tensors", held_json(recording, GpuReplay::tensors_name(last.device_type, last.device),
                                  holders.tensors)}};
}

}  // namespace

void write_oom(std::string& out, const Recording& recording, bool all, const TextOptions& options) {
    write_program(out, recording, options);
    const GpuInfo& gpu = recording.model.gpu;
    if (gpu.refusals.empty()) {
        const std::string why = gpu_unknown_text(recording.model);
        const std::string text =
            why.empty() ? "No memory of a GPU was refused."
                        : "Whether memory of a GPU was refused is not known: " + why + ".";
        write_wrapped(out, "\n" + printable(text), 0, options.width);
    } else {
        write_told(out, recording, options);
        const uint64_t others = gpu.refusals.size() - 1 + gpu.refusals_more;
        const bool is_last = told_refusal_at(gpu) + 1 == gpu.refusals.size();
        if (all) write_list(out, recording, options);
        else if (others != 0 && is_last) {
            out += fmt::format("\n{} before this one: --all lists them.\n",
                               counted(others, "refusal"));
        } else if (others != 0) {
            write_wrapped(out, "\nIn all, " + refusals_text(gpu) + ": --all lists them.", 0,
                          options.width);
        }
    }
    write_foot(out, recording, options);
}

std::string oom_json(const Recording& recording) {
    Json list = Json::array();
    for (const GpuRefusal& refusal : recording.model.gpu.refusals) {
        list.push_back(refusal_json(refusal));
    }
    return "\"refusals\": " + json_text(list, 2) +
           ",\n  \"refusals_not_listed\": " + std::to_string(recording.model.gpu.refusals_more) +
           ",\n  \"holders\": " + json_text(holders_json(recording), 2);
}

}  // namespace memtrace::analyzer
