// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_layout.h"

#include <cstring>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// The first words of _PyRuntime of 3.13.0; the words that matter were read from a live process.
std::vector<uint64_t> words_of_313() {
    std::vector<uint64_t> words(debug_offset_words, 0);
    std::memcpy(words.data(), "xdebugpy", 8);
    words[1] = 0x030d00f0;
    words[4] = 608;
    words[19] = 288;
    words[23] = 72;
    words[24] = 152;
    words[28] = 88;
    words[29] = 8;
    words[30] = 0;
    words[31] = 56;
    words[33] = 70;
    words[34] = 208;
    words[35] = 112;
    words[37] = 128;
    words[38] = 136;
    words[39] = 68;
    words[43] = 200;
    words[45] = 8;
    words[65] = 16;
    words[66] = 32;
    words[68] = 32;
    words[69] = 16;
    words[70] = 40;
    return words;
}

}  // namespace

TEST_CASE("a version is what Py_GetVersion() says first", "[python_layout]") {
    const PythonVersion plain = parse_python_version("3.12.1 (main, May  9 2026) [GCC 12.2.0]");
    CHECK(plain.major == 3);
    CHECK(plain.minor == 12);
    CHECK(plain.is_release);
    CHECK(parse_python_version("3.8.18").is_release);
    CHECK(parse_python_version("3.13.0+ (heads/3.13)").is_release);
    CHECK_FALSE(parse_python_version("3.14.0rc2 (main)").is_release);
    CHECK_FALSE(parse_python_version("3.15.0a1+ (main)").is_release);
    CHECK_FALSE(parse_python_version("").is_release);
    CHECK_FALSE(parse_python_version("three").is_release);
}

TEST_CASE("each version that is known has all that its chain needs", "[python_layout]") {
    for (const uint32_t minor : {8u, 9u, 10u, 11u, 12u}) {
        PythonLayout layout;
        REQUIRE(find_python_layout({3, minor, true}, nullptr, layout) == nullptr);
        CHECK(layout.minor == minor);
        for (const uint32_t offset :
             {layout.thread_id, layout.frame_back, layout.frame_code, layout.frame_instruction,
              layout.code_first_line, layout.code_file, layout.code_name, layout.code_lines,
              layout.code_instructions, layout.string_ascii, layout.string_others,
              layout.runtime_finalizing}) {
            CHECK(offset < 4096);
        }
        const bool has_frame = layout.thread_frame != PythonLayout::none;
        const bool has_cframe = layout.thread_cframe != PythonLayout::none;
        CHECK((has_frame || has_cframe));
        CHECK(has_frame == (minor <= 10));
        CHECK(has_cframe == (minor >= 10));
        CHECK((layout.frame_is_entry != PythonLayout::none) ==
              (layout.chain == PythonChain::cframes));
        CHECK((layout.frame_owner != PythonLayout::none) == (minor >= 11));
    }
}

TEST_CASE("versions that nobody has looked at are refused", "[python_layout]") {
    PythonLayout layout;
    std::vector<uint64_t> words = words_of_313();
    CHECK(find_python_layout({3, 7, true}, words.data(), layout) != nullptr);
    CHECK(find_python_layout({2, 7, true}, words.data(), layout) != nullptr);
    CHECK(find_python_layout({4, 12, true}, words.data(), layout) != nullptr);
    CHECK(find_python_layout({3, 12, false}, words.data(), layout) != nullptr);
    words[1] = 0x031000f0;
    CHECK(find_python_layout({3, 16, true}, words.data(), layout) ==
          std::string("this version is not known yet"));
}

TEST_CASE("3.13 says its offsets itself", "[python_layout]") {
    PythonLayout layout;
    std::vector<uint64_t> words = words_of_313();
    REQUIRE(find_python_layout({3, 13, true}, words.data(), layout) == nullptr);
    CHECK(layout.minor == 13);
    CHECK(layout.chain == PythonChain::shims);
    CHECK(layout.thread_frame == 72);
    CHECK(layout.thread_cframe == PythonLayout::none);
    CHECK(layout.frame_owner == 70);
    CHECK(layout.code_name == 128);
    CHECK(layout.code_instructions == 200);
    CHECK(layout.string_ascii == 40);
    CHECK(layout.string_others == 56);
    CHECK(layout.runtime_finalizing == 608);
}

TEST_CASE("offsets that cannot be are refused", "[python_layout]") {
    PythonLayout layout;
    const auto refused = [&](size_t word, uint64_t value) {
        std::vector<uint64_t> words = words_of_313();
        words[word] = value;
        return read_debug_offsets(13, words.data(), layout) != nullptr;
    };
    CHECK(refused(0, 0));
    CHECK(refused(1, 0x030e00f0));  // another version's
    CHECK(refused(1, 0x030d00c1));  // a release candidate
    CHECK(refused(2, 1));           // free-threaded
    CHECK(refused(19, 0));
    CHECK(refused(28, uint64_t{1} << 20));
    CHECK(refused(23, 284));  // not aligned
    CHECK(refused(23, 288));  // outside
    CHECK(refused(33, 88));
    CHECK(refused(70, ~uint64_t{0}));
    CHECK_FALSE(refused(3, 12345));
}
