// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

enum Rule : size_t {
#define MEMTRACE_TRAINING_ADVICE(rule, word, link) rule,
#include "analyzer/training/training_advice.def"
};
struct RuleText {
    std::string_view word;
    std::string_view link;
};
constexpr RuleText rules[] = {
#define MEMTRACE_TRAINING_ADVICE(rule, word, link) {word, link},
#include "analyzer/training/training_advice.def"
};

// Less is not worth a change.
constexpr uint64_t bytes_min = 64 << 10;
constexpr size_t steps_min = 3;

class Adviser {
public:
    Adviser(const TensorLives& tensors, const TrainingKinds& kinds, const TrainingTable& table,
            const SiteRows& rows)
        : tensors_(tensors), kinds_(kinds), table_(table), rows_(rows), runs_(tensors.runs) {}

    std::vector<TrainingAdvice> run() {
        look_for_kept_graphs();
        look_for_zeroed_gradients();
        for (const TrainingSpace& space : table_.spaces) look_for_checkpointing(space);
        std::stable_sort(
            found_.begin(), found_.end(),
            [](const TrainingAdvice& a, const TrainingAdvice& b) { return a.bytes > b.bytes; });
        return std::move(found_);
    }

private:
    void add(Rule rule, uint64_t bytes, std::optional<uint32_t> row, std::string before,
             std::string after) {
        found_.push_back(
            {rules[rule].word, rules[rule].link, bytes, row, std::move(before), std::move(after)});
    }

    std::optional<uint32_t> row_of(const TensorLife& life) const {
        return rows_.row_of(kinds_.space_of[life.space], life.site);
    }

    // Number of runs that had begun when the block was born.
    size_t runs_before(const TensorLife& life) const {
        return static_cast<size_t>(std::upper_bound(runs_.begin(), runs_.end(), life.born,
                                                    [](uint64_t time, const BackwardRun& run) {
                                                        return time < run.begin;
                                                    }) -
                                   runs_.begin());
    }

    // What goes forward is of use until its own backward pass. What is still there when the next
    // one begins, is kept by something else.
    void look_for_kept_graphs() {
        std::map<uint32_t, uint64_t> bytes_of;  // by row
        std::set<size_t> steps;
        uint64_t bytes = 0;
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (kinds_.of_lives[i] != TrainingKind::activation) continue;
            const size_t next = runs_before(life) + 1;
            if (next >= runs_.size() || life.died <= runs_[next].begin) continue;
            steps.insert(next);
            bytes += life.bytes;
            if (const auto row = row_of(life)) bytes_of[*row] += life.bytes;
        }
        const size_t possible = runs_.size() < 2 ? 0 : runs_.size() - 1;
        if (steps.size() < steps_min || steps.size() * 2 < possible || bytes_of.empty()) return;
        const uint64_t each = bytes / steps.size();
        if (each < bytes_min) return;
        const auto most =
            std::max_element(bytes_of.begin(), bytes_of.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        add(kept_graph, bytes, most->first,
            fmt::format(
                "{} a step that were made going forward are still there in the next step, in "
                "{} of {} steps. Most are made at ",
                human_bytes(each), exact_count(steps.size()), exact_count(possible)),
            ". Something keeps an output or a loss with its graph: keep its number (loss.item()) "
            "or "
            "loss.detach().");
    }

    // Gradients that the first steps made, and that the last one still uses.
    void look_for_zeroed_gradients() {
        if (runs_.size() < steps_min) return;
        uint64_t bytes = 0, all = 0;
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (kinds_.of_lives[i] == TrainingKind::parameter) all += life.bytes;
            if (kinds_.of_lives[i] != TrainingKind::gradient) continue;
            const size_t runs = runs_before(life);
            if (runs == 0 || runs > 2 || life.died <= runs_.back().begin) continue;
            bytes += life.bytes;
        }
        if (bytes < bytes_min || bytes * 2 < all) return;
        add(zeroed_gradients, bytes, std::nullopt,
            fmt::format(
                "Gradients of {} stay from the first steps to the last one: they are zeroed, "
                "and not given back. zero_grad(set_to_none=True) gives them back while the "
                "model goes forward.",
                human_bytes(bytes)),
            "");
    }

    void look_for_checkpointing(const TrainingSpace& space) {
        const auto row =
            std::find_if(space.kinds.begin(), space.kinds.end(),
                         [](const KindRow& kind) { return kind.kind == TrainingKind::activation; });
        if (row == space.kinds.end() || row->lines.empty()) return;
        const uint64_t saved = row->lines[0].sum.bytes;
        if (row->sum.bytes * 2 < space.tensor_bytes || row->sum.bytes * 10 < space.peak_bytes)
            return;
        if (saved < bytes_min) return;
        add(checkpointing, saved, row->lines[0].row,
            fmt::format("Activations are {} of the tensors at the peak of {}. The largest, {}, are "
                        "saved at ",
                        percent(row->sum.bytes, space.tensor_bytes), space.name,
                        human_bytes(saved)),
            ". With checkpointing of that block they are computed once more instead of kept. "
            "Smaller "
            "batches or lower precision make them smaller as well.");
    }

    const TensorLives& tensors_;
    const TrainingKinds& kinds_;
    const TrainingTable& table_;
    const SiteRows& rows_;
    const std::vector<BackwardRun>& runs_;
    std::vector<TrainingAdvice> found_;
};

}  // namespace

std::vector<TrainingAdvice> training_advice(const TensorLives& tensors, const TrainingKinds& kinds,
                                            const TrainingTable& table, const SiteRows& rows) {
    return Adviser(tensors, kinds, table, rows).run();
}

}  // namespace memtrace::analyzer
