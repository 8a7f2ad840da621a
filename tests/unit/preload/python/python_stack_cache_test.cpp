// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_stack_cache.h"

#include <random>
#include <vector>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

// Walkers stay forever, and so does their memory.
struct Thread {
    PythonWalker& walker = *new PythonWalker;
    StackCache stack_cache;
    PythonStackCache pythons;

    Thread() {
        FreedCodes::pretend_to_watch(true);
        while (!stack_cache.arena().is_there()) stack_cache.is_wanted(1);
    }
    ~Thread() { FreedCodes::pretend_to_watch(false); }

    bool add(uint32_t& place) { return pythons.add(stack_cache, walker.walk(), place); }
    uint32_t added() {
        uint32_t place = BumpArena::no_place;
        REQUIRE(add(place));
        return place;
    }
    bool holds(uint32_t place) {
        return PythonStackCache::holds(stack_cache.arena(), place, walker);
    }
};

void turn_on() {
    for (const uint64_t hash : {1u, 3u, 5u}) note_valid_python_stack(hash);
    REQUIRE(python_state() == PythonState::on);
}

// A thread with two frames of one function, each in a separate evaluation loop.
struct TwoCalls {
    explicit TwoCalls(uint32_t minor) : made(minor) {
        turn_on();
        outer = made.push(code, 1, true);
        inner = made.push(code, 2, true);
    }
    MadePython made;
    Thread thread;
    const uint64_t code = made.code("f", "f.py");
    uint64_t outer = 0;
    uint64_t inner = 0;
};

constexpr uint32_t versions[] = {8, 10, 11, 12};

}  // namespace

TEST_CASE("a stack of Python is known again until one of its frames goes on",
          "[python_stack_cache]") {
    for (const uint32_t minor : versions) {
        TwoCalls calls(minor);
        auto& [made, thread, code, outer, inner] = calls;
        const uint32_t place = thread.added();
        CHECK(thread.holds(place));
        CHECK(thread.added() == place);
        made.set_index(outer, code, 3);
        CHECK_FALSE(thread.holds(place));
        const uint32_t other = thread.added();
        CHECK(other != place);
        CHECK(thread.holds(other));
        made.set_index(outer, code, 1);
        CHECK(thread.holds(place));
        made.push(code, 2, true);
        CHECK_FALSE(thread.holds(place));
    }
}

TEST_CASE("frames are what they are wherever they lie", "[python_stack_cache]") {
    for (const uint32_t minor : {8u, 11u, 12u}) {
        MadePython made(minor);
        turn_on();
        Thread thread;
        const uint64_t code = made.code("f", "f.py");
        made.push(code, 1, true);
        const bool in_new_loop = minor == 8;
        made.push(code, 2, in_new_loop);
        const uint32_t place = thread.added();
        made.pop_within_loop();
        CHECK_FALSE(thread.holds(place));
        made.push(code, 2, in_new_loop);  // at another address
        CHECK(thread.holds(place));
        CHECK(thread.added() == place);
    }
}

TEST_CASE("a code object that was freed is another one, be it at the same place",
          "[python_stack_cache]") {
    for (const uint32_t minor : versions) {
        TwoCalls calls(minor);
        auto& [made, thread, code, outer, inner] = calls;
        const uint64_t other = made.code("g", "g.py");
        // An earlier test may have freed a code object at this address.
        for (int i = 0; i < 200; ++i) FreedCodes::note(other);
        const uint32_t place = thread.added();
        FreedCodes::note(other);
        CHECK(thread.holds(place));
        CHECK(thread.added() == place);
        FreedCodes::note(code);
        CHECK_FALSE(thread.holds(place));
        CHECK(thread.added() != place);
        // Too many code objects were freed to tell which.
        const uint32_t newer = thread.added();
        REQUIRE(thread.holds(newer));
        for (int i = 0; i < 1000; ++i) FreedCodes::note(other);
        CHECK_FALSE(thread.holds(newer));
    }
}

TEST_CASE("the same frames in another loop are others", "[python_stack_cache]") {
    for (const uint32_t minor : {10u, 11u, 12u}) {
        TwoCalls calls(minor);
        auto& [made, thread, code, outer, inner] = calls;
        const uint32_t place = thread.added();
        const uint64_t before = thread.walker.walk().frames[1].anchor;
        uint64_t loop[16];
        std::memcpy(loop, reinterpret_cast<const void*>(before), sizeof loop);
        const auto elsewhere = reinterpret_cast<uint64_t>(loop);
        if (minor == 12) made.put(inner + made.layout.frame_back, elsewhere);
        else made.put(MadePython::thread_state + made.layout.thread_cframe, elsewhere);
        CHECK_FALSE(thread.holds(place));
    }
}

