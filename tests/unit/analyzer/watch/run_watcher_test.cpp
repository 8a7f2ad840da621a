// SPDX-License-Identifier: Apache-2.0
//
// Stories with a watcher: what becomes of each block.
#include "analyzer/watch/run_watcher.h"

#include "analyzer/model/run_watch.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

constexpr const char* story = R"(
    thread_start lane=0 time=1 tid=7
    thread_start lane=1 time=1 tid=8
    acquire lane=0 time=10 stack=1 size=100 address=0x1000
    acquire lane=0 time=20 stack=2 size=8 address=0x2000
    release lane=0 time=30 address=0x2000
    acquire lane=1 time=40 stack=1 size=50 address=0x3000
    release lane=1 time=50 address=0x1000
    acquire lane=0 time=60 stack=2 size=9 address=0x4000
    work_end lane=0 time=70
)";

Model watched(WatchRequest request, const std::string& from = "", const std::string& to = "") {
    const TempFile file(dump_from_text(story));
    LoadOptions options;
    options.watch = std::move(request);
    options.phases.from = from;
    options.phases.to = to;
    return load_dump(file.path(), {}, options);
}

WatchRequest everything() {
    WatchRequest request;
    request.curves = request.lives = request.bars = request.threads = request.largest = true;
    request.events_max = 1;
    return request;
}

}  // namespace

TEST_CASE("run_watcher: lives end with their blocks, in events and by threads") {
    const Model model = watched(everything());
    const SpaceWatch& host = model.watch->spaces.at("host");
    const Space& space = *space_named(model, "host");
    REQUIRE(space.numbers.size() == 2);
    const SiteLives first = host.lives.at(0), second = host.lives.at(1);
    CHECK(first.all == BlockSum{2, 150});
    CHECK(first.alive == BlockSum{1, 50});
    CHECK(first.brief == BlockSum{});
    CHECK(second.brief == BlockSum{1, 8});
    CHECK(second.temporary == BlockSum{1, 8});
    CHECK(host.shares.size() == 3);
    host.shares.for_each([](const ThreadShare& share) {
        const bool is_first = share.thread == 0 && share.site == 0;
        CHECK(share.freed_by_others == (is_first ? BlockSum{1, 100} : BlockSum{}));
    });
    REQUIRE(host.largest.size() == 4);
    CHECK(host.largest[0].bytes == 100);
    CHECK(host.largest[0].end - host.largest[0].begin == 40);
    CHECK(host.largest[2].is_alive);
    CHECK(host.curve.peak_bytes == space.totals.at_peak_bytes);
    CHECK(host.curve.slices.back().last == space.totals.live_bytes);
}

TEST_CASE("run_watcher: in a range, only what it acquired has a life, and it ends there") {
    const Model model = watched(everything(), "20ns", "50ns");
    const SpaceWatch& host = model.watch->spaces.at("host");
    CHECK(host.lives.at(1).all == BlockSum{1, 8});
    CHECK(host.lives.at(0).all == BlockSum{1, 50});
    CHECK(host.lives.at(0).alive == BlockSum{1, 50});
    CHECK(host.curve.first == 100);
    CHECK(host.curve.peak_bytes == space_named(model, "host")->totals.at_peak_bytes);
}

TEST_CASE("run_watcher: threads hold as much as sites do, in every range") {
    constexpr const char* freed_at_exit = R"(
        thread_start lane=0 time=1 tid=7
        acquire lane=0 time=10 stack=1 size=100 address=0x1000
        acquire lane=0 time=20 stack=2 size=8 address=0x2000
        work_end lane=0 time=70
        release lane=0 time=80 address=0x1000
        release lane=0 time=90 address=0x2000
    )";
    const TempFile file(dump_from_text(freed_at_exit));
    const std::pair<const char*, const char*> ranges[] = {
        {"", ""}, {"15ns", ""}, {"", "60ns"}, {"15ns", "60ns"}, {"15ns", "85ns"}, {"75ns", ""}};
    for (const auto& [from, to] : ranges) {
        LoadOptions options;
        options.watch = everything();
        options.phases.from = from;
        options.phases.to = to;
        const Model model = load_dump(file.path(), {}, options);
        uint64_t held = 0;
        model.watch->spaces.at("host").shares.for_each(
            [&](const ThreadShare& share) { held += share.totals.held_bytes; });
        CHECK(held == space_named(model, "host")->totals.held_bytes);
    }
}

TEST_CASE("run_watcher: a curve is of the sites that are asked for") {
    WatchRequest request;
    request.curves = true;
    request.sites["host"] = {false, true};
    CHECK(watched(request).watch->spaces.at("host").curve.peak_bytes == 9);
}

TEST_CASE("run_watcher: nothing is watched unless it is asked for") {
    CHECK(watched({}).watch == nullptr);
    CHECK(space_named(watched({}), "host")->numbers.empty());
}

namespace {

// Three chunks of one lane, of which the middle one is damaged, and another lane.
std::vector<LostTime> lost_with(void (*damage)(Bytes& bytes, const DumpBuilder::Place& chunk)) {
    DumpBuilder dump;
    for (const uint64_t begin : {100, 200, 300}) {
        for (uint64_t i = 0; i < 10; ++i) {
            dump.add(0, Acquire{begin + i, Api::malloc, 0, 1, 0x1000 + 16 * (begin + i)});
        }
        dump.end_chunk(0);
    }
    dump.add(1, Clock{0, 0, 0});
    dump.add(1, Acquire{900, Api::malloc, 0, 1, 0x9000});
    dump.add(1, Clock{1000, 1000, 1000});
    Bytes bytes = dump.bytes();
    size_t chunks = 0;
    for (const DumpBuilder::Place& place : dump.places()) {
        if (place.kind == SectionKind::chunk && ++chunks == 2) damage(bytes, place);
    }
    const TempFile file(bytes);
    LoadOptions options;
    options.watch.threads = true;
    return load_dump(file.path(), {}, options).watch->lost;
}

}  // namespace

TEST_CASE("run_watcher: events are missing between those of their thread around the damage") {
    CHECK(lost_with([](Bytes&, const auto&) {}).empty());
    const auto payload = lost_with(
        [](Bytes& bytes, const auto& chunk) { bytes[chunk.offset + section_alignment] ^= 0xff; });
    REQUIRE(payload.size() == 1);
    CHECK(payload[0].begin_ns == 109);
    CHECK(payload[0].end_ns == 300);
    const auto header =
        lost_with([](Bytes& bytes, const auto& chunk) { bytes[chunk.offset] ^= 1; });
    REQUIRE(header.size() == 1);
    CHECK(header[0].begin_ns == 109);
    CHECK(header[0].end_ns == 300);
}
