// SPDX-License-Identifier: Apache-2.0
//
// Stories in which stack 1 makes tensors going forward, 2 in the backward pass, 3 in the optimiser,
// and 4 something else.
#include "analyzer/watch/tensor_watcher.h"

#include "analyzer/model/run_watch.h"
#include "analyzer/replay/load.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

TensorLives followed(const std::string& events) {
    const TempFile file(dump_from_text(R"(
    clock time=0 monotonic_ns=0
    clock time=100000 monotonic_ns=100000
    thread_start lane=0 time=1 tid=7
    thread_start lane=1 time=1 tid=8
    acquire lane=0 time=2 stack=1 size=1 address=0x10
    acquire lane=0 time=3 stack=2 size=1 address=0x20
    acquire lane=0 time=4 stack=3 size=1 address=0x30
    acquire lane=0 time=5 stack=4 size=1 address=0x40
)" + events));
    LoadOptions options;
    options.tensors.sites["host"] = {{true, false, true, TrainingStage::forward},
                                     {true, false, true, TrainingStage::backward},
                                     {true, false, true, TrainingStage::optimiser},
                                     {false, false, true, TrainingStage::none}};
    return *load_dump(file.path(), {}, options).watch->tensors;
}

}  // namespace

TEST_CASE("tensor_watcher: tensors have lives, other blocks have none") {
    const TensorLives found = followed(R"(
    acquire lane=0 time=10 stack=1 size=100 address=0x1000
    mark lane=0 time=11 kind=mark text="now"
    acquire lane=0 time=12 stack=4 size=7 address=0x2000
    release lane=1 time=20 address=0x1000
    release lane=0 time=21 address=0x10
)");
    REQUIRE(found.lives.size() == 4);
    CHECK(found.lives[3].born == 10);
    CHECK(found.lives[3].died == 20);
    CHECK(found.lives[3].bytes == 100);
    CHECK(found.lives[3].address == 0x1000);
    CHECK(found.lives[0].died == 21);
    CHECK(found.lives[1].died == TensorLife::never);
    REQUIRE(found.marks.size() == 1);
    CHECK(found.marks[0].time == 11);
}

TEST_CASE("tensor_watcher: a backward pass lasts until its thread does something else") {
    const TensorLives found = followed(R"(
    acquire lane=0 time=10 stack=1 size=1 address=0x100
    acquire lane=0 time=11 stack=2 size=1 address=0x200
    acquire lane=1 time=12 stack=4 size=1 address=0x300
    acquire lane=0 time=13 stack=2 size=1 address=0x400
    acquire lane=0 time=15 stack=4 size=1 address=0x500
    acquire lane=0 time=16 stack=2 size=1 address=0x600
    acquire lane=0 time=17 stack=3 size=1 address=0x700
    acquire lane=0 time=18 stack=2 size=1 address=0x800
)");
    // The first one is that of the head. Passes without a step between them are one.
    REQUIRE(found.runs.size() == 3);
    CHECK(found.runs[0].begin == 3);
    CHECK(found.runs[0].end == 4);
    CHECK(found.runs[1].begin == 11);
    CHECK(found.runs[1].end == 17);
    CHECK(found.runs[2].begin == 18);
    CHECK(found.runs[2].end == 100000);  // when the recording ends
}

TEST_CASE("tensor_watcher: a program of plain tensors goes forward wherever it computes") {
    std::string events = "thread_start lane=0 time=1 tid=7\n";
    for (int step = 0; step < 3; ++step) {
        const std::string time = std::to_string(10 * (step + 1));
        events += "acquire lane=0 time=" + time + " stack=1 size=1 address=0x1" + time + "0\n";
        events += "acquire lane=0 time=" + time + " stack=2 size=1 address=0x2" + time + "0\n";
    }
    const TempFile file(dump_from_text(events));
    LoadOptions options;
    options.tensors.sites["host"] = {{true, false, true, TrainingStage::none},
                                     {true, false, true, TrainingStage::backward}};
    CHECK(load_dump(file.path(), {}, options).watch->tensors->runs.size() == 3);
    options.tensors.sites["host"][0].is_tensor = false;
    CHECK(load_dump(file.path(), {}, options).watch->tensors->runs.size() == 1);
}
