// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_invalidation.h"

#include <atomic>
#include <thread>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

TEST_CASE("a freed code object is remembered for some time", "[python_watch]") {
    const uint64_t begin = FreedCodes::count();
    FreedCodes::note(0x1000);
    const uint64_t one = FreedCodes::count();
    CHECK(one == begin + 1);
    CHECK(FreedCodes::has(0x1000, begin, one));
    CHECK_FALSE(FreedCodes::has(0x2000, begin, one));
    for (uint64_t i = 0; i < 50; ++i) FreedCodes::note(0x3000 + i);
    CHECK(FreedCodes::are_few(begin, FreedCodes::count()));
    CHECK(FreedCodes::has(0x1000, begin, FreedCodes::count()));
    CHECK_FALSE(FreedCodes::has(0x1000, FreedCodes::count(), FreedCodes::count()));
    for (uint64_t i = 0; i < 100; ++i) FreedCodes::note(0x4000);
    CHECK_FALSE(FreedCodes::are_few(begin, FreedCodes::count()));
}

TEST_CASE("a type that is not the interpreter's is left alone", "[python_watch]") {
    const MadePython made(12);
    FreedCodes::watch();
    CHECK_FALSE(FreedCodes::are_watched());
}

TEST_CASE("the thread that ends the interpreter waits for those that walk", "[python_watch]") {
    static PythonWalkFlag own;
    static PythonWalkFlag others;
    PythonWalkFlag::lower_all();
    std::atomic<bool> is_up{false};
    std::atomic<bool> is_down{false};
    std::thread walking([&] {
        others.raise();
        is_up.store(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        is_down.store(true);
        others.lower();
    });
    while (!is_up.load()) std::this_thread::yield();
    own.raise();
    PythonWalkFlag::wait_for_all_once(&own);
    CHECK(is_down.load());
    walking.join();
    own.lower();
    PythonWalkFlag::lower_all();
}

TEST_CASE("it does not wait for ever", "[python_watch]") {
    static PythonWalkFlag stuck;
    PythonWalkFlag::lower_all();
    stuck.raise();
    const auto begin = std::chrono::steady_clock::now();
    PythonWalkFlag::wait_for_all_once(nullptr);
    PythonWalkFlag::wait_for_all_once(nullptr);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
    PythonWalkFlag::lower_all();
}
