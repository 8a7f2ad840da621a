// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/packed_state.h"

#include "analyzer/base/error.h"
#include "tests/tools/small_story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;
using Catch::Matchers::Contains;

namespace {

std::string some_text(size_t bytes) {
    std::string text;
    for (uint64_t i = 0; text.size() < bytes; ++i) text += std::to_string(i * i) + ' ';
    text.resize(bytes);
    return text;
}

PackedState packed(std::string_view text, size_t piece) {
    StatePacker packer;
    for (size_t i = 0; i < text.size(); i += piece) packer.add(text.substr(i, piece));
    return packer.finish();
}

// Reads what lies behind a dump in its file.
std::string unpacked(std::string_view bytes, uint64_t raw_bytes) {
    Bytes file = dump_from_text(small_story);
    Past past;
    past.raw_bytes = raw_bytes;
    past.packed_at = file.size();
    past.packed_bytes = bytes.size();
    file.insert(file.end(), bytes.begin(), bytes.end());
    const TempFile path(file);
    Problems problems;
    const DumpFile dump(path.path(), problems);
    StateUnpacker unpacker(past, dump);
    std::string text;
    while (text.size() < raw_bytes) {
        const std::string_view piece = unpacker.next();
        REQUIRE_FALSE(piece.empty());
        text += piece;
    }
    unpacker.end();
    return text;
}

}  // namespace

TEST_CASE("a state comes back as it was, whatever its pieces were", "[packed]") {
    for (const size_t bytes : {size_t{1}, size_t{1000}, size_t{3'000'000}}) {
        const std::string text = some_text(bytes);
        for (const size_t piece : {size_t{777}, size_t{1} << 20}) {
            const PackedState state = packed(text, piece);
            CHECK(state.raw_bytes == text.size());
            CHECK(state.bytes.size() < text.size() + 64);
            CHECK(unpacked(state.bytes, state.raw_bytes) == text);
        }
    }
}

TEST_CASE("a state that is cut, changed or too short is refused with the path", "[packed]") {
    const PackedState state = packed(some_text(500'000), 1000);
    const std::string_view bytes = state.bytes;
    CHECK_THROWS_WITH(unpacked(bytes.substr(0, bytes.size() / 2), state.raw_bytes),
                      Contains("cannot be unpacked") && Contains("/proc/self/fd/"));
    CHECK_THROWS_AS(unpacked(bytes.substr(0, bytes.size() - 1), state.raw_bytes), Error);
    CHECK_THROWS_AS(unpacked(bytes, state.raw_bytes + 1), Error);
    CHECK_THROWS_AS(unpacked(bytes, 100'000), Error);
    CHECK_THROWS_AS(unpacked(state.bytes + "more", state.raw_bytes), Error);
    CHECK_THROWS_AS(unpacked("no state at all", 100), Error);
    CHECK_THROWS_AS(unpacked("", 1), Error);
}
