// SPDX-License-Identifier: Apache-2.0
//
// Caches with a known bound are recognised by the frame that fills them, and nothing else is
// excused.
#include "analyzer/frames/known_bounded.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame native(const std::string& function) {
    Frame frame;
    frame.function = function;
    frame.named = true;
    return frame;
}

Frame python(const std::string& function, const std::string& file) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = function;
    frame.file = file;
    return frame;
}

// Returns the cache's name, or "none". Frames are innermost first.
std::string found(std::vector<Frame> frames) {
    Symbols symbols;
    symbols.frames = std::move(frames);
    std::vector<FrameId> ids(symbols.frames.size());
    std::iota(ids.begin(), ids.end(), 0);
    const KnownBounded* row = find_known_bounded(symbols, ids);
    return row == nullptr ? "none" : std::string(row->what);
}

}  // namespace

TEST_CASE("the flight recorder is recognised in native code") {
    CHECK(found({native("operator new(unsigned long)"),
                 native("c10d::FlightRecorder<c10::Event>::recordWithResetEnabled(unsigned long)"),
                 python("all_reduce", "/v/lib/python3.11/site-packages/torch/distributed/c.py")}) ==
          "PyTorch's flight recorder");
    CHECK(found({native("c10d::FlightRecorderOfMine::get()"), native("main")}) == "none");
}

TEST_CASE("a cache of Python is the library's own, not a function of the same name") {
    const std::string lib = "/usr/lib/python3.11/", old = "/usr/lib/python3.9/";
    const std::string name = "the cache of compiled regular expressions";
    CHECK(found({native("PyObject_Malloc"), python("parse", lib + "re/_parser.py"),
                 python("_compile", lib + "re/__init__.py"), python("step", "/a/step.py")}) ==
          name);
    CHECK(found({python("_code", old + "sre_compile.py"), python("_compile", old + "re.py")}) ==
          name);
    CHECK(found({python("_compile", "/a/re/__init__.py")}) == "none");
    CHECK(found({python("match", lib + "re/__init__.py")}) == "none");
}

TEST_CASE("code that a cache's function only calls is not excused") {
    const std::string lib = "/usr/lib/python3.11/";
    CHECK(found({python("__str__", "/a/mine.py"), python("_compile", lib + "re/__init__.py")}) ==
          "none");
    CHECK(found({}) == "none");
}
