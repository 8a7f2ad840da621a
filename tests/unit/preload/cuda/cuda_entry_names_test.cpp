// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_entry_names.h"

#include <set>
#include <string>

#include "memtrace/dump/names.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload::cuda;

TEST_CASE("each function of the driver is found by its spelling", "[cuda]") {
    for (unsigned i = 0; i < entries_count; ++i) {
        const auto entry = static_cast<Entry>(i);
        CHECK(find_spelling(spelling_of(entry)) == entry);
    }
    CHECK(find_spelling("cuMemAlloc_v2") == Entry::cuMemAlloc_v2);
    CHECK(find_spelling("cuMemAlloc") == Entry::none);  // only in 32-bit programs
    CHECK(find_spelling("cuMemAlloc_v20") == Entry::none);
    CHECK(find_spelling("") == Entry::none);
    CHECK(find_spelling("cuZ") == Entry::none);
}

TEST_CASE("a name means the spelling that was the newest in that version of CUDA", "[cuda]") {
    CHECK(find_asked("cuMemAlloc", 2000, false) == Entry::none);
    CHECK(find_asked("cuMemAlloc", 3020, false) == Entry::cuMemAlloc_v2);
    CHECK(find_asked("cuMemAlloc", 13000, true) == Entry::cuMemAlloc_v2);
    CHECK(find_asked("cuCtxCreate", 3000, false) == Entry::cuCtxCreate);
    CHECK(find_asked("cuCtxCreate", 11039, false) == Entry::cuCtxCreate_v2);
    CHECK(find_asked("cuCtxCreate", 11040, false) == Entry::cuCtxCreate_v3);
    CHECK(find_asked("cuCtxCreate", 13000, false) == Entry::cuCtxCreate_v4);
    CHECK(find_asked("cuGetProcAddress", 11030, false) == Entry::cuGetProcAddress);
    CHECK(find_asked("cuGetProcAddress", 12000, false) == Entry::cuGetProcAddress_v2);
    CHECK(find_asked("cuLaunchKernel", 13000, false) == Entry::none);
}

TEST_CASE("the default stream of each thread has spellings of its own", "[cuda]") {
    CHECK(find_asked("cuMemAllocAsync", 11020, false) == Entry::cuMemAllocAsync);
    CHECK(find_asked("cuMemAllocAsync", 11020, true) == Entry::cuMemAllocAsync_ptsz);
    CHECK(find_asked("cuGraphLaunch", 12000, true) == Entry::cuGraphLaunch_ptsz);
    CHECK(find_asked("cuMemFree", 12000, true) == Entry::cuMemFree_v2);
}

TEST_CASE("each function of gpu_apis.def can be asked for", "[cuda]") {
    const char* const names[] = {
#define MEMTRACE_GPU_API(id, name, record, memory) #name,
#include "memtrace/dump/gpu_apis.def"
    };
    for (const char* name : names) {
        INFO(name);
        const Entry entry = find_asked(name, newest_known_version, false);
        CHECK(entry != Entry::none);
        CHECK(is_asked_as(entry, name));
    }
    CHECK_FALSE(is_asked_as(Entry::cuMemAlloc_v2, "cuMemFree"));
    CHECK(is_asked_as(Entry::cuMemAlloc_v2, "cuMemAlloc_v2"));
}

TEST_CASE("a function that is not in the table and seems to give memory is noticed", "[cuda]") {
    CHECK(seems_to_give_memory("cuMemAllocOfTomorrow"));
    CHECK(seems_to_give_memory("cuCtxCreate_v5"));
    CHECK_FALSE(seems_to_give_memory("cuLaunchKernel"));
    CHECK_FALSE(seems_to_give_memory("cuMemcpyAsync"));
    CHECK_FALSE(seems_to_give_memory("cuGraphAddMemcpyNode"));
}
