// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/training_table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr auto kind_count = static_cast<size_t>(TrainingKind::count);

class Builder {
public:
    Builder(const Recording& recording, const TensorLives& tensors, const TrainingKinds& kinds,
            const TrainingSites& sites, const SiteRows& rows, const TrainingSteps& steps)
        : recording_(recording),
          tensors_(tensors),
          kinds_(kinds),
          sites_(sites),
          rows_(rows),
          steps_(steps),
          modules_(recording.model, recording.symbols) {}

    const TrainingModules& modules() const { return modules_; }

    TrainingSpace at_peak(uint32_t index) const {
        const Space& space = recording_.model.spaces[kinds_.space_of[index]];
        TrainingSpace found;
        found.name = space.name;
        found.peak_time_ns = space.peak_time_ns;
        found.peak_bytes = space.totals.own_peak_bytes;
        std::array<std::map<uint32_t, KindLine>, kind_count> lines;
        std::array<KindSum, kind_count> sums{};
        std::map<uint32_t, ModuleRow> modules;
        const std::map<uint32_t, uint64_t> outputs = outputs_before(space.peak_time_ns, index);
        const TensorLife* last = nullptr;
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (life.space != index) continue;
            if (life.born <= space.peak_time_ns) last = &life;
            if (!life.is_alive_at(space.peak_time_ns)) continue;
            const auto kind = static_cast<size_t>(kinds_.at(i, space.peak_time_ns));
            sums[kind].add(life.bytes);
            found.tensor_bytes += life.bytes;
            const auto module = modules_.of(kinds_.space_of[index], life.site);
            if (const auto row = rows_.row_of(kinds_.space_of[index], life.site)) {
                KindLine& line =
                    lines[kind].try_emplace(*row, KindLine{*row, {}, module}).first->second;
                line.sum.add(life.bytes);
            }
            if (module) {
                ModuleRow& of_module = modules[*module];
                of_module.number = *module;
                of_module.bytes[kind] += life.bytes;
                of_module.all += life.bytes;
            }
        }
        for (size_t kind = 0; kind < kind_count; ++kind) {
            if (sums[kind].blocks == 0) continue;
            KindRow row{static_cast<TrainingKind>(kind), sums[kind], {}};
            for (const auto& [number, line] : lines[kind]) row.lines.push_back(line);
            std::stable_sort(
                row.lines.begin(), row.lines.end(),
                [](const KindLine& a, const KindLine& b) { return a.sum.bytes > b.sum.bytes; });
            found.kinds.push_back(std::move(row));
        }
        for (const BackwardRun& run : tensors_.runs) {
            if (run.begin > space.peak_time_ns) break;
            found.run += 1;
            found.is_in_run = space.peak_time_ns < run.end;
        }
        for (auto& [number, row] : modules) {
            const auto output = outputs.find(number);
            if (output != outputs.end()) row.output_bytes = output->second;
            found.modules.push_back(row);
        }
        std::stable_sort(found.modules.begin(), found.modules.end(),
                         [](const ModuleRow& a, const ModuleRow& b) { return a.all > b.all; });
        if (!steps_.are_passes) found.step = steps_.number_at(space.peak_time_ns);
        if (last != nullptr) {
            const size_t of_model = kinds_.space_of[index];
            found.row = rows_.row_of(of_model, last->site);
            found.stage = sites_.of(of_model, last->site).stage();
        }
        found.steps = step_table(tensors_, kinds_, steps_, index);
        return found;
    }

    // Sets the number of layers of each module, at the peak of the space.
    void count_layers_of(TrainingSpace& space, const MayRepeat& may_repeat) const {
        const std::vector<uint64_t> layers =
            count_layers(recording_.model, recording_.symbols, tensors_, kinds_.space_of, sites_,
                         modules_, space.peak_time_ns, may_repeat);
        for (ModuleRow& row : space.modules) row.layers = layers[row.number];
    }

    TrainingMoment at_mark(const MarkedMoment& mark) const {
        TrainingMoment moment;
        moment.mark = mark.text;
        moment.time_ns = mark.time;
        for (size_t i = 0; i < tensors_.lives.size(); ++i) {
            const TensorLife& life = tensors_.lives[i];
            if (!life.is_alive_at(mark.time)) continue;
            const TrainingKind kind = kinds_.at(i, mark.time);
            moment.kinds[static_cast<size_t>(kind)].add(life.bytes);
            moment.blocks.push_back({life.space, life.address, life.bytes, kind});
        }
        return moment;
    }

