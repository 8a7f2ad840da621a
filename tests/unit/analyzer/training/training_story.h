// SPDX-License-Identifier: Apache-2.0
//
// Trainings made by hand: sites with stacks as PyTorch has them, and tensors with lives.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "analyzer/training/training_json.h"
#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::analyzer {

class TrainingStory : public Story {
public:
    TrainingStory() { tensors.spaces = {"host"}; }

    // Adds a site of tensors. Frames are Python's, from the innermost to the outermost.
    uint32_t tensor_site(std::vector<std::string> functions, const std::string& maker = "") {
        if (!maker.empty()) functions.insert(functions.begin(), maker);
        functions.insert(functions.begin(), "c10::alloc_cpu(unsigned long)");
        return tensor_site(stack(functions));
    }
    // The same of a whole stack.
    uint32_t tensor_site(uint32_t stack) {
        site("host", stack, 1, 100);
        Space& host = space("host");
        host.peak_time_ns = peak_time_ns;
        host.totals.own_peak_bytes = peak_bytes;
        host.numbers.resize(host.sites.size());
        std::iota(host.numbers.begin(), host.numbers.end(), 0u);
        return static_cast<uint32_t>(host.sites.size() - 1);
    }
    void life(uint32_t site, uint64_t born, uint64_t died, uint64_t bytes = 100) {
        tensors.lives.push_back({.born = born, .died = died, .bytes = bytes, .site = site});
    }
    // Kinds of the lives, in words.
    std::vector<std::string> kinds() const {
        const TrainingSites sites(recording.model, recording.symbols);
        std::vector<std::string> words;
        for (const TrainingKind kind : tensor_kinds(tensors, sites, {0}, steps.begins).of_lives) {
            words.emplace_back(name_of(kind).word);
        }
        return words;
    }

    TrainingReport report(const std::vector<std::string>& marks = {}) const {
        const TrainingSites sites(recording.model, recording.symbols);
        const TrainingKinds found = training_kinds(recording.model, sites, tensors, steps);
        const SiteRows rows(recording);
        TrainingReport training{
            tensors, training_table(recording, tensors, found, sites, rows, steps, marks), {}};
        training.advice =
            training_advice(tensors, found, sites, training.table, rows, recording.model.gpu);
        return training;
    }

    TensorLives tensors;
    TrainingSteps steps;
    uint64_t peak_time_ns = 0;
    uint64_t peak_bytes = 0;
};

inline constexpr uint64_t at_end = TensorLife::never;

// Frames of PyTorch and of a program.
inline const std::string torch_path = "/v/lib/python3.11/site-packages/torch";
inline const std::string main_frame = "py:<module> /home/me/train.py:40";
inline const std::string linear_init =
    "py:Linear.__init__ " + torch_path + "/nn/modules/linear.py:106";
inline const std::string net_init = "py:Net.__init__ /home/me/net.py:8";
inline const std::string net_forward = "py:Net.forward /home/me/net.py:20";
inline const std::string engine =
    "py:_engine_run_backward " + torch_path + "/autograd/graph.py:800";
inline const std::string adam = "py:Adam.step " + torch_path + "/optim/adam.py:200";
inline const std::string loader = "py:default_collate " + torch_path + "/utils/data/_utils/c.py:3";

}  // namespace memtrace::analyzer
