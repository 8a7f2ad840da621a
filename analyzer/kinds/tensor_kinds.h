// SPDX-License-Identifier: Apache-2.0
//
// What each tensor of a training is, told from its stack and its life. docs/use/training.md has the
// rules in words. What no rule fits is unknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/kinds/site_facts.h"
#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

enum class TrainingKind : uint8_t {
#define MEMTRACE_TRAINING_KIND(word, name, what) word,
#include "analyzer/kinds/training_kinds.def"
    count,
};

struct KindName {
    std::string_view word;  // for programs
    std::string_view name;  // for people
    std::string_view what;
};
KindName name_of(TrainingKind kind);

// What a tensor is from some moment on, if that is not what it was at first.
struct LaterKind {
    TrainingKind kind = TrainingKind::unknown;
    uint64_t from = TensorLife::never;   // ns
    uint64_t until = TensorLife::never;  // when it is again what it was at first
};

struct TrainingKinds {
    // Of a life at this time, in ns.
    TrainingKind at(size_t life, uint64_t time) const {
        const bool is_later =
            life < later.size() && time >= later[life].from && time < later[life].until;
        return is_later ? later[life].kind : of_lives[life];
    }
    // True if it outlives its graph, as a result or as data.
    bool outlives_graph(size_t life) const {
        return life < later.size() && later[life].from != TensorLife::never &&
               (later[life].kind == TrainingKind::temporary ||
                later[life].kind == TrainingKind::input);
    }

    std::vector<size_t> space_of;        // index in the model of each of TensorLives::spaces
    std::vector<TrainingKind> of_lives;  // of each of TensorLives::lives, at first
    std::vector<LaterKind> later;        // of each; may be empty
};

// Returns the kind of each life. `space_of`: index in the model of each of TensorLives::spaces.
// `rounds`: when each round of the training begins, in ns from the start of the recording. Empty:
// not known.
TrainingKinds tensor_kinds(const TensorLives& tensors, const TrainingSites& sites,
                           std::vector<size_t> space_of, const std::vector<uint64_t>& rounds = {});

}  // namespace memtrace::analyzer
