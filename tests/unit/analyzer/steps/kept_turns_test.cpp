// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/kept_turns.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("turns are kept where one of them comes again") {
    PathLook look(1'000'000);
    look.stacks.nodes.push_back({});
    uint64_t address = 0x1000;
    for (const uint32_t parent : {0u, 1u, 1u, 1u, 4u, 4u}) {
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = address += 16;
        look.stacks.nodes.push_back(node);
    }
    for (const uint32_t stack : {5u, 6u}) look.moves.take(0, stack, 0);
    look.moves.finish();
    CHECK(kept_turns(look).empty());
    for (const uint32_t stack : {2u, 3u, 2u, 3u}) look.moves.take(0, stack, 0);
    look.moves.finish();
    bool has_loop = false;
    for (const PathTurn& turn : kept_turns(look)) {
        has_loop |= turn.from == 2 && turn.to == 3 && turn.count == 2;
        CHECK(turn.to != 6);
    }
    CHECK(has_loop);
}
