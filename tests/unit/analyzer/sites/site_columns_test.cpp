// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/site_columns.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame python(const char* function, const char* file, uint32_t line) {
    Frame frame;
    frame.function = function;
    frame.file = file;
    frame.line = line;
    frame.kind = FrameKind::python;
    frame.named = true;
    return frame;
}

std::string text(const Frame& frame, size_t room = 80, const std::string& suffix = "") {
    return place_text(frame, room, suffix, Style(false), false);
}

}  // namespace

TEST_CASE("a Python function stands behind its line, a native one before it") {
    CHECK(text(python("train_step", "train.py", 41)) == "train.py:41 train_step");
    CHECK(text(python("Net.forward", "/home/me/project/net.py", 7)) ==
          "project/net.py:7 Net.forward");
    CHECK(text(python("<module>", "<frozen importlib._bootstrap>", 241), 80, "  (x3)") ==
          "<frozen importlib._bootstrap>:241 <module>  (x3)");
    CHECK(text(python("f", "a.py", 0)) == "a.py f");
    CHECK(text(python("python code 7", "", 0)) == "python code 7");
    Frame native = python("make", "src/make.cpp", 3);
    native.kind = FrameKind::native;
    CHECK(text(native) == "make  src/make.cpp:3");
}

TEST_CASE("names of Python are not read as C++, and give way in the middle") {
    CHECK(text(python("outer.<locals>.<lambda>", "a.py", 1)) == "a.py:1 outer.<locals>.<lambda>");
    const std::string cut =
        text(python("SomeVeryLongClassName.some_very_long_method_name", "project/a.py", 12), 40);
    CHECK(display_width(cut) == 40);
    CHECK(cut.starts_with("project/a.py:12 Some"));
    CHECK(cut.ends_with("method_name"));
    CHECK(text(python("a_method_of_it", "site_packages/a_long_file_name.py", 12), 40) ==
          "a_long_file_name.py:12 a_method_of_it");
    CHECK(text(python("evil\n", "a\x1b.py", 1)) == "a?.py:1 evil?");
}

TEST_CASE("where a method of Python does not fit, its name goes without its class") {
    const Frame frame = python("WordIndex.add_page", "/src/project/word_index.py", 36);
    CHECK(text(frame, 40) == "word_index.py:36 WordIndex.add_page");
    CHECK(text(frame, 36) == "word_index.py:36 WordIndex.add_page");
    CHECK(text(frame, 26) == "word_index.py:36 add_page");
    CHECK(text(frame, 25) == "word_index.py:36 add_page");
    CHECK(text(frame, 24) == "word_index.py:36");
}

TEST_CASE("a long name and a long file share the room, and the line stays") {
    Frame native = python("insert_or_replace_in_the_table",
                          "/src/source/a_rather_long_file_name_of_a_project.cpp", 10);
    native.kind = FrameKind::native;
    CHECK(text(native, 44) == "inser...he_table  a_rathe...a_project.cpp:10");
    CHECK(text(native, 24) == "insert_...e_in_the_table");
    Frame of_python = native;
    of_python.kind = FrameKind::python;
    CHECK(text(of_python, 44) == "a_rathe..._a_project.cpp:10 inser...he_table");
    CHECK(text(of_python, 24) == "a_rath..._project.cpp:10");
    native.line = 0;
    CHECK(text(native, 44) == "inser...he_table  a_rather...f_a_project.cpp");
}

TEST_CASE("numbers stand in columns") {
    Totals totals;
    totals.at_peak_bytes = 1 << 20;
    totals.at_peak_blocks = 3;
    const NumberColumns columns(Measure::at_peak, 4 << 20, Style(false), false);
    CHECK(columns.header("WHERE") == "        BYTES   SHARE     BLOCKS  WHERE\n");
    CHECK(columns.row(totals) == "      1.0 MiB  25.0 %          3  ");
    CHECK(columns.row(totals).size() == NumberColumns::width);
}
