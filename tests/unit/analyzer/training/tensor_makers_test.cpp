// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_makers.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Two blocks of 100 bytes are held at the peak for each of these stacks, unless a test says so.
class MadeStory : public TrainingStory {
public:
    MadeStory() { recording.model.stacks.autograd_module = 1; }

    MadeTensors host() const {
        const std::vector<MadeTensors> made = made_tensors(recording);
        REQUIRE(made.size() == 1);
        CHECK(made[0].space == "host");
        return made[0];
    }
    uint64_t made_by(TensorMaker maker) const { return host().by[static_cast<size_t>(maker)]; }
};

}  // namespace

TEST_CASE("tensor_makers: the innermost known function tells who made a tensor") {
    MadeStory story;
    story.tensor_site({net_forward, main_frame});
    story.tensor_site({adam, main_frame});
    story.tensor_site({adam, engine, main_frame});  // as soon as a gradient is there
    story.tensor_site({engine, main_frame});
    story.tensor_site({net_forward, engine, main_frame});  // checkpointing goes forward again
    story.tensor_site({linear_init, net_init, main_frame});
    story.tensor_site({loader, main_frame});
    story.tensor_site({main_frame});
    const uint64_t one = story.recording.model.spaces[0].sites.totals(0).at_peak_bytes;
    REQUIRE(one > 0);
    CHECK(story.made_by(TensorMaker::forward) == one);
    CHECK(story.made_by(TensorMaker::optimiser) == 2 * one);
    CHECK(story.made_by(TensorMaker::backward) == 2 * one);
    CHECK(story.made_by(TensorMaker::model) == one);
    CHECK(story.made_by(TensorMaker::data_loader) == one);
    CHECK(story.made_by(TensorMaker::other) == one);
    CHECK(story.host().bytes == 8 * one);
}

TEST_CASE("tensor_makers: what is no tensor does not count") {
    MadeStory story;
    story.tensor_site({net_forward, main_frame});
    const uint64_t one = story.host().bytes;
    story.site("host", story.stack({"libc:malloc", net_forward, main_frame}), 1, 5000);
    CHECK(story.host().bytes == one);
}

TEST_CASE("tensor_makers: all blocks of a caching allocator are tensors") {
    MadeStory story;
    story.site("tensors:cuda:0", story.stack({"libc:start", net_forward, main_frame}), 1, 100);
    const std::vector<MadeTensors> made = made_tensors(story.recording);
    REQUIRE(made.size() == 1);
    CHECK(made[0].space == "tensors:cuda:0");
    CHECK(made[0].by[static_cast<size_t>(TensorMaker::forward)] == made[0].bytes);
}

TEST_CASE("tensor_makers: a program without autograd has none") {
    TrainingStory story;
    story.tensor_site({net_forward, main_frame});
    CHECK(made_tensors(story.recording).empty());
}

TEST_CASE("tensor_makers: the largest part comes first, in words and in JSON") {
    MadeTensors made{.space = "host", .bytes = 3 << 20};
    made.by[static_cast<size_t>(TensorMaker::optimiser)] = 1 << 20;
    made.by[static_cast<size_t>(TensorMaker::backward)] = 2 << 20;
    CHECK(made_text(made) ==
          "tensors in host at its peak: 3.0 MiB, made by the backward pass 2.0 MiB, the optimiser "
          "1.0 MiB");
    const Json json = made_json({made});
    CHECK(json[0]["bytes"] == 3 << 20);
    CHECK(json[0]["made_by"]["backward"] == 2 << 20);
    CHECK(json[0]["made_by"]["data_loader"] == 0);
}

TEST_CASE(
    "tensor_makers: an allocator that functions of Python run inside of is not the caller's") {
    MadeStory story;
    story.tensor_site({net_forward, main_frame});
    const uint64_t one = story.host().bytes;
    story.site("host", story.stack({"libc:malloc", net_forward, "c10::alloc_cpu(unsigned long)"}),
               1, 5000);
    CHECK(story.host().bytes == one);
}
