// SPDX-License-Identifier: Apache-2.0
//
// Arrays of JAX and TensorFlow: lives, and what they are. Steps begin at 100, 200, 300 and 400.
#include "analyzer/arrays/array_kinds.h"

#include <algorithm>
#include <numeric>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Words = std::vector<std::string>;

constexpr uint64_t at_end = TensorLife::never;
const std::string optax = "py:init /v/lib/python3.11/site-packages/optax/_src/base.py:3";
const std::string flax = "py:init /v/lib/python3.11/site-packages/flax/linen/module.py:9";
const std::string train = "py:<module> /home/me/train.py:40";
const std::string from_host = "xla::TfrtCpuClient::BufferFromHostBuffer(void const*)";
const std::string worker = "Eigen::ThreadPoolTempl<tsl::thread::EigenEnvironment>::WorkerLoop(int)";
const std::string of_xla = "xla::CpuDeviceMemory::AllocateInto(unsigned long)";
const std::string of_tensorflow =
    "tsl::(anonymous namespace)::CPUAllocator::AllocateRaw(unsigned long, unsigned long)";

class ArrayStory : public Story {
public:
    explicit ArrayStory(std::string maker = of_xla) : maker_(std::move(maker)) {
        arrays.spaces = {"host"};
        steps.begins = {100, 200, 300, 400};
        steps.end = 500;
    }

    uint32_t array_site(const std::vector<std::string>& functions) {
        std::vector<std::string> frames{"tsl::port::AlignedMalloc(unsigned long)", maker_};
        frames.insert(frames.end(), functions.begin(), functions.end());
        return site_of(frames);
    }
    uint32_t site_of(const std::vector<std::string>& frames) {
        site("host", stack(frames), 1, 100);
        Space& host = space("host");
        host.numbers.resize(host.sites.size());
        std::iota(host.numbers.begin(), host.numbers.end(), 0u);
        return static_cast<uint32_t>(host.sites.size() - 1);
    }
    void life(uint32_t site, uint64_t born, uint64_t died, uint64_t bytes = 100) {
        arrays.lives.push_back({.born = born, .died = died, .bytes = bytes, .site = site});
    }
    // Kinds of the lives, in words. Lives are told in the order of births.
    Words kinds() {
        const ArraySites sites(recording.model, recording.symbols);
        Words words;
        for (const TrainingKind kind :
             array_kinds(arrays, sites, {0}, array_period(arrays, steps))) {
            words.emplace_back(name_of(kind).word);
        }
        return words;
    }

    TensorLives arrays;
    TrainingSteps steps;

private:
    std::string maker_;
};

}  // namespace

TEST_CASE("array_kinds: what each step replaces is kept, and told apart by who made it first") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(story.array_site({flax, train}), 10, 150);
    story.life(story.array_site({optax, train}), 20, 151);
    for (const uint64_t begin : {100, 200, 300, 400}) {
        story.life(step, begin + 30, begin == 400 ? at_end : begin + 150);
        story.life(step, begin + 31, begin == 400 ? at_end : begin + 151);
        story.life(step, begin + 35, begin + 40, 5000);  // what the step's program works in
    }
    const Words replaced{"parameter", "optimiser_state", "computed"};
    Words wanted{"parameter", "optimiser_state"};
    for (int i = 0; i < 4; ++i) wanted.insert(wanted.end(), replaced.begin(), replaced.end());
    CHECK(story.kinds() == wanted);
}

TEST_CASE("array_kinds: where no library is seen, what is kept is not told apart") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(step, 10, 150);
    story.life(step, 130, 250);
    story.life(step, 230, 350);
    story.life(step, 330, 450);
    story.life(step, 430, at_end);
    CHECK(story.kinds() == Words(5, "model_state"));
}

TEST_CASE("array_kinds: batches are inputs, also if one is always there") {
    ArrayStory story;
    const uint32_t batch = story.array_site({from_host, train});
    for (const uint64_t begin : {100, 200, 300, 400}) {
        story.life(batch, begin + 1, begin + 90, 64);
        story.life(batch, begin + 2, begin + 105, 32);
    }
    CHECK(story.kinds() == Words(8, "input"));
}