private:
    // Returns the bytes of the last output of each module: what it computes before another module
    // goes on.
    std::map<uint32_t, uint64_t> outputs_before(uint64_t time, uint32_t index) const {
        std::map<uint32_t, uint64_t> outputs;
        std::optional<uint32_t> before;
        uint64_t bytes = 0;
        for (const TensorLife& life : tensors_.lives) {
            if (life.born > time) break;
            const size_t space = kinds_.space_of[life.space];
            const SiteFacts& facts = sites_.of(space, life.site);
            if (life.space != index || facts.is_in_backward || !facts.is_recorded.value_or(false))
                continue;
            const std::optional<uint32_t> module = modules_.of(space, life.site);
            if (before && before != module) outputs[*before] = bytes;
            before = module;
            bytes = life.bytes;
        }
        return outputs;
    }

    const Recording& recording_;
    const TensorLives& tensors_;
    const TrainingKinds& kinds_;
    const TrainingSites& sites_;
    const SiteRows& rows_;
    const TrainingSteps& steps_;
    const TrainingModules modules_;
};

}  // namespace

uint64_t ModuleRow::saved_by_checkpoints() const {
    const uint64_t activations = bytes[static_cast<size_t>(TrainingKind::activation)];
    if (layers < 2) return 0;
    const uint64_t left = activations / layers + (layers - 1) * output_bytes;
    return activations - std::min(activations, left);
}

std::vector<size_t> spaces_of(const Model& model, const TensorLives& tensors) {
    std::vector<size_t> found;
    for (const std::string& name : tensors.spaces) {
        const auto space =
            std::find_if(model.spaces.begin(), model.spaces.end(),
                         [&](const Space& candidate) { return candidate.name == name; });
        found.push_back(static_cast<size_t>(space - model.spaces.begin()));
    }
    return found;
}

TrainingKinds training_kinds(const Model& model, const TrainingSites& sites,
                             const TensorLives& tensors, const TrainingSteps& steps) {
    return tensor_kinds(
        tensors, sites, spaces_of(model, tensors),
        steps.are_passes || steps.are_part ? std::vector<uint64_t>() : steps.begins);
}

TrainingTable training_table(const Recording& recording, const TensorLives& tensors,
                             const TrainingKinds& kinds, const TrainingSites& sites,
                             const SiteRows& rows, TrainingSteps steps,
                             const std::vector<std::string>& blocks_at,
                             const MayRepeat& may_repeat) {
    const Builder builder(recording, tensors, kinds, sites, rows, steps);
    TrainingTable table;
    table.runs = tensors.runs.size();
    table.left_out = tensors.left_out;
    table.modules = builder.modules().classes();
    table.has_module_names = builder.modules().has_names();
    for (uint32_t i = 0; i < tensors.spaces.size(); ++i) {
        const bool has_tensors =
            std::any_of(tensors.lives.begin(), tensors.lives.end(),
                        [i](const TensorLife& life) { return life.space == i; });
        if (has_tensors) table.spaces.push_back(builder.at_peak(i));
    }
    if (may_repeat) {
        for (TrainingSpace& space : table.spaces) builder.count_layers_of(space, may_repeat);
    }
    std::stable_sort(table.spaces.begin(), table.spaces.end(),
                     [](const TrainingSpace& a, const TrainingSpace& b) {
                         return a.tensor_bytes > b.tensor_bytes;
                     });
    for (const MarkedMoment& mark : tensors.marks) {
        if (std::find(blocks_at.begin(), blocks_at.end(), mark.text) == blocks_at.end()) continue;
        table.moments.push_back(builder.at_mark(mark));
    }
    table.steps = std::move(steps);
    return table;
}

}  // namespace memtrace::analyzer
