// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/base/units.h"
#include "analyzer/training/kept_lines.h"
#include "analyzer/training/unused_graphs.h"

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
// Of PyTorch's segments on a device: its allocator always leaves some MiB free beside tensors.
constexpr uint64_t fragmented_min = 16 << 20;
constexpr uint64_t beside_part = 5;  // a fifth of the segments is free beside tensors, or
constexpr uint64_t free_part = 2;    // half of them in all

class Adviser {
public:
    Adviser(const TensorLives& tensors, const TrainingKinds& kinds, const TrainingSites& sites,
            const TrainingTable& table, const SiteRows& rows, const GpuInfo& gpu)
        : tensors_(tensors),
          kinds_(kinds),
          sites_(sites),
          table_(table),
          rows_(rows),
          gpu_(gpu),
          runs_(tensors.runs),
          rounds_(rounds_of(table, tensors)) {}

    std::vector<TrainingAdvice> run() {
        look_for_kept_graphs();
        look_for_added_hooks();
        look_for_unused_graphs();
        look_for_zeroed_gradients();
        for (const TrainingSpace& space : table_.spaces) look_for_checkpointing(space);
        for (const GpuDeviceInfo& device : gpu_.devices) look_for_fragmentation(device);
        std::stable_sort(
            found_.begin(), found_.end(),
            [](const TrainingAdvice& a, const TrainingAdvice& b) { return a.bytes > b.bytes; });
        look_for_late_state();  // nothing to change: last
        return std::move(found_);
    }

private:
    void add(Rule rule, uint64_t bytes, std::optional<uint32_t> row, std::string before,
             std::string after) {
        found_.push_back(
            {rules[rule].word, rules[rule].link, bytes, row, std::move(before), std::move(after)});
    }

    const SiteFacts& facts_of(const TensorLife& life) const {
        return sites_.of(kinds_.space_of[life.space], life.site);
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

    // What must be gone after some rounds: steps, or where no steps are known, backward passes.
    // Several networks may train in one step, so the passes are counted more generously.
    struct Rounds {
        std::vector<uint64_t> ends;
        size_t far = 2;
        bool are_steps = false;
    };

    static Rounds rounds_of(const TrainingTable& table, const TensorLives& tensors) {
        Rounds rounds;
        rounds.are_steps = !table.steps.are_passes && table.steps.count() >= steps_min + 2;
        if (rounds.are_steps) {
            for (size_t i = 0; i < table.steps.count(); ++i) {
                rounds.ends.push_back(table.steps.end_of(i));
            }
        } else {
            for (const BackwardRun& run : tensors.runs) rounds.ends.push_back(run.end);
        }
        rounds.far = std::clamp<size_t>(rounds.ends.size() / 4, rounds.are_steps ? 1 : 2, 16);
        return rounds;
    }

    void add_life(SumOfLines& sum, const TensorLife& life) const {
        sum.bytes += life.bytes;
        if (const auto row = row_of(life)) sum.bytes_of[*row] += life.bytes;
    }

    void add_if_kept(KeptOfRounds& kept, const TensorLife& life) const {
        const auto next = std::upper_bound(rounds_.ends.begin(), rounds_.ends.end(), life.born);
        const auto round = static_cast<size_t>(next - rounds_.ends.begin());
        if (round + rounds_.far >= rounds_.ends.size()) return;
        if (life.died <= rounds_.ends[round + rounds_.far]) return;
        kept.rounds.insert(round);
        if (!table_.spaces.empty() && life.is_alive_at(table_.spaces[0].peak_time_ns))
            kept.at_peak += life.bytes;
        add_life(kept, life);
    }

    // Rounds that could have left something behind. The first one makes what stays.
    size_t possible() const {
        return rounds_.ends.size() > rounds_.far ? rounds_.ends.size() - rounds_.far : 0;
    }

    bool is_in_most_rounds(const KeptOfRounds& kept) const {
        return kept.rounds.size() >= steps_min && kept.rounds.size() * 2 >= possible() &&
               !kept.bytes_of.empty();
    }

    std::string in_rounds(const KeptOfRounds& kept) const {
        const std::string far = rounds_.are_steps ? counted(rounds_.far, "step")
                                                  : exact_count(rounds_.far) + " backward passes";
        return fmt::format("{} later, in {} of {}{}", far, exact_count(kept.rounds.size()),
                           exact_count(possible()), rounds_.are_steps ? " steps" : "");
    }

    // What goes forward is of use until its own backward pass, and the nodes of the graph, too. If
    // they are still there much later, something keeps a result with its graph. After a backward
    // pass that is little: the nodes are left, and what they had saved is not.
    void look_for_kept_graphs() {
        KeptOfRounds tensors, nodes;
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            if (kinds_.of_lives[i] == TrainingKind::activation && !kinds_.outlives_graph(i)) {
                add_if_kept(tensors, tensors_.lives[i]);
            }
        }
        for (const TensorLife& life : tensors_.others) {
            if (facts_of(life).is_graph_node) add_if_kept(nodes, life);
        }
        constexpr const char* remedy =
            ". Something keeps an output or a loss with its graph: keep its number (loss.item()) "
            "or loss.detach().";
        if (is_in_most_rounds(tensors) && tensors.each() >= bytes_min) {
            add(kept_graph, tensors.bytes, tensors.largest(),
                fmt::format("{} a step that were made going forward are still there {}: {} at the "
                            "peak. Most are made at ",
                            human_bytes(tensors.each()), in_rounds(tensors),
                            human_bytes(tensors.at_peak)),
                remedy);
        } else if (is_in_most_rounds(nodes)) {
            add(kept_graph, nodes.bytes, nodes.largest(),
                fmt::format("Nodes of the graph, {} a step, are still there {}. Most are made at ",
                            human_bytes(nodes.each()), in_rounds(nodes)),
                remedy);
        }
    }

