// SPDX-License-Identifier: Apache-2.0
//
// The lives of a training's tensors, and when it ran backward. A pass of its own finds them
// (LoadOptions::tensors), and only `training` asks for it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace memtrace::analyzer {

// What the code did that acquired memory, as its stack shows it.
enum class TrainingStage : uint8_t { none, forward, backward, optimiser };

// A block that holds a tensor's elements. Times in nanoseconds from the start of the recording.
struct TensorLife {
    static constexpr uint64_t never = std::numeric_limits<uint64_t>::max();

    uint64_t born = 0;
    uint64_t died = never;  // never: alive at the end
    uint64_t bytes = 0;
    uint64_t address = 0;
    uint32_t site = 0;   // number of the site in the replay
    uint32_t space = 0;  // index into TensorLives::spaces

    bool is_alive_at(uint64_t time) const { return born <= time && time < died; }
};

// From the first acquisition of a backward pass to the thread's next one that is not part of it.
// Passes without a forward or an optimiser's acquisition between them are one run.
struct BackwardRun {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool is_learned = false;  // The optimiser made tensors behind it, before the next run.
};

struct MarkedMoment {
    std::string text;
    uint64_t time = 0;
};

struct TensorLives {
    std::vector<std::string> spaces;
    std::vector<TensorLife> lives;   // in the order of their births
    std::vector<TensorLife> others;  // blocks that are no tensors and tell of the training
    std::vector<BackwardRun> runs;   // in the order of time
    std::vector<MarkedMoment> marks;
    uint64_t left_out = 0;  // blocks beyond the number that is followed
};

}  // namespace memtrace::analyzer
