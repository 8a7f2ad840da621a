// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/known_nodes.h"

#include "analyzer/replay/path_look.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// Node 4 is node 2 again.
constexpr const char* story = R"(
    node lane=0 time=1 id=1 parent=0 kind=native module=0 address=0x10
    node lane=0 time=2 id=2 parent=1 kind=native module=0 address=0x20
    node lane=0 time=2 id=3 parent=1 kind=native module=0 address=0x30
    acquire lane=0 time=10 stack=2 size=8 address=0x1000
    acquire lane=0 time=20 stack=3 size=16 address=0x2000
    release lane=0 time=25 address=0x1000
    node lane=0 time=26 id=4 parent=1 kind=native module=0 address=0x20
    acquire lane=0 time=30 stack=4 size=32 address=0x3000
    node lane=0 time=40 id=5 parent=4 kind=native module=0 address=0x50
)";

Model load(const TempFile& file, const std::shared_ptr<NodeMemo>& nodes) {
    LoadOptions options;
    options.nodes = nodes;
    return load_dump(file.path(), {}, options);
}

void check_equal(const Model& a, const Model& b) {
    REQUIRE(a.stacks.nodes.size() == b.stacks.nodes.size());
    for (uint32_t node = 0; node < a.stacks.nodes.size(); ++node) {
        CHECK(a.stacks.nodes.parent(node) == b.stacks.nodes.parent(node));
        CHECK(a.stacks.nodes[node].address == b.stacks.nodes[node].address);
    }
    const Space& left = *space_named(a, "host");
    const Space& right = *space_named(b, "host");
    REQUIRE(left.sites.size() == right.sites.size());
    for (size_t site = 0; site < left.sites.size(); ++site) {
        CHECK(left.sites.stack(site) == right.sites.stack(site));
        CHECK(left.sites.totals(site).live_bytes == right.sites.totals(site).live_bytes);
    }
    CHECK(a.capture.stacks == b.capture.stacks);
    CHECK(a.capture.events == b.capture.events);
    CHECK(a.process.duration_ns == b.process.duration_ns);
    CHECK(problems_of(a) == problems_of(b));
}

}  // namespace

TEST_CASE("known_nodes: a pass that skips the definitions finds what one that reads them finds") {
    const TempFile file(dump_from_text(story));
    const Model read = load_dump(file.path());
    const auto nodes = std::make_shared<NodeMemo>();
    check_equal(load(file, nodes), read);  // reads them, and keeps them
    check_equal(load(file, nodes), read);
    check_equal(load(file, nodes), read);  // The pass before has not changed them.
}

TEST_CASE("known_nodes: a look at paths leaves its nodes for the replay, and takes those of one") {
    const TempFile file(dump_from_text(story));
    const auto of_look = std::make_shared<NodeMemo>();
    const PathLook first = look_at_paths(file.path(), {}, {}, of_look.get());
    check_equal(load(file, of_look), load_dump(file.path()));
    const auto of_replay = std::make_shared<NodeMemo>();
    load(file, of_replay);
    const PathLook second = look_at_paths(file.path(), {}, {}, of_replay.get());
    REQUIRE(first.moves.turns().size() == second.moves.turns().size());
    for (size_t i = 0; i < first.moves.turns().size(); ++i) {
        CHECK(first.moves.turns()[i].from == second.moves.turns()[i].from);
        CHECK(first.moves.turns()[i].to == second.moves.turns()[i].to);
        CHECK(first.moves.turns()[i].count == second.moves.turns()[i].count);
    }
}

TEST_CASE("known_nodes: those of another dump do not count, nor those of a damaged one") {
    const TempFile file(dump_from_text(story));
    const TempFile other(dump_from_text(
        story + std::string("acquire lane=0 time=50 stack=5 size=64 address=0x5000\n")));
    const auto nodes = std::make_shared<NodeMemo>();
    load(file, nodes);
    check_equal(load(other, nodes), load_dump(other.path()));

    Bytes bytes = dump_from_text(
        story +
        std::string("node lane=0 time=41 id=7 parent=9 kind=native module=0 address=0x70\n"));
    const TempFile unsound(bytes);
    const auto none = std::make_shared<NodeMemo>();
    load(unsound, none);
    Problems ignored;
    CHECK(none->find(DumpFile(unsound.path(), ignored)) == nullptr);
}