    // A model that is evaluated saves for a backward pass that never comes.
    void look_for_unused_graphs() {
        const LifeFacts lives(tensors_, sites_, kinds_.space_of);
        const UnusedGraphs unused = find_unused_graphs(lives);
        SumOfLines lines;
        for (const auto& [site, bytes] : unused.by_site) {
            const auto row = rows_.row_of(kinds_.space_of[site.first], site.second);
            if (row) lines.bytes_of[*row] += bytes;
        }
        if (unused.times < 2 || unused.bytes < bytes_min || lines.bytes_of.empty()) return;
        if (unused.bytes * 10 < most_of_tensors()) return;
        add(unused_graph, unused.bytes, lines.largest(),
            fmt::format("Up to {} were saved for a backward pass that never came, {} times. Most "
                        "are made at ",
                        human_bytes(unused.bytes), exact_count(unused.times)),
            ". An evaluation, or an output that is detached at once, needs no graph: with "
            "torch.no_grad() around it about that much less is held.");
    }

    // Bytes in tensors, at the peak of the space with most of them.
    uint64_t most_of_tensors() const {
        uint64_t most = 0;
        for (const TrainingSpace& space : table_.spaces) most = std::max(most, space.tensor_bytes);
        return most;
    }

    // The table of a module's hooks becomes larger while the program trains.
    void look_for_added_hooks() {
        std::map<uint32_t, std::set<size_t>> grown_in;  // by row: numbers of backward passes
        std::map<uint32_t, uint64_t> largest;
        for (const TensorLife& life : tensors_.others) {
            const auto row = row_of(life);
            // Python's own objects are a sample, and each hook has one.
            if (tensors_.spaces[life.space] != "host") continue;
            if (facts_of(life).code != TrainingCode::hook || !row) continue;
            const size_t run = runs_before(life);
            if (life.bytes <= largest[*row]) continue;
            largest[*row] = life.bytes;
            if (run > 0) grown_in[*row].insert(run);
        }
        for (const auto& [row, runs] : grown_in) {
            if (runs.size() < 2) continue;
            add(added_hooks, largest[row], row, "The hooks that are registered at ",
                fmt::format(" become more and more: their table had to grow in {} different steps, "
                            "to {} at last. Register hooks once, or remove them by what "
                            "registering returns.",
                            exact_count(runs.size()), human_bytes(largest[row])));
        }
    }

