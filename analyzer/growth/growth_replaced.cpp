// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_replaced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"

#include <fmt/format.h>

#include "analyzer/frames/known_bounded.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/gpu/gpu_owners.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t findings_max = 8;     // that are asked about, the largest first
constexpr uint64_t rise_min = 8;       // blocks; fewer may match by chance
constexpr double fall_part = 20;       // A line that falls by less of the growth is none of these.
constexpr size_t fallers_max = 32;     // lines that are tried together, the largest first
constexpr double rest_part = 8;        // The sum may move by so much of the growth.
constexpr double goes_more_min = 0.1;  // share of the acquired blocks

struct Faller {
    uint32_t site = 0;
    double fall = 0;
    Curve curve;
};

// What the held blocks changed by from the end of slice `since` on.
double change_of(const Curve& curve, size_t since) {
    return curve.blocks.back() - curve.blocks[since];
}

class ReplacedJudge {
public:
    ReplacedJudge(const SiblingPlaces& places, std::vector<GrowthFinding>& findings)
        : places_(places), findings_(findings) {
        for (size_t i = 0; i < findings.size(); ++i) {
            const GrowthFinding& finding = findings[i];
            if (!is_growth(finding.verdict)) continue;
            growing_.insert(finding.members.begin(), finding.members.end());
            if (finding.reason != GrowthReason::lost && finding.grown_blocks >= rise_min)
                grown_.push_back(grown_of(i));
        }
        std::stable_sort(grown_.begin(), grown_.end(), [](const Grown& a, const Grown& b) {
            return a.curve.bytes.back() > b.curve.bytes.back();
        });
    }

    void run() {
        for (size_t i = 0; i < std::min(grown_.size(), findings_max); ++i) try_one(grown_[i]);
    }

private:
    struct Grown {
        size_t finding = 0;
        Curve curve;
        size_t since = 0;  // It grows from the end of this slice on.
    };

    Grown grown_of(size_t index) const {
        const GrowthFinding& finding = findings_[index];
        Grown grown;
        grown.finding = index;
        grown.curve = places_.curves.sum_of(places_.space.histories, finding.members);
        const size_t since = judge(places_.curves, grown.curve).since;
        grown.since = std::min(since, grown.curve.size() - 1);
        return grown;
    }

    // Returns what held less and less meanwhile, the largest first.
    std::vector<Faller> fallers(const Grown& grown) const {
        const double rise = change_of(grown.curve, grown.since);
        const double least = std::max(2.0, rise / fall_part);
        std::vector<Faller> found;
        for (uint32_t site = 0; site < places_.space.histories.size(); ++site) {
            if (growing_.contains(site)) continue;
            if (static_cast<double>(places_.space.sites.totals(site).frees) < least) continue;
            Curve curve = places_.curves.of(places_.space.histories[site]);
            const double fall = -change_of(curve, grown.since);
            if (fall >= least) found.push_back({site, fall, std::move(curve)});
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const Faller& a, const Faller& b) { return a.fall > b.fall; });
        if (found.size() > fallers_max) found.resize(fallers_max);
        return found;
    }

    void try_one(const Grown& grown) {
        if (change_of(grown.curve, grown.since) < static_cast<double>(rise_min)) return;
        const std::vector<Faller> found = fallers(grown);
        Curve sum;
        for (const Faller& faller : found) {
            add(sum, faller.curve);
            if (are_at_rest_together(grown.curve, sum, grown.since))
                return replace(grown, found.front());
        }
        // Several lines may take the place of one.
        if (found.empty()) return;
        Curve all = grown.curve;
        for (const Grown& other : grown_) {
            if (other.finding != grown.finding) add(all, other.curve);
        }
        if (are_at_rest_together(all, sum, grown.since)) replace(grown, found.front());
    }

    void replace(const Grown& grown, const Faller& faller) {
        GrowthFinding& finding = findings_[grown.finding];
        const std::string place = place_of(faller.site);
        finding.confidence = std::min(finding.confidence, 0.5);
        if (!goes_ever_more(grown.curve, grown.since)) {
            finding.verdict = Verdict::growing;
            finding.why += fmt::format(
                "; but as many went of what {} took, and together they hold the same all the time: "
                "they may have taken its place",
                place);
            return;
        }
        finding.verdict = Verdict::cache;
        finding.rate = {};
        finding.why = fmt::format(
            "its blocks take the place of those that {} took, and then of their own: together they "
            "hold the same all the time",
            place);
    }

    std::string place_of(uint32_t site) const {
        const FrameId line = places_.lines.own_line_of(places_.space.sites.stack(site));
        if (line == no_frame) return "another call site";
        const Frame& frame = places_.symbols.frames[line];
        return printable(fmt::format("{}:{}", base_name(frame.file), frame.line));
    }

    const SiblingPlaces& places_;
    std::vector<GrowthFinding>& findings_;
    std::set<uint32_t> growing_;
    std::vector<Grown> grown_;
};

