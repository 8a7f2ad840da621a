// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/life_facts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace memtrace::analyzer {
namespace {

// What is larger than this comes from blocks that the allocator splits only if more than this would
// be left. So a tensor may have a block with up to so many bytes more than it needs, and what was
// left over differs from time to time.
constexpr uint64_t left_over_max = 1 << 20;
// That is little of what is larger than this, so sizes that differ by so much count as the same.
constexpr uint64_t united_min = 8 * left_over_max;

// Which sizes were probably asked for where the allocator gave more.
class AskedSizes {
public:
    explicit AskedSizes(const LifeFacts& lives) : lives_(lives) {
        for (const TensorLife& life : lives_.all()) {
            if (!may_have_more(life)) continue;
            if (life.bytes >= united_min) {
                united_.emplace(life.bytes, life.bytes);
                continue;
            }
            at_sites_[{life.space, life.site}][life.bytes] += 1;
            if (lives_.run_at(life.born) < 0 && lives_.stays(life, -1))
                made_first_.insert(life.bytes);
        }
        uint64_t first = 0;
        for (auto& [bytes, asked] : united_) {
            if (bytes - first > left_over_max) first = bytes;
            asked = first;
        }
    }
    bool empty() const { return at_sites_.empty() && united_.empty(); }

    uint64_t of(const TensorLife& life) const {
        if (!may_have_more(life)) return life.bytes;
        if (life.bytes >= united_min) return united_.at(life.bytes);
        if (made_first_.contains(life.bytes)) return life.bytes;
        const NumberBySize& of_site = at_sites_.at({life.space, life.site});
        if (const auto usual = usual_size(of_site, life.bytes)) return *usual;
        const bool is_of_model = is_gradient(life) || are_made_first(of_site);
        const uint64_t more = is_of_model ? left_over_max : life.bytes / 8;
        const auto next = made_first_.upper_bound(life.bytes);
        const bool has_below = next != made_first_.begin() && life.bytes - *std::prev(next) <= more;
        return has_below ? *std::prev(next) : life.bytes;
    }

private:
    using NumberBySize = std::map<uint64_t, size_t>;

    bool may_have_more(const TensorLife& life) const {
        return life.bytes > left_over_max && lives_.is_on_device(life);
    }

    // What the site has asked for in most rounds, if it got this size in few.
    std::optional<uint64_t> usual_size(const NumberBySize& of_site, uint64_t bytes) const {
        const auto here = of_site.find(bytes);
        if (here->second * 2 > lives_.runs().size()) return {};
        for (auto at = here; at != of_site.begin();) {
            --at;
            if (bytes - at->first > left_over_max) break;
            if (at->second >= 2 * here->second) return at->first;
        }
        return {};
    }

    bool is_gradient(const TensorLife& life) const {
        const std::ptrdiff_t run = lives_.run_at(life.born);
        return lives_.facts(life).is_in_backward && lives_.is_in(run, life.born) &&
               lives_.outlives(life, run);
    }

    // True if most of what the site makes has a size of what was there before the first pass.
    bool are_made_first(const NumberBySize& of_site) const {
        size_t are = 0, all = 0;
        for (const auto& [bytes, number] : of_site) {
            all += number;
            if (made_first_.contains(bytes)) are += number;
        }
        return are * 2 >= all;
    }

    const LifeFacts& lives_;
    std::map<std::pair<uint32_t, uint32_t>, NumberBySize> at_sites_;  // by space and site
    // Sizes of parameters and of other tensors that stay. They come from memory that was never
    // given back, so they mostly have what they asked for.
    std::set<uint64_t> made_first_;
    std::map<uint64_t, uint64_t> united_;  // of large sizes: the smallest that counts as the same
};

}  // namespace

LifeFacts::LifeFacts(const TensorLives& tensors, const TrainingSites& sites,
                     const std::vector<size_t>& space_of)
    : tensors_(tensors), sites_(sites), space_of_(space_of) {
    find_ends_of_graphs();
    const AskedSizes asked(*this);
    if (asked.empty()) return;
    std::vector<TensorLife> lives = tensors_.lives;
    for (TensorLife& life : lives) life.bytes = asked.of(life);
    asked_ = std::move(lives);
}