    // State that the first step of an optimiser makes: a first pass that fits says little.
    void look_for_late_state() {
        if (runs_.empty()) return;
        SumOfLines state;
        uint64_t before = 0;          // bytes of state from before the training
        std::optional<size_t> first;  // Gradients of several passes may be added up for it.
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (kinds_.of_lives[i] != TrainingKind::optimiser_state) continue;
            if (facts_of(life).code != TrainingCode::optimiser) continue;
            const size_t runs = runs_before(life);
            if (runs == 0) {
                before += life.bytes;
                continue;
            }
            if (!first) first = runs;
            if (runs == *first) add_life(state, life);
        }
        if (state.bytes < before) return;
        if (state.bytes < bytes_min || state.bytes * 10 < most_of_tensors() ||
            state.bytes_of.empty())
            return;
        add(late_state, state.bytes, state.largest(),
            fmt::format("The optimiser makes its state, {}, in its first step, at ",
                        human_bytes(state.bytes)),
            ". The first forward and backward pass run without it, so judge what fits by the "
            "second step.");
    }

    // Gradients that the first steps made, and that the last one still uses. What hooks gather in
    // the backward pass has sizes of its own, and no zero_grad() gives it back.
    void look_for_zeroed_gradients() {
        if (runs_.size() < steps_min) return;
        uint64_t bytes = 0, all = 0;
        std::set<uint64_t> sizes;  // of parameters
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            if (kinds_.of_lives[i] != TrainingKind::parameter) continue;
            all += tensors_.lives[i].bytes;
            sizes.insert(tensors_.lives[i].bytes);
        }
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (kinds_.of_lives[i] != TrainingKind::gradient) continue;
            const bool is_of_all = life.bytes * 2 >= all;  // gradients of the whole model in one
            if (!is_of_all && !sizes.contains(life.bytes)) continue;
            const size_t runs = runs_before(life);
            if (runs == 0 || runs > 2 || life.died <= runs_.back().begin) continue;
            bytes += life.bytes;
        }
        if (bytes < bytes_min || bytes * 2 < all) return;
        const bool is_peak_in_run = !table_.spaces.empty() && table_.spaces[0].is_in_run;
        add(zeroed_gradients, bytes, std::nullopt,
            fmt::format(
                "Gradients of {} stay from the first steps to the last one: they are zeroed, "
                "and not given back. zero_grad(set_to_none=True) gives them back while the "
                "model goes forward. {}",
                human_bytes(bytes),
                is_peak_in_run ? "The peak is in a backward pass: it saves what that had not made."
                               : "It saves that much at the peak."),
            "");
    }

    void look_for_checkpointing(const TrainingSpace& space) {
        const auto row =
            std::find_if(space.kinds.begin(), space.kinds.end(),
                         [](const KindRow& kind) { return kind.kind == TrainingKind::activation; });
        if (row == space.kinds.end() || row->lines.empty()) return;
        // What the backward pass makes for itself is as large as what it comes from, and brief.
        uint64_t brief = 0;
        for (const KindRow& kind : space.kinds) {
            if (kind.kind == TrainingKind::autograd) brief += kind.sum.bytes;
        }
        // Activations that should not be there any more need no checkpointing.
        const bool are_kept =
            std::any_of(found_.begin(), found_.end(), [&](const TrainingAdvice& advice) {
                return advice.rule == rules[kept_graph].word && advice.bytes * 2 >= row->sum.bytes;
            });
        if (are_kept) return;
        const KindLine& line = row->lines[0];
        const uint64_t saved = line.sum.bytes;
        if (row->sum.bytes * 2 < space.tensor_bytes - brief ||
            row->sum.bytes * 10 < space.peak_bytes)
            return;
        if (saved < bytes_min) return;
        add(checkpointing, saved, line.row,
            fmt::format("Activations are {} of the tensors at the peak of {}. The largest, {}, are "
                        "saved at ",
                        percent(row->sum.bytes, space.tensor_bytes), space.name,
                        human_bytes(saved)),
            block_of(line, space) +
                " are computed once more instead of kept. Smaller batches or lower precision make "
                "them smaller as well.");
    }

    // What to checkpoint, and what that gives back as far as it is known.
    std::string block_of(const KindLine& line, const TrainingSpace& space) const {
        const auto module = std::find_if(
            space.modules.begin(), space.modules.end(),
            [&](const ModuleRow& one) { return line.module && one.number == *line.module; });
        if (module == space.modules.end()) return ". With checkpointing of that block they";
        const std::string& name = table_.modules[module->number].name;
        const uint64_t saved = module->saved_by_checkpoints();
        if (saved < bytes_min) return fmt::format(". With checkpointing of {} they", name);
        return fmt::format(
            ". Checkpointing {}, of which there are {}, would save about {}: its activations", name,
            exact_count(module->layers), human_bytes(saved));
    }

    // At the moment of its peak with most tensors, what is free is too small or in the wrong place
    // for what the program asked for, or there would be fewer segments.
    void look_for_fragmentation(const GpuDeviceInfo& device) {
        const GpuFigures& peak = device.at_peak;
        const uint64_t beside = peak.fragmented(), free = beside + peak.cached;
        if (!device.had_tensors || peak.holes < 2 || free < fragmented_min) return;
        const bool is_beside = beside >= fragmented_min && beside * beside_part >= peak.segments;
        if (!is_beside && free * free_part < peak.segments) return;
        const std::string whole = peak.cached == 0
                                      ? ""
                                      : fmt::format(
                                            ", {} of it in whole segments that are too small for "
                                            "what was asked for",
                                            human_bytes(peak.cached));
        add(fragmentation, free, std::nullopt,
            fmt::format("At the peak of device:{}, {} of PyTorch's segments ({}) are free{}. These "
                        "are {} pieces, the largest of {}. "
                        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow, so "
                        "that fewer such pieces are left.",
                        device.device, human_bytes(free), human_bytes(peak.segments), whole,
                        exact_count(peak.holes), human_bytes(peak.largest_hole)),
            "");
    }

    const TensorLives& tensors_;
    const TrainingKinds& kinds_;
    const TrainingSites& sites_;
    const TrainingTable& table_;
    const SiteRows& rows_;
    const GpuInfo& gpu_;
    const std::vector<BackwardRun>& runs_;
    const Rounds rounds_;
    std::vector<TrainingAdvice> found_;
};

}  // namespace

std::string sentence_of(const TrainingAdvice& advice, const SiteRows& rows, size_t room) {
    return advice.before + (advice.row ? rows.text(*advice.row, room) : "") + advice.after;
}

std::vector<TrainingAdvice> training_advice(const TensorLives& tensors, const TrainingKinds& kinds,
                                            const TrainingSites& sites, const TrainingTable& table,
                                            const SiteRows& rows, const GpuInfo& gpu) {
    return Adviser(tensors, kinds, sites, table, rows, gpu).run();
}

}  // namespace memtrace::analyzer
