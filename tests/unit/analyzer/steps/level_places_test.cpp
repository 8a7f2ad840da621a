// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/level_places.h"

#include "memtrace/dump/python_records.h"
#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("lines of one loop lie in one level, which knows how each of them takes memory") {
    const std::string text = "def f():\n    for x in y:\n        g(x)\n        h(x)\n";
    const TempFile source(std::vector<uint8_t>{text.begin(), text.end()});
    Symbols symbols;
    symbols.nodes.push_back({});
    symbols.ranges = {{}};
    for (const uint32_t line : {3u, 4u}) {
        StackNode node;
        node.kind = NodeKind::python;
        node.defined = true;
        node.address = python_address(5, line);
        symbols.nodes.push_back(node);
        Frame frame;
        frame.kind = FrameKind::python;
        frame.file = source.path();
        frame.function = "f";
        frame.line = line;
        symbols.frames.push_back(frame);
        symbols.of_locations.push_back(line - 3);
        symbols.ranges.push_back({line - 3, 1});
    }
    PathLook look(1'000'000'000, symbols.nodes);
    uint64_t time = 0;
    for (const int stay : {1, 1, 20}) {
        look.moves.take(0, 2, ++time, 100);
        for (int i = 0; i < stay; ++i) look.moves.take(0, 1, ++time, 100);
    }
    look.moves.finish();
    SourceFiles files(0, "");
    const CodePatterns code;
    LevelPlaces places(look, symbols, code, files);
    const Place g{1, 0}, h{2, 0};
    const FrameInfo at_g = places.info(g), at_h = places.info(h);
    REQUIRE(at_g.source != nullptr);
    const BlockId loop = at_g.source->tree.level_of(at_g.block);
    CHECK(places.find_level(at_g, loop, g) == nullptr);
    Level& level = places.level_at(at_g, loop, g);
    CHECK(&level == &places.level_at(at_h, loop, h));
    CHECK(places.find_level(at_g, loop, g) == &level);
    CHECK(level.is_loop());
    CHECK(level.usual_stays.at(places.spot_of(g, at_g.block)) == 20);
    CHECK(level.is_last(at_g.block));
    CHECK_FALSE(level.is_last(at_h.block));
    CHECK(places.stays_at(level, at_g.block, g) == Stays::outlast);
    CHECK(places.stays_at(level, at_h.block, h) == Stays::steady);
}