TEST_CASE("that there are no frames is known as well, and why", "[python_stack_cache]") {
    Thread thread;
    forget_python();
    const uint32_t without = thread.added();
    CHECK(without == BumpArena::no_place);
    CHECK(thread.holds(without));
    MadePython made(12);
    turn_on();
    CHECK_FALSE(thread.holds(without));
    const uint32_t empty = thread.added();
    CHECK(thread.holds(empty));
    const uint64_t state = MadePython::thread_state;
    MadePython::thread_state = 0;
    CHECK_FALSE(thread.holds(empty));
    const uint32_t foreign = thread.added();
    CHECK(foreign != empty);
    CHECK(thread.holds(foreign));
    MadePython::thread_state = state;
    made.push(made.code("f", "f.py"), 1, true);
    CHECK_FALSE(thread.holds(empty));
    switch_python_off("for a test");
    CHECK_FALSE(thread.holds(empty));
    CHECK(thread.holds(thread.added()));
}

TEST_CASE("each frame of a deep stack counts, also of one that was known lately",
          "[python_stack_cache]") {
    for (const uint32_t minor : {8u, 11u, 12u}) {
        MadePython made(minor);
        turn_on();
        Thread thread;
        const uint64_t code = made.code("f", "f.py");
        const bool in_new_loop = minor < 11;
        std::vector<uint64_t> frames;
        std::vector<uint32_t> places;
        const auto push = [&] {
            frames.push_back(made.push(code, 1, in_new_loop || frames.empty()));
            places.push_back(thread.added());
        };
        while (frames.size() < 60) push();
        for (int i = 0; i < 10; ++i) REQUIRE(thread.holds(places[59]));
        CHECK_FALSE(thread.holds(places[58]));
        for (const size_t at : {0u, 20u, 58u, 59u}) {
            made.set_index(frames[at], code, 2);
            CHECK_FALSE(thread.holds(places[59]));
            made.set_index(frames[at], code, 1);
            CHECK(thread.holds(places[59]));
        }
        // Some frames lie elsewhere now.
        for (int i = 0; i < 5; ++i) {
            made.pop_within_loop();
            frames.pop_back();
            places.pop_back();
        }
        CHECK(thread.holds(places[54]));
        while (frames.size() < 62) push();
        CHECK(thread.holds(places[61]));
        made.set_index(frames[57], code, 2);
        CHECK_FALSE(thread.holds(places[61]));
        made.set_index(frames[57], code, 1);
        CHECK(thread.holds(places[61]));
        FreedCodes::note(code);
        CHECK_FALSE(thread.holds(places[61]));
    }
}

TEST_CASE("what cannot be recognised is not kept", "[python_stack_cache]") {
    MadePython made(12);
    turn_on();
    Thread thread;
    const uint64_t code = made.code("f", "f.py");
    made.push(code, 1, true);
    uint32_t place = BumpArena::no_place;
    FreedCodes::pretend_to_watch(false);
    CHECK_FALSE(thread.add(place));
    FreedCodes::pretend_to_watch(true);
    CHECK(thread.add(place));
    for (uint32_t i = 0; i < PythonWalker::depth_max; ++i) made.push(code, 1, false);
    CHECK(thread.walker.walk().status == PythonStackStatus::truncated);
    CHECK_FALSE(thread.add(place));
}

TEST_CASE("while another thread ends the interpreter no frame is looked at",
          "[python_stack_cache]") {
    MadePython made(11);
    turn_on();
    Thread thread;
    made.push(made.code("f", "f.py"), 1, true);
    const uint32_t place = thread.added();
    made.set_finalizer(0x1000);
    CHECK_FALSE(thread.holds(place));
    PythonWalkFlag::lower_all();
}

TEST_CASE("a cached stack holds exactly where a walk finds the same", "[python_stack_cache]") {
    std::mt19937 random(1);
    for (const uint32_t minor : {8u, 11u, 12u}) {
        MadePython made(minor);
        turn_on();
        Thread thread;
        const uint64_t codes[] = {made.code("f", "f.py"), made.code("g", "g.py")};
        struct Known {
            uint32_t place;
            std::vector<PythonFrame> frames;
        };
        std::vector<Known> known;
        std::vector<uint64_t> pushed;
        unsigned held = 0;
        for (int round = 0; round < 2000; ++round) {
            const auto index = static_cast<int32_t>(random() % 2);
            if (pushed.size() < 5 && (pushed.empty() || random() % 2 == 0)) {
                const bool in_new_loop = pushed.empty() || minor == 8;
                pushed.push_back(made.push(codes[random() % 2], index, in_new_loop));
            } else if (pushed.size() > 1 && random() % 2 == 0) {
                made.pop_within_loop();
                pushed.pop_back();
            } else {
                const uint64_t frame = pushed[random() % pushed.size()];
                made.set_index(frame, made.get(frame + made.layout.frame_code), index);
            }
            const PythonStack stack = thread.walker.walk();
            const std::vector<PythonFrame> frames(stack.frames, stack.frames + stack.length);
            const auto is_same = [](const PythonFrame& one, const PythonFrame& other) {
                return one.code == other.code && one.instruction == other.instruction &&
                       one.anchor == other.anchor;
            };
            for (int i = 0; i < 8 && !known.empty(); ++i) {
                const Known& one = known[random() % known.size()];
                const bool same = std::equal(frames.begin(), frames.end(), one.frames.begin(),
                                             one.frames.end(), is_same);
                REQUIRE(thread.holds(one.place) == same);
                held += same;
            }
            if (known.size() < 200) known.push_back({thread.added(), frames});
        }
        CHECK(held > 50);
    }
}
