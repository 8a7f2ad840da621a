// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/merged_stack.h"

#include <random>
#include <vector>

#include "preload/stack/stack_table.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Four native frames, outermost first. Their stack pointers are 1000, 800, 600 and 400: the
// second frame lies from 800 up to 1000.
class Stacks {
public:
    Stacks() {
        uint64_t sp = 1000;
        for (StackFrame& frame : native_) {
            frame.pc = 0x401000 + sp;
            frame.sp = sp;
            sp -= 200;
        }
        memo.frames = native_;
        memo.numbers = numbers_;
        memo.length = memo.kept = 4;
        REQUIRE(merged.prepare(100));
    }

    // Sets the Python stack: one frame for each anchor, outermost first.
    void set_python(std::vector<uint64_t> anchors, uint32_t kept,
                    PythonStackStatus status = PythonStackStatus::ok) {
        frames_.clear();
        for (const uint64_t anchor : anchors) frames_.push_back({1, 0, frames_.size(), anchor});
        python = {frames_.data(), static_cast<uint32_t>(frames_.size()), kept, status};
    }

    // Makes the frames with stack pointers from `lowest` to `highest` run the evaluation loop.
    // Their addresses are as far apart as their stack pointers.
    void set_loops(uint64_t lowest, uint64_t highest) {
        preload::python.evaluation_begin = 0x401000 + lowest;
        preload::python.evaluation_bytes = highest - lowest + 1;
    }

    // Returns N for each native frame, p for each Python frame, and g for the element that says
    // that some are missing.
    std::string merge_from(uint32_t begin) {
        merge_frames(*ThreadLane::of_this_thread(), merged, memo, python, begin);
        std::string kinds;
        for (uint32_t i = 0; i < merged.length; ++i) {
            const uint64_t word = merged.words[i];
            const bool is_gap = merged.gap != PythonGap::unnamed &&
                                word == node_word(python_gap_address(merged.gap), NodeKind::python);
            kinds += kind_of(word) != NodeKind::python ? 'N' : is_gap ? 'g' : 'p';
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
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 4);
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
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 4);
    // The second Python frame is at another instruction. Its loop is named again, and everything
    // inside it.
    stacks.set_python({850, same_loop, 450}, 1);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 1);
    CHECK(stacks.merge_from(1) == "NNppNNp");
    // The innermost loop has called one more Python function.
    stacks.set_python({850, same_loop, 450, same_loop}, 3);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 3);
    CHECK(stacks.merge_from(3) == "NNppNNpp");
    // A loop in between has been entered. Its native frame was there before.
    stacks.set_python({850, same_loop, 650, 450}, 2);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 2);
    CHECK(stacks.merge_from(2) == "NNppNpNp");
    // One frame has returned.
    stacks.set_python({850, same_loop}, 2);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 2);
    CHECK(stacks.merge_from(2) == "NNppNN");
}

TEST_CASE("nothing stays of a stack whose names were forgotten", "[merged_stack]") {
    Stacks stacks;
    stacks.merge_from(0);
    for (uint32_t i = 0; i < 4; ++i) stacks.memo.numbers[i] = 0;
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 0);
}

TEST_CASE("that Python frames are missing is said behind the outermost frame", "[merged_stack]") {
    Stacks stacks;
    stacks.set_python({}, 0, PythonStackStatus::finalizing);
    CHECK(stacks.merge_from(0) == "NgNNN");
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 4);
    stacks.set_python({850}, 0, PythonStackStatus::truncated);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 0);
    CHECK(stacks.merge_from(0) == "NgNpNN");
    // One more frame in the innermost loop. Everything outside it stays.
    stacks.set_python({850, 450}, 1, PythonStackStatus::truncated);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 3);
    CHECK(stacks.merge_from(3) == "NgNpNNp");
    // Nothing is missing any more.
    stacks.set_python({850, 450}, 2);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 0);
    CHECK(stacks.merge_from(0) == "NNpNNp");
}

TEST_CASE("frames whose loop was entered outside of what is known", "[merged_stack]") {
    Stacks stacks;
    stacks.set_loops(600, 800);
    // All frames are in one loop, the innermost.
    stacks.set_python({same_loop, same_loop}, 0, PythonStackStatus::truncated);
    CHECK(stacks.merge_from(0) == "NgNNppN");
    // The last frame has a loop of its own, so the others are in the loop outside it.
    stacks.set_python({same_loop, same_loop, 650}, 0, PythonStackStatus::truncated);
    CHECK(stacks.merge_from(0) == "NgNppNpN");
    stacks.set_loops(1, 0);
}

TEST_CASE("without objects on the stack, loops are counted from the innermost", "[merged_stack]") {
    constexpr uint64_t unknown = PythonFrame::unknown_loop;
    Stacks stacks;
    stacks.set_loops(400, 800);
    stacks.set_python({unknown, unknown, unknown}, 0);
    CHECK(stacks.merge_from(0) == "NNpNpNp");
    // Outer frames are missing, or belong to another greenlet.
    stacks.set_python({unknown, unknown}, 0);
    CHECK(stacks.merge_from(0) == "NNNpNp");
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 2);
    stacks.set_python({unknown, unknown}, 2);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 4);
    stacks.set_python({unknown, unknown, unknown}, 2);
    CHECK(unchanged_frames(stacks.merged, stacks.memo, stacks.python) == 0);
    CHECK(stacks.merge_from(0) == "NNpNpNp");
    // More frames than loops: the C stack is cut.
    stacks.set_python({unknown, unknown, unknown, unknown}, 0);
    CHECK(stacks.merge_from(0) == "NpNpNpNp");
    stacks.set_loops(1, 0);
}

TEST_CASE("what is passed over is what would have been written", "[merged_stack]") {
    Stacks stacks;
    std::mt19937 random(7);
    const uint64_t loops[] = {850, 650, 450};
    std::vector<uint64_t> before;
    for (int turn = 0; turn < 2000; ++turn) {
        // Some outer frames stay; what is inside them is new, and no further out.
        const size_t kept = before.empty() ? 0 : random() % (before.size() + 1);
        std::vector<uint64_t> anchors(before.begin(), before.begin() + static_cast<long>(kept));
        size_t loop = 0;
        for (const uint64_t anchor : anchors) {
            for (size_t i = 0; i < 3; ++i) loop = anchor == loops[i] ? i + 1 : loop;
        }
        for (unsigned count = random() % 6; count > 0; --count) {
            const bool enters = anchors.empty() || (loop < 3 && random() % 3 == 0);
            anchors.push_back(enters ? loops[loop++] : same_loop);
        }
        stacks.set_python(anchors, static_cast<uint32_t>(kept));
        const uint32_t begin = unchanged_frames(stacks.merged, stacks.memo, stacks.python);
        stacks.merge_from(begin);
        const std::vector<uint64_t> found(stacks.merged.words,
                                          stacks.merged.words + stacks.merged.length);
        stacks.set_python(anchors, 0);
        stacks.merge_from(0);
        const std::vector<uint64_t> wanted(stacks.merged.words,
                                           stacks.merged.words + stacks.merged.length);
        REQUIRE(found == wanted);
        before = anchors;
    }
}