TEST_CASE("array_kinds: beside weights that are replaced, what stays is data") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(step, 5, at_end, 40);
    story.life(step, 10, 150);
    story.life(step, 130, 250);
    story.life(step, 230, 350);
    story.life(step, 330, at_end);
    CHECK(story.kinds() ==
          Words{"input", "model_state", "model_state", "model_state", "model_state"});
}

TEST_CASE("array_kinds: what is learned in place is told by a partner of its size, or not known") {
    ArrayStory story;
    story.life(story.array_site({from_host, train}), 10, at_end, 64);
    story.life(story.array_site({from_host, train}), 11, at_end, 4096);
    story.life(story.array_site({train}), 12, at_end, 64);
    CHECK(story.kinds() == Words{"model_state", "unknown", "model_state"});
}

TEST_CASE("array_kinds: weights whose memory a step reuses are none of the data beside them") {
    ArrayStory story;
    const uint32_t copied = story.array_site({from_host, train});
    const uint32_t zeros = story.array_site({train});
    Words wanted;
    for (const uint64_t bytes : {640, 1280}) {
        story.life(copied, 10, 20, bytes);  // copied twice before the first step
        story.life(copied, 15, at_end, bytes);
        story.life(zeros, 30, at_end, bytes);
        wanted.insert(wanted.end(), 3, "model_state");
    }
    story.life(copied, 40, at_end, 64);
    wanted.emplace_back("input");
    // What the step computes in between overlaps with that of the next one.
    const uint32_t step = story.array_site({worker});
    for (const uint64_t begin : {100, 200, 300, 400})
        story.life(step, begin, begin == 400 ? at_end : begin + 110, 90000);
    Words found = story.kinds();
    found.resize(wanted.size());
    CHECK(found == wanted);
}

TEST_CASE("array_kinds: where steps are started ahead, each result of a call is kept") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(story.array_site({train}), 10, 130);
    Words wanted{"model_state"};
    for (uint64_t born = 60; born <= 460; born += 50) {
        story.life(step, born, born == 460 ? at_end : born + 120);
        wanted.emplace_back("model_state");
    }
    CHECK(story.kinds() == wanted);
}

TEST_CASE("array_kinds: gradients that a program holds between its steps are computed") {
    ArrayStory story;
    const uint32_t worker_of_all = story.array_site({worker});
    story.life(story.array_site({train}), 10, 140);
    Words wanted{"model_state"};
    for (const uint64_t begin : {100, 200, 300, 400}) {
        story.life(worker_of_all, begin + 10, begin + 105);  // a gradient, until the next step
        story.life(worker_of_all, begin + 20, begin + 25);   // times the rate
        story.life(worker_of_all, begin + 30, begin == 400 ? at_end : begin + 140);
        wanted.insert(wanted.end(), {"computed", "computed", "model_state"});
    }
    CHECK(story.kinds() == wanted);
}

TEST_CASE("array_kinds: data of the size of a weight that is replaced is data") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(story.array_site({from_host, train}), 5, at_end);
    story.life(story.array_site({train}), 10, 150);
    Words wanted{"input", "model_state"};
    for (const uint64_t begin : {100, 200, 300, 400}) {
        story.life(step, begin + 30, begin == 400 ? at_end : begin + 150);
        wanted.emplace_back("model_state");
    }
    CHECK(story.kinds() == wanted);
}

TEST_CASE("array_kinds: without steps, arrays that come and go tell where the steps are") {
    ArrayStory story;
    story.steps = {};
    const uint32_t step = story.array_site({worker});
    story.life(step, 10, at_end, 5000);
    story.life(step, 20, at_end, 5000);
    for (uint64_t begin = 100; begin < 1000; begin += 100) story.life(step, begin, begin + 50);
    const ArrayPeriod period = array_period(story.arrays, story.steps);
    CHECK(period.from >= 300);
    CHECK(period.to > period.from);
}

