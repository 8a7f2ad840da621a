// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/code_unload.h"

#include "preload/stack/modules.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/unwind_generation.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/preload/stack/loaded_library.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

uint32_t node_at(Lane& lane, uint64_t address) {
    const uint64_t path =
        stack_hash(root_hash(stack_table_generation()), address, NodeKind::native);
    return find_or_add_node(lane, no_stack, address, NodeKind::native, path);
}

}  // namespace

TEST_CASE("with a library goes what was remembered of its code", "[unload]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    test::LoadedLibrary library(test::small_library);
    const uint32_t gone = node_at(lane, library.inside());
    forget_unloaded_code();
    CHECK(node_at(lane, library.inside()) == gone);
    library.unload();
    forget_unloaded_code();
    CHECK(node_at(lane, library.inside()) != gone);
}

TEST_CASE("an unload that nobody announced is a new generation of rules", "[unload]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    test::LoadedLibrary library(test::small_library);
    const uint32_t gone = node_at(lane, library.inside());
    library.unload();
    const uint64_t generation = unwind_generation();
    forget_code_that_went_unseen();
    CHECK(unwind_generation() == generation + 1);
    CHECK_FALSE(is_unloading());
    CHECK(node_at(lane, library.inside()) != gone);
}
