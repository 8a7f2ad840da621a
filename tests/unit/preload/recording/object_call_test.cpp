// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/object_call.h"

#include "tests/tools/story.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using test::block_at;

namespace {

#define HERE __builtin_frame_address(0)

const analyzer::Space* objects_of(const analyzer::Model& model) {
    return test::space_named(model, "python");
}

}  // namespace

TEST_CASE("an object that malloc handed out meanwhile is malloc's", "[object_call]") {
    ObjectCall call(0);
    ObjectCall::note_taken(block_at(0x1000));
    ObjectCall::note_taken(block_at(0x5000));
    CHECK(call.is_of_malloc(block_at(0x1000)));
    CHECK(call.is_of_malloc(block_at(0x5010)));  // behind the words of a debug allocator
    CHECK_FALSE(call.is_of_malloc(block_at(0x4ff0)));
    CHECK_FALSE(call.is_of_malloc(block_at(0x2000)));
}

TEST_CASE("an object that goes back to malloc is not the arenas'", "[object_call]") {
    ObjectCall call(0);
    call.expect({1, Api::PyObject_Free, 0x1010});
    ObjectCall::note_given(block_at(0x1000));
    CHECK(call.take_release() == nullptr);
}

TEST_CASE("what malloc takes back beside it is another block", "[object_call]") {
    ObjectCall call(0);
    call.expect({1, Api::PyObject_Free, 0x1010});
    ObjectCall::note_given(block_at(0x2000));
    const Release* const release = call.take_release();
    REQUIRE(release != nullptr);
    CHECK(release->address == 0x1010);
    CHECK(call.take_release() == nullptr);
}

TEST_CASE("calls inside of calls are told apart", "[object_call]") {
    ObjectCall outer(1);
    {
        ObjectCall inner(1);
        ObjectCall::note_taken(block_at(0x1000));
        CHECK(inner.is_of_malloc(block_at(0x1000)));
    }
    CHECK(thread_state.object_call == &outer);
    CHECK_FALSE(outer.is_of_malloc(block_at(0x1000)));
}

TEST_CASE("an object ends before the arena that goes with it", "[object_call][record]") {
    const test::TestRecording recording;
    record_map(Api::mmap, block_at(0x100000), 0x100000, MapClass::anonymous,
               MapPurpose::python_arena, HERE);
    record_python_objects(PythonObjectsState::whole, 0, "");
    record_object_acquire(Api::PyObject_Malloc, block_at(0x100040), 100, HERE, 0);
    {
        ObjectCall call(0);
        call.expect({moment_of_release(), Api::PyObject_Free, 0x100040});
        record_unmap(moment_before(), Api::munmap, block_at(0x100000), 0x100000);
        CHECK(call.take_release() == nullptr);
    }
    const analyzer::Model model = recording.read();
    const analyzer::Space* const space = objects_of(model);
    REQUIRE(space != nullptr);
    CHECK(space->totals.allocations == 1);
    CHECK(space->totals.frees == 1);
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.python_objects->gone_with_arenas == 0);
}

TEST_CASE("host has what malloc gave to an object, and python has not", "[object_call][record]") {
    const test::TestRecording recording;
    {
        ObjectCall call(0);
        record_acquire(Api::malloc, block_at(0x1000), 1000, HERE);
        CHECK(call.is_of_malloc(block_at(0x1000)));
    }
    {
        ObjectCall call(0);
        call.expect({moment_of_release(), Api::PyObject_Realloc, 0x1000});
        const ResizeStart start = begin_resize(HERE);
        record_resize(start, Api::realloc, block_at(0x1000), block_at(0x2000), 2000);
        CHECK(call.take_release() == nullptr);
        CHECK(call.is_of_malloc(block_at(0x2000)));
    }
    const analyzer::Model model = recording.read();
    CHECK(test::heap_of(model).allocated_bytes == 3000);
    CHECK(objects_of(model) == nullptr);
}