// Returns the space of the tensors that PyTorch's allocator cuts from a device's memory, or
// nullptr.
const Space* tensors_of(const Model& model, std::string_view device) {
    if (!is_device_space(device)) return nullptr;
    const std::string_view number = device.substr(device.find(':'));
    const auto found = std::ranges::find_if(model.spaces, [&](const Space& space) {
        return is_tensor_space(space.name) && space.name.ends_with(number) &&
               space.totals.allocations > 0;
    });
    return found == model.spaces.end() ? nullptr : &*found;
}

// Returns the cache that all stacks of a finding fill, or nullptr. What they have in common may end
// outside of it.
const KnownBounded* bounded_of(const GrowthFinding& finding, const Symbols& symbols) {
    if (const KnownBounded* known = find_known_bounded(symbols, finding.frames)) return known;
    const StackView view(symbols, true);
    const KnownBounded* of_all = nullptr;
    std::vector<FrameId> frames;
    for (const GrowthPart& part : finding.parts) {
        frames.clear();
        view.walk(part.stack, [&](FrameId id, uint32_t) {
            frames.push_back(id);
            return true;
        });
        const KnownBounded* const known = find_known_bounded(symbols, frames);
        if (known == nullptr || (of_all != nullptr && known->what != of_all->what)) return nullptr;
        of_all = known;
    }
    return of_all;
}

}  // namespace

bool are_at_rest_together(const Curve& growth, const Curve& others, size_t since) {
    const double room = std::max(2.0, change_of(growth, since) / rest_part);
    const double level = growth.blocks[since] + others.blocks[since];
    for (size_t i = since; i < growth.size(); ++i) {
        if (std::abs(growth.blocks[i] + others.blocks[i] - level) > room) return false;
    }
    return true;
}

bool goes_ever_more(const Curve& growth, size_t since) {
    const size_t n = growth.size(), middle = since + (n - since) / 2;
    if (middle <= since || middle >= n) return false;
    const auto share_gone = [&](size_t from, size_t to) {
        const double taken = sum_of(growth.allocations, from + 1, to + 1);
        const double rise = growth.blocks[to] - growth.blocks[from];
        return taken == 0 ? 0 : (taken - rise) / taken;
    };
    return share_gone(middle, n - 1) >= share_gone(since, middle) + goes_more_min;
}

void judge_replaced(std::vector<GrowthFinding>& findings, const SiblingPlaces& places) {
    ReplacedJudge(places, findings).run();
}

void excuse(GrowthFinding& finding, const Recording& recording) {
    if (const KnownBounded* known = bounded_of(finding, recording.symbols)) {
        finding.verdict = Verdict::bounded;
        finding.why = fmt::format("{}: {}", known->what, known->bound);
        return;
    }
    const Space* const tensors = tensors_of(recording.model, finding.space);
    if (tensors == nullptr || finding.parts.empty()) return;
    GpuOwners owners(recording.model.stacks.modules);
    const bool are_segments = std::ranges::all_of(finding.parts, [&](const GrowthPart& part) {
        return owners.of(part.stack, recording.model.stacks).role == GpuRole::allocator;
    });
    if (!are_segments) return;
    finding.verdict = Verdict::growing;
    finding.confidence = std::min(finding.confidence, 0.5);
    finding.why += fmt::format(
        "; not sure, because PyTorch's caching allocator keeps these segments for the next "
        "tensors, whatever became of those: {} says what is in use",
        tensors->name);
}

}  // namespace memtrace::analyzer
