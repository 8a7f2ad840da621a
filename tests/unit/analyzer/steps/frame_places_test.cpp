// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/frame_places.h"

#include "memtrace/dump/python_records.h"
#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

StackNode python_node(uint32_t instruction) {
    StackNode node;
    node.kind = NodeKind::python;
    node.defined = true;
    node.address = python_address(5, instruction);
    return node;
}

// Adds a node of its own for the frame, at this instruction.
Place add_place(Symbols& symbols, FrameId frame, uint32_t instruction) {
    symbols.nodes.push_back(python_node(instruction));
    symbols.ranges.push_back({static_cast<uint32_t>(symbols.of_locations.size()), 1});
    symbols.of_locations.push_back(frame);
    return {static_cast<uint32_t>(symbols.nodes.size() - 1), 0};
}

}  // namespace

TEST_CASE("a frame of Python has a place in its source, and a frame of the system has none") {
    const TempFile source(bytes_of("def f():\n    for x in y:\n        g(x)\n"));
    Symbols symbols;
    symbols.nodes.push_back({});
    for (const uint32_t line : {3u, 3u}) {
        symbols.nodes.push_back(python_node(line + static_cast<uint32_t>(symbols.nodes.size())));
    }
    Frame frame;
    frame.kind = FrameKind::python;
    frame.file = source.path();
    frame.function = "f";
    frame.line = 3;
    Frame other = frame;
    other.function = "<listcomp>";
    symbols.frames = {frame, other};
    symbols.of_locations = {0, 1};
    symbols.ranges = {{}, {0, 1}, {1, 1}};
    SourceFiles files(0, "");
    const CodePatterns code;
    FramePlaces places(symbols, code, files);
    CHECK(places.frame_count(1) == 1);
    const FrameInfo known = places.info({1, 0});
    REQUIRE(known.source != nullptr);
    CHECK(known.source->tree.loop_of(known.block));
    CHECK(places.info({2, 0}).source == nullptr);
    CHECK(places.is_same_function({1, 0}, {2, 0}));
    CHECK(places.spot_of({1, 0}, known.block).instruction == 4);
    CHECK(places.unreadable().empty());
}

TEST_CASE("the instructions of one call are one spot, and those of two calls in a line are two") {
    const TempFile source(bytes_of("def f():\n    g(h(x))\n"));
    Symbols symbols;
    symbols.nodes.push_back({});
    Frame inner;
    inner.kind = FrameKind::python;
    inner.file = source.path();
    inner.function = "f";
    inner.line = 2;
    inner.column = 7;
    Frame outer = inner;
    outer.column = 5;
    Frame unknown = inner;
    unknown.column = 0;
    symbols.frames = {inner, outer, unknown};
    symbols.ranges = {{}};
    const auto place = [&](FrameId frame, uint32_t instruction) {
        return add_place(symbols, frame, instruction);
    };
    const Place precall = place(0, 10), call = place(0, 12), cache = place(0, 16),
                again = place(0, 30), other = place(1, 17), bare = place(2, 40),
                bare_too = place(2, 42);
    SourceFiles files(0, "");
    const CodePatterns code;
    FramePlaces places(symbols, code, files);
    const auto spot = [&](Place at) { return places.spot_of(at, places.info(at).block); };
    CHECK(spot(call) == spot(precall));
    CHECK(spot(cache) == spot(call));
    CHECK(spot(again) != spot(call));
    CHECK(spot(other) != spot(cache));
    CHECK(spot(bare) != spot(bare_too));
}

TEST_CASE("turns tell which instruction of a loop's line is part of the loop") {
    const TempFile source(bytes_of("def f():\n    for x in y():\n        g(x)\n"));
    Symbols symbols;
    symbols.nodes.push_back({});
    Frame header;
    header.kind = FrameKind::python;
    header.file = source.path();
    header.function = "f";
    header.line = 2;
    Frame body = header;
    body.line = 3;
    symbols.frames = {header, body};
    symbols.ranges = {{}};
    const auto place = [&](FrameId frame, uint32_t instruction) {
        return add_place(symbols, frame, instruction);
    };
    const Place makes = place(0, 10), chooses = place(0, 14), inside = place(1, 20),
                lets_go = place(0, 30);
    SourceFiles files(0, "");
    const CodePatterns code;
    FramePlaces places(symbols, code, files);
    places.look_at_turn(inside, chooses, 40);
    places.look_at_turn(inside, lets_go, 3);
    const SourceTree& tree = places.info(inside).source->tree;
    const SourceBlock& line = tree[*tree.at(2)];
    CHECK(places.info(makes).block == line.setup);
    CHECK(places.info(chooses).block == tree.at(2));
    CHECK(places.info(lets_go).block == line.cleanup);
}
