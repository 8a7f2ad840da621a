// SPDX-License-Identifier: Apache-2.0
//
// Which frames of a stack stay and which do not. Whole walks are compared in python_walker_test.cpp
// and python_stack_cache_test.cpp.
#include "preload/python/python_frame_compare.h"

#include <vector>

#include "preload/python/python_walker.h"
#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

// Three frames of 3.12, in one evaluation loop.
struct Made : MadePython {
    Made() : MadePython(12), code(MadePython::code("f", "f.py")) {
        for (int32_t i = 0; i < 3; ++i) frames.push_back(push(code, i, i == 0));
        PythonFrameReader<PlainMemory> now = reader();
        while (now.frame() != 0) stack.insert(stack.begin(), now.take());
    }
    PythonFrameReader<PlainMemory> reader() {
        return PythonFrameReader<PlainMemory>(layout, memory, thread_state);
    }
    // Returns the number of outermost frames that the comparison did not reach.
    uint32_t compare_with_last() {
        LastFrames last(stack.data(), static_cast<uint32_t>(stack.size()), false);
        PythonFrameReader<PlainMemory> now = reader();
        compare<PythonChain::shims>(now, layout, last);
        CHECK((now.frame() == 0) == last.is_done());
        return last.count();
    }

    PlainMemory memory;
    uint64_t code;
    std::vector<uint64_t> frames;  // outermost first, as in `stack`
    std::vector<PythonFrame> stack;
};

}  // namespace

TEST_CASE("a comparison ends at the frame that is not what it was", "[python_compare]") {
    Made made;
    REQUIRE(made.stack.size() == 3);
    CHECK(made.compare_with_last() == 0);
    for (uint32_t i = 0; i < 3; ++i) {
        made.set_index(made.frames[i], made.code, 50);
        CHECK(made.compare_with_last() == i + 1);
        made.set_index(made.frames[i], made.code, static_cast<int32_t>(i));
    }
    CHECK(made.compare_with_last() == 0);
}

TEST_CASE("a frame of the last walk stays where it is; one of a cached stack may not",
          "[python_compare]") {
    Made made;
    BumpArena arena;
    REQUIRE(arena.prepare());
    uint16_t outer = BumpArena::no_place;
    for (uint16_t i = 0; i < 3; ++i) {
        const auto place = static_cast<uint16_t>(arena.take(sizeof(CachedPythonStack)));
        auto& one = arena.at<CachedPythonStack>(place);
        one = {};
        one.frame = made.stack[i];
        one.outer = outer;
        one.length = static_cast<uint16_t>(i + 1);
        outer = place;
    }
    auto& innermost = arena.at<CachedPythonStack>(outer);
    made.pop_within_loop();
    const uint64_t elsewhere = made.push(made.code, 2, false);
    REQUIRE(elsewhere != made.frames[2]);
    CHECK(made.compare_with_last() == 3);
    const RecognisedFrames none{};
    CachedFrames frames(arena, innermost, none);
    PythonFrameReader<PlainMemory> now = made.reader();
    compare<PythonChain::shims>(now, made.layout, frames);
    CHECK(frames.is_done());
    CHECK(now.frame() == 0);
    CHECK(innermost.frame.frame == made.frames[2]);
    frames.keep_moves();
    CHECK(innermost.frame.frame == elsewhere);
}

TEST_CASE("a cached stack whose frames all lie as far from here is another one",
          "[python_compare]") {
    BumpArena arena;
    REQUIRE(arena.prepare());
    constexpr uint64_t first = 0x1000, bytes = 0x60;
    constexpr uint16_t depth = 20;
    uint16_t outer = BumpArena::no_place;
    for (uint16_t i = 0; i < depth; ++i) {
        const auto place = static_cast<uint16_t>(arena.take(sizeof(CachedPythonStack)));
        auto& one = arena.at<CachedPythonStack>(place);
        one = {};
        one.frame.frame = first + i * bytes;
        one.outer = outer;
        one.length = static_cast<uint16_t>(i + 1);
        outer = place;
    }
    const RecognisedFrames none{};
    const auto frames_that_may_be = [&](uint64_t distance, uint64_t more) {
        CachedFrames frames(arena, arena.at<CachedPythonStack>(outer), none);
        unsigned count = 0;
        while (!frames.is_done() &&
               frames.may_be_at(frames.frame().frame + distance + count * more)) {
            frames.go_out();
            ++count;
        }
        return count;
    };
    CHECK(frames_that_may_be(bytes, 0) < 5);          // one level deeper
    CHECK(frames_that_may_be(bytes, 0x10) == depth);  // as generators lie
}

TEST_CASE("no frame lies at an odd address, or where the kernel is", "[python_compare]") {
    CHECK(is_possible(0x7fff'0000'1000));
    CHECK_FALSE(is_possible(0x7fff'0000'1004));
    CHECK_FALSE(is_possible(uint64_t{1} << 47));
}