TEST_CASE("array_kinds: TensorFlow makes results in any order, so replaced ones are one kind") {
    ArrayStory story(of_tensorflow);
    const std::string keras = "py:build /v/lib/python3.11/site-packages/keras/src/layers/core.py:5";
    const uint32_t step = story.array_site({worker});
    story.life(story.array_site({keras, train}), 9, at_end, 77);
    story.life(story.array_site({keras, train}), 10, 150);
    story.life(step, 130, 250);
    story.life(step, 230, 350);
    story.life(step, 330, at_end);
    CHECK(story.kinds() ==
          Words{"parameter", "model_state", "model_state", "model_state", "model_state"});
}

TEST_CASE("array_kinds: without steps, the middle of all bytes is looked at") {
    ArrayStory story;
    story.steps = {};
    const uint32_t step = story.array_site({worker});
    story.life(step, 10, 150);
    Words wanted{"model_state"};
    for (uint64_t begin = 100; begin < 1000; begin += 100) {
        story.life(step, begin + 30, begin == 900 ? at_end : begin + 150);
        story.life(step, begin + 31, begin + 32);
        wanted.insert(wanted.end(), {"model_state", "computed"});
    }
    CHECK(story.kinds() == wanted);
}

TEST_CASE("array_kinds: without steps, what each of them adds is none of the model") {
    for (const bool has_weights : {false, true}) {
        ArrayStory story;
        story.steps = {};
        const uint32_t step = story.array_site({worker});
        const uint32_t main = story.array_site({train});
        if (has_weights) {
            for (uint64_t i = 0; i < 200; ++i) story.life(main, 1 + i, at_end, 100);
        }
        for (uint64_t at = 1000; at < 2000; at += 10) {
            story.life(step, at, at_end, 100);      // is kept
            story.life(step, at + 1, at + 8, 300);  // comes and goes
        }
        const Words kinds = story.kinds();
        const size_t weights = has_weights ? 200 : 0;
        const auto of = [&](size_t begin, size_t end) {
            return std::count(kinds.begin() + static_cast<ptrdiff_t>(begin),
                              kinds.begin() + static_cast<ptrdiff_t>(end), "computed");
        };
        CHECK(of(0, weights) == 0);
        CHECK(of(weights, kinds.size()) >= 196);
    }
}

TEST_CASE("array_kinds: without steps, arrays that join the model at once do not hide it") {
    ArrayStory story;
    story.steps = {};
    const uint32_t step = story.array_site({worker});
    const uint32_t main = story.array_site({train});
    for (uint64_t i = 0; i < 10; ++i) story.life(main, 1 + i, at_end, 100);
    for (uint64_t at = 1000; at < 2000; at += 10) story.life(step, at, at + 8, 300);
    for (uint64_t i = 0; i < 10; ++i) story.life(main, 1650 + i, at_end, 100);
    std::sort(story.arrays.lives.begin(), story.arrays.lives.end(),
              [](const TensorLife& a, const TensorLife& b) { return a.born < b.born; });
    const Words kinds = story.kinds();
    CHECK(std::count(kinds.begin(), kinds.begin() + 10, "computed") == 0);
}

TEST_CASE("array_kinds: a step may give weights back before it makes the new ones") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(story.array_site({flax, train}), 10, 150);
    for (const uint64_t begin : {150, 250, 350, 450}) {
        story.life(step, begin + 1, begin == 450 ? at_end : begin + 100);
    }
    story.steps.begins = {140, 240, 340, 440};
    CHECK(story.kinds().back() != "parameter");  // At no moment of a step it is sure to be there.
}

TEST_CASE("array_steps: a loop in which few arrays are made is not the training's") {
    ArrayStory story;
    const uint32_t step = story.array_site({worker});
    story.life(step, 1000, 1010);
    story.life(step, 1100, 1110);
    story.life(step, 150, 160);
    const TrainingSteps none = array_steps(story.arrays, story.steps);
    CHECK(none.count() == 0);
    CHECK(none.why_none == "no loop was found in which most of the arrays are made");
    story.arrays.lives.pop_back();
    story.life(step, 150, 160, 1000);
    CHECK(array_steps(story.arrays, story.steps).count() == 4);
}