// Of the passes of torch.autograd.grad, if something of what they make outlives the graph.
void LifeFacts::find_ends_of_graphs() {
    ends_of_graphs_.assign(runs().size(), 0);
    std::vector<uint64_t> last(runs().size());  // death of what such a pass makes
    for (const TensorLife& life : all()) {
        const std::ptrdiff_t run = run_at(life.born);
        if (!is_in(run, life.born) || !facts(life).is_of_gradient) continue;
        uint64_t& of_run = last[static_cast<size_t>(run)];
        of_run = std::max(of_run, life.died);
    }
    for (size_t run = 0; run < runs().size(); ++run) {
        if (last[run] <= runs()[run].end) continue;
        const uint64_t end = end_of_graph(run);
        if (end < last[run]) ends_of_graphs_[run] = end;
    }
}

// Returns when the last of what a pass was computed from went with its graph, behind the pass and
// before anything else was made; 0: most of that went in the pass.
uint64_t LifeFacts::end_of_graph(size_t run) const {
    const auto born_before = [](const TensorLife& life, uint64_t time) { return life.born < time; };
    const auto first_behind = [&](uint64_t time) {
        return std::lower_bound(all().begin(), all().end(), time, born_before);
    };
    const BackwardRun& pass = runs()[run];
    const auto next = first_behind(pass.end);
    const uint64_t until = next == all().end() ? TensorLife::never : next->born;
    uint64_t in_pass = 0, behind = 0, end = 0;
    for (auto at = first_behind(run == 0 ? 0 : runs()[run - 1].end);
         at != all().end() && at->born < pass.begin; ++at) {
        if (at->died <= pass.begin || at->died >= until) continue;
        (at->died <= pass.end ? in_pass : behind) += at->bytes;
        if (at->died > pass.end) end = std::max(end, at->died);
    }
    return behind > in_pass ? end : 0;
}

const SiteFacts& LifeFacts::facts(const TensorLife& life) const {
    return sites_.of(space_of_[life.space], life.site);
}

std::ptrdiff_t LifeFacts::run_at(uint64_t time) const {
    const auto next = std::upper_bound(
        runs().begin(), runs().end(), time,
        [](uint64_t moment, const BackwardRun& run) { return moment < run.begin; });
    return next - runs().begin() - 1;
}

bool LifeFacts::is_in(std::ptrdiff_t run, uint64_t time) const {
    return run >= 0 && time < runs()[static_cast<size_t>(run)].end;
}

bool LifeFacts::outlives(const TensorLife& life, std::ptrdiff_t run) const {
    const auto at = static_cast<size_t>(run);
    return life.died >
           std::max(runs()[at].end, facts(life).is_of_gradient ? ends_of_graphs_[at] : 0);
}

bool LifeFacts::lives_into_next_run(const TensorLife& life, std::ptrdiff_t run, size_t more) const {
    const size_t next = static_cast<size_t>(run + static_cast<std::ptrdiff_t>(more));
    if (next >= runs().size()) return life.died == TensorLife::never;
    return life.died > runs()[next].begin;
}

bool LifeFacts::stays(const TensorLife& life, std::ptrdiff_t run) const {
    const bool has_two = static_cast<size_t>(run + 2) < runs().size();
    return lives_into_next_run(life, run, has_two ? 2 : 1);
}

bool LifeFacts::is_made_by_module(const SiteFacts& facts) {
    return facts.code == TrainingCode::pytorch_module || facts.code == TrainingCode::initialise ||
           facts.code == TrainingCode::move || facts.code == TrainingCode::norm_module;
}

bool LifeFacts::is_like_state(const TensorLife& life) const {
    const SiteFacts& of = facts(life);
    return of.code == TrainingCode::none && !of.is_data() && !of.is_in_backward &&
           lives_into_next_run(life, run_at(life.born), 3);
}

bool LifeFacts::is_computed_aside(const TensorLife& life, std::ptrdiff_t run) const {
    const SiteFacts& of = facts(life);
    return run >= 0 && of.code == TrainingCode::none && !of.is_made && !of.is_in_backward &&
           !of.is_recorded.value_or(false);
}

}  // namespace memtrace::analyzer
