// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/python_code_records.h"

#include "preload/python/python_runtime.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

PythonText text_of(const std::string& characters) {
    return {reinterpret_cast<const uint8_t*>(characters.data()),
            static_cast<uint32_t>(characters.size()), 1};
}

}  // namespace

TEST_CASE("a code object is in the dump with all of its line table", "[python_record]") {
    const test::TestRecording recording;
    const std::string name = "Model.forward";
    const std::string file = "/home/someone/train.py";
    std::string lines(20'000, 'x');
    for (size_t i = 0; i < lines.size(); ++i) lines[i] = static_cast<char>(i * 7);
    PythonCodeText text;
    text.id = 3;
    text.first_line = 41;
    text.name = text_of(name);
    text.file = text_of(file);
    text.lines = reinterpret_cast<const uint8_t*>(lines.data());
    text.lines_length = static_cast<uint32_t>(lines.size());
    define_python_code(ThreadLane::of_this_thread(), text);
    const analyzer::Model model = recording.read();
    REQUIRE(model.stacks.codes.count(3) == 1);
    const analyzer::PythonCodeInfo& code = model.stacks.codes.at(3);
    CHECK(code.name == name);
    CHECK(code.file == file);
    CHECK(code.first_line == 41);
    CHECK(code.lines == lines);
    CHECK(code.lines_whole);
    CHECK(code.lines_format == PythonLinesFormat::locations);
}

TEST_CASE("the dump says once that Python is not read, and why", "[python_record]") {
    const test::TestRecording recording;
    forget_python();
    forget_python_records();
    ThreadLane& lane = *ThreadLane::of_this_thread();
    note_python_status(lane);
    CHECK_FALSE(recording.read().capture.python.has_value());
    switch_python_off("for a test");
    const uint64_t before = lane.ring().head();
    note_python_status(lane);
    const uint64_t after = lane.ring().head();
    CHECK(after > before);
    note_python_status(lane);
    CHECK(lane.ring().head() == after);
    const analyzer::Model model = recording.read();
    REQUIRE(model.capture.python.has_value());
    CHECK(model.capture.python->state == memtrace::PythonState::off);
    CHECK(model.capture.python->why == "for a test");
    forget_python();
    forget_python_records();
}
