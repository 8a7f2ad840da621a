// SPDX-License-Identifier: Apache-2.0
//
// What libc keeps of the threads of this process, and of made-up ones.
#include "analyzer/lost/thread_stacks.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;
using memtrace::LostRequest;

TEST_CASE("libc's bounds of a thread's stack are found, as this libc has them") {
    LostRange found{}, stack{};
    bool has_ended = true;
    std::thread([&] {
        pthread_attr_t attributes;
        void* begin = nullptr;
        size_t size = 0;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &begin, &size);
        pthread_attr_destroy(&attributes);
        stack = {reinterpret_cast<uint64_t>(begin), reinterpret_cast<uint64_t>(begin) + size};
        ProcessMemory memory(static_cast<uint64_t>(getpid()));
        const auto request = std::make_unique<LostRequest>();
        request->thread_pointer = static_cast<uint64_t>(pthread_self());
        request->thread = static_cast<uint64_t>(gettid());
        found = stack_of_thread(memory, request->thread_pointer).value_or(LostRange{});
        has_ended = has_thread_ended(memory, request->thread_pointer, *request);
    }).join();
    CHECK(!has_ended);
    CHECK(found.end == stack.end);
    CHECK(found.begin <= stack.begin);
    CHECK(found.begin + (1 << 20) >= stack.begin);  // There is a guard.
}

TEST_CASE("a thread has ended if its number is gone, where the number is known to be") {
    MadeUpMemory memory;
    constexpr uint64_t begin = 0x7f0000000000, end = begin + 0x11000, top = end - 0x900,
                       other = 0x7f1000000000;
    memory.put(top, {top, 0, top});
    memory.put(top + 1680, {begin - 0x1000, 0x12000});
    const auto request = std::make_unique<LostRequest>();
    request->thread_pointer = other;
    request->thread = 4711;
    CHECK(thread_of_stack(memory, {begin, end}) == top);
    CHECK(!thread_of_stack(memory, {begin, end + 0x1000}));  // There is more behind it,
    CHECK(!thread_of_stack(memory, {begin - 0x2000, end}));  // or before it.
    CHECK(!has_thread_ended(memory, top, *request));
    memory.put(other + 720, {4711});
    CHECK(has_thread_ended(memory, top, *request));
    memory.put(top + 720, {UINT32_MAX});
    CHECK(has_thread_ended(memory, top, *request));
    memory.put(top + 720, {4712});
    CHECK(!has_thread_ended(memory, top, *request));
    // Two words that are no begin and size, since they lie before the stack or are addresses.
    memory.put(top + 1680, {0, top + 0x880});
    CHECK(!stack_of_thread(memory, top));
}
