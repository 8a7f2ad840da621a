// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/gpu_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/units.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/gpu/gpu_owners.h"
#include "analyzer/model/gpu_facts.h"

namespace memtrace::analyzer {
namespace {

struct Owned {
    int64_t bytes = 0;
    uint64_t largest = 0;
    uint32_t largest_stack = no_stack;
};

// Returns the innermost function of a stack that is of use to a reader.
std::string place_of(const Symbols& symbols, uint32_t stack) {
    std::string place;
    symbols.walk(stack, [&](FrameId id) {
        const Frame& frame = symbols.frames[id];
        if (!place.empty() || !is_interesting(frame)) return;
        place = frame.function;
    });
    return place;
}

class Builder {
public:
    Builder(const Recording& recording, uint32_t device, const GpuFigures& figures)
        : recording_(recording),
          owners_(recording.model.stacks.modules),
          device_(device),
          figures_(figures),
          space_(find_space(recording.model, device_space(device))) {
        table_.time_ns = figures.time_ns;
        table_.is_filtered = recording.model.filters.has_value();
        if (!table_.is_filtered) table_.measured = nearest_usage(device);
    }

    // What the driver itself said with the refusal is used where nothing else was measured.
    void use_if_not_measured(const GpuRefusal& refusal) {
        const bool is_known = !refusal.by_tensors && refusal.memory >= refusal.free &&
                              refusal.memory != 0 && !table_.measured && !table_.is_filtered;
        if (!is_known) return;
        table_.measured = {refusal.time_ns,       device_,
                           GpuUsageScope::device, refusal.memory - refusal.free,
                           refusal.memory,        figures_.held + figures_.slack};
    }

    GpuTable run(const std::function<uint64_t(size_t)>& bytes_of) {
        share_out(bytes_of);
        torch_rows();
        owner_rows();
        group_row("kept_by_pools", Group::pool_cache);
        group_row("graphs", Group::graph_memory);
        if (table_.is_filtered) return std::move(table_);
        add_context();
        if (figures_.slack != 0) {
            add({"slack", "pages that are not full", static_cast<int64_t>(figures_.slack),
                 "of 2 MiB", true});
        }
        if (table_.measured) {
            int64_t sum = 0;
            for (const GpuRow& row : table_.rows) sum += row.bytes;
            table_.recorded_since = static_cast<int64_t>(table_.recorded + figures_.slack) -
                                    static_cast<int64_t>(table_.measured->recorded);
            table_.not_explained =
                static_cast<int64_t>(table_.measured->used) + table_.recorded_since - sum;
        }
        return std::move(table_);
    }

private:
    std::optional<GpuUsageInfo> nearest_usage(uint32_t device) const {
        std::optional<GpuUsageInfo> best;
        const auto distance = [&](const GpuUsageInfo& usage) {
            return usage.time_ns > figures_.time_ns ? usage.time_ns - figures_.time_ns
                                                    : figures_.time_ns - usage.time_ns;
        };
        for (const GpuUsageInfo& usage : recording_.model.gpu.usages) {
            if (usage.device != device) continue;
            const bool is_better_scope = best && best->scope != GpuUsageScope::process &&
                                         usage.scope == GpuUsageScope::process;
            const bool is_nearer =
                best && best->scope == usage.scope && distance(usage) < distance(*best);
            if (!best || is_better_scope || is_nearer) best = usage;
        }
        return best;
    }

    // What the driver takes for a context comes before everything that a program asks for. Only a
    // measurement of that time shows it: nobody can ask for the free memory before there is a
    // context.
    void add_context() {
        int64_t bytes = figures_.context;
        const char* how = "what was free before and after";
        for (const GpuUsageInfo& usage : recording_.model.gpu.usages) {
            if (usage.device != device_ || usage.scope != GpuUsageScope::process ||
                usage.recorded != 0 || usage.time_ns > figures_.time_ns) {
                continue;
            }
            if (static_cast<int64_t>(usage.used) <= bytes) continue;
            bytes = static_cast<int64_t>(usage.used);
            how = "measured before anything was recorded";
        }
        if (bytes != 0) add({"context", "contexts and modules", bytes, how, true});
    }

    void share_out(const std::function<uint64_t(size_t)>& bytes_of) {
        if (space_ == nullptr) return;
        const StackTree& tree = recording_.model.stacks;
        std::map<uint32_t, uint64_t> lent(figures_.lent.begin(), figures_.lent.end());
        for (size_t i = 0; i < space_->sites.size(); ++i) {
            const uint64_t bytes = bytes_of(i);
            if (bytes == 0) continue;
            const uint32_t stack = space_->sites[i].stack;
            table_.recorded += bytes;
            if (const Group group = tree.nodes[stack].group; group != Group::none) {
                groups_[group] += bytes;
                continue;
            }
            const GpuOwner& owner = owners_.of(stack, tree);
            Owned& owned = owner.role == GpuRole::allocator ? torch_ : owned_[owner.name];
            owned.bytes += static_cast<int64_t>(bytes);
            if (const auto part = lent.find(static_cast<uint32_t>(i)); part != lent.end()) {
                owned.bytes -= static_cast<int64_t>(part->second);
                torch_.bytes += static_cast<int64_t>(part->second);
            }
            if (bytes <= owned.largest) continue;
            owned.largest = bytes;
            owned.largest_stack = stack;
        }
    }

