// SPDX-License-Identifier: Apache-2.0
#include "preload/merged_stack.h"

#include <vector>

#include "tests/unit/preload/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Four native frames, outermost first. Their stack pointers are 1000, 800, 600 and 400: the second
// one lies from 800 up to 1000.
class Stacks {
public:
    Stacks() {
        uint64_t sp = 1000;
        for (StackFrame& frame : native_) {
            frame.pc = 0x401000 + sp;
            frame.sp = sp;
            frame.rule_number = 1;
            sp -= 200;
        }
        memo.frames = native_;
        memo.numbers = numbers_;
        memo.length = memo.kept = 4;
        REQUIRE(merged.prepare(100));
    }

    // The loops of these anchors run one frame more each.
    void set_python(std::vector<uint64_t> anchors, uint32_t kept) {
        frames_.clear();
        for (const uint64_t anchor : anchors) frames_.push_back({1, 0, frames_.size(), anchor});
        python = {frames_.data(), static_cast<uint32_t>(frames_.size()), kept,
                  PythonStackStatus::ok};
    }

    // N for each native frame and p for each of Python's.
    std::string merge_from(uint32_t begin) {
        merge_frames(*Lane::of_this_thread(), merged, memo, python, begin);
        std::string kinds;
        for (uint32_t i = 0; i < merged.length; ++i) {
            kinds += merged.kinds[i] == NodeKind::python ? 'p' : 'N';
        }
        return kinds;
    }

    StackMemo memo;
    MergedStack merged;
    PythonStack python;

private:
    const test::TestRecording recording_;
    StackFrame native_[4];
    uint32_t numbers_[4] = {};
    std::vector<PythonFrame> frames_;
};

constexpr uint64_t same_loop = PythonFrame::same_loop;

}  // namespace

TEST_CASE("Python's frames stand behind the native frame that runs them", "[merged_stack]") {
    Stacks stacks;
    stacks.set_python({850, same_loop, 450}, 0);
    CHECK(stacks.merge_from(0) == "NNppNNp");
    CHECK(stacks.memo.numbers[0] == 1);
    CHECK(stacks.memo.numbers[1] == 4);
    CHECK(stacks.memo.numbers[3] == 7);
}

TEST_CASE("without Python a stack is its native frames", "[merged_stack]") {
    Stacks stacks;
    CHECK(stacks.merge_from(0) == "NNNN");
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 4);
}

TEST_CASE("frames that belong nowhere come last, and none is lost", "[merged_stack]") {
    Stacks stacks;
    stacks.set_python({850, 100}, 0);
    CHECK(stacks.merge_from(0) == "NNpNNp");
    CHECK(stacks.memo.numbers[3] == 6);
}

TEST_CASE("what neither walk has changed stays", "[merged_stack]") {
    Stacks stacks;
    stacks.set_python({850, same_loop, 450}, 0);
    stacks.merge_from(0);
    stacks.set_python({850, same_loop, 450}, 3);
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 4);
    // The second one is at another instruction: its loop is named again, and all inside of it.
    stacks.set_python({850, same_loop, 450}, 1);
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 1);
    CHECK(stacks.merge_from(1) == "NNppNNp");
    // The innermost loop has called one more Python function.
    stacks.set_python({850, same_loop, 450, same_loop}, 3);
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 3);
    CHECK(stacks.merge_from(3) == "NNppNNpp");
    // A loop in between has been entered, whose native frame was there before.
    stacks.set_python({850, same_loop, 650, 450}, 2);
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 2);
    CHECK(stacks.merge_from(2) == "NNppNpNp");
    // One has returned.
    stacks.set_python({850, same_loop}, 2);
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 2);
    CHECK(stacks.merge_from(2) == "NNppNN");
}

TEST_CASE("nothing stays of a stack whose names were forgotten", "[merged_stack]") {
    Stacks stacks;
    stacks.merge_from(0);
    for (uint32_t i = 0; i < 4; ++i) stacks.memo.numbers[i] = 0;
    CHECK(unchanged_frames(stacks.memo, stacks.python) == 0);
}