    void torch_rows() {
        if (table_.is_filtered) {
            if (torch_.bytes == 0) return;
            return add({"torch", "PyTorch: segments", torch_.bytes, "", false});
        }
        if (figures_.segments != 0) {
            add({"tensors", "PyTorch: tensors", static_cast<int64_t>(figures_.tensors), "", false});
            add({"cached", "PyTorch: free segments", static_cast<int64_t>(figures_.cached), "",
                 false});
            const std::string holes = figures_.holes == 0
                                          ? ""
                                          : fmt::format("all free parts: {}, the largest of {}",
                                                        counted(figures_.holes, "piece"),
                                                        human_bytes(figures_.largest_hole));
            add({"fragmented", "PyTorch: holes in segments",
                 static_cast<int64_t>(figures_.fragmented()), holes, false});
        }
        const int64_t rest = torch_.bytes - static_cast<int64_t>(figures_.segments);
        if (rest != 0) {
            add({"not_in_segments", "PyTorch: not in a segment", rest,
                 "memory without addresses, or mapped more than once", false});
        }
    }

    void owner_rows() {
        std::vector<std::pair<std::string, Owned>> sorted(owned_.begin(), owned_.end());
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
            return a.second.bytes > b.second.bytes;
        });
        for (const auto& [name, owned] : sorted) {
            if (owned.bytes == 0) continue;
            const std::string place = place_of(recording_.symbols, owned.largest_stack);
            add({"owner:" + name, name, owned.bytes, place.empty() ? "" : "most at " + place,
                 false});
        }
    }

    void group_row(const char* key, Group group) {
        const auto found = groups_.find(group);
        if (found == groups_.end()) return;
        // It is asked at some calls (docs/how/gpu.md), and may have changed since.
        add({key, std::string(name_of(group)), static_cast<int64_t>(found->second), "as last asked",
             false});
    }

    void add(GpuRow row) { table_.rows.push_back(std::move(row)); }

    const Recording& recording_;
    GpuOwners owners_;
    uint32_t device_;
    const GpuFigures& figures_;
    const Space* space_;
    GpuTable table_;
    Owned torch_;
    std::map<std::string, Owned> owned_;  // by name
    std::map<Group, uint64_t> groups_;
};

}  // namespace

GpuTable make_gpu_table(const Recording& recording, uint32_t device, const GpuFigures& figures,
                        const std::function<uint64_t(size_t)>& bytes_of) {
    return Builder(recording, device, figures).run(bytes_of);
}

namespace {

// A merged profile has the sums of its processes.
GpuTable table_of_all(const Recording& recording, uint32_t device, const GpuFigures& figures,
                      const std::function<uint64_t(size_t)>& bytes_of) {
    GpuTable table = make_gpu_table(recording, device, figures, bytes_of);
    table.processes = std::max<size_t>(recording.merged.processes.size(), 1);
    return table;
}

}  // namespace

GpuTable gpu_table_at_peak(const Recording& recording, const GpuDeviceInfo& device) {
    const Space* space = find_space(recording.model, device_space(device.device));
    return table_of_all(recording, device.device, device.at_peak,
                        [&](size_t site) { return space->sites[site].totals.at_peak_bytes; });
}

GpuTable gpu_table_at_end(const Recording& recording, const GpuDeviceInfo& device) {
    const Space* space = find_space(recording.model, device_space(device.device));
    return table_of_all(recording, device.device, device.at_end,
                        [&](size_t site) { return space->sites[site].totals.live_bytes; });
}

GpuTable gpu_table_at_refusal(const Recording& recording) {
    const GpuHolders& holders = *recording.model.gpu.holders;
    std::map<size_t, uint64_t> bytes;
    for (const GpuHeldSite& site : holders.device) bytes[site.site] = site.bytes;
    const GpuRefusal& told = told_refusal(recording.model.gpu);
    Builder builder(recording, told.device, holders.figures);
    builder.use_if_not_measured(told);
    return builder.run([&](size_t site) { return bytes.contains(site) ? bytes[site] : 0; });
}

std::string gpu_state_text(const Model& model) {
    const std::optional<GpuSourceInfo>& source = model.gpu.source;
    if (source && source->backend != GpuBackend::none) {
        const std::string_view word = word_of(source->backend);
        return std::string(word.empty() ? "other" : word);
    }
    const std::string why = gpu_unknown_text(model);
    return "none: " + (why.empty() ? "the program used no GPU" : why);
}

std::string gpu_unknown_text(const Model& model) {
    const std::optional<GpuSourceInfo>& source = model.gpu.source;
    const auto option = model.options.find("gpu");
    const std::string choice = option == model.options.end() ? "" : option->second;
    if (source && source->backend == GpuBackend::none) {
        return source->why.empty() ? "the reason was not recorded" : source->why;
    }
    if (choice == "runtime" && model.gpu.devices.empty()) {
        return "gpu=runtime records only calls of a shared libcudart by its symbols, and there "
               "were none";
    }
    if (source) return "";
    if (choice == "off") return "it was switched off (gpu=off)";
    if (!choice.empty()) return "";
    // A merged profile keeps the options that all its processes had.
    return model.options.contains("gpu_usage")
               ? "its processes had different options gpu"
               : "the version that recorded this knew host memory only";
}

}  // namespace memtrace::analyzer
