// SPDX-License-Identifier: Apache-2.0
//
// The file ends too early, anywhere. The missing bytes must be reported, and the remaining records
// loaded.
#include "analyzer/base/error.h"
#include "tests/damage/dumps.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;

namespace {

uint64_t allocations(const Model& model) {
    const auto* host = space_named(model, "host");
    return host != nullptr ? host->totals.allocations : 0;
}

// Counts the records of the kinds that the dumps contain, without the records about the process.
uint64_t reported_records(const Model& model) {
    uint64_t records = model.capture.events + model.notes.size() + model.capture.stacks;
    for (const analyzer::ThreadInfo& thread : model.threads) {
        records += (thread.tid != 0) + thread.end_ns.has_value();
    }
    for (const auto& [id, code] : model.stacks.codes) records += 1 + !code.lines.empty();
    return records + model.capture.python.has_value() + (model.process.end != "unknown");
}

void check_cut(const Victim& victim, const Model& whole, uint64_t size) {
    INFO(victim.name << " cut at byte " << size << " of " << victim.bytes.size());
    const TempFile file(
        Bytes(victim.bytes.begin(), victim.bytes.begin() + static_cast<long>(size)));
    if (size < sizeof(FileHeader)) {
        CHECK_THROWS_AS(analyzer::load_dump(file.path()), analyzer::Error);
        return;
    }
    const Model model = analyzer::load_dump(file.path());
    CHECK(model.damaged);
    bool said = false;
    for (const analyzer::Problem& problem : model.problems) {
        said |= problem.offset == size && problem.bytes == victim.bytes.size() - size;
    }
    CHECK(said);
    CHECK(unequal_sums(model).empty());
    CHECK(allocations(model) <= allocations(whole));
    // Every record of a complete chunk must be reported.
    uint64_t records = 0;
    for (const DumpBuilder::Place& place : victim.places) {
        if (place.lane != lane_none && place.end <= size) records += place.record_count;
    }
    CHECK(reported_records(model) >= records);
}

}  // namespace

TEST_CASE("cut off at every frame's begin and end") {
    for (const Victim& victim : make_victims(1)) {
        const Model whole = load_bytes(victim.bytes);
        for (const DumpBuilder::Place& place : victim.places) {
            check_cut(victim, whole, place.offset);
            check_cut(victim, whole, place.offset + 64);
            if (place.end < victim.bytes.size()) check_cut(victim, whole, place.end);
        }
    }
}

TEST_CASE("cut off at 1,000 random places") {
    std::mt19937 random(2);
    const std::vector<Victim> victims = make_victims(2);
    std::vector<Model> whole;
    for (const Victim& victim : victims) whole.push_back(load_bytes(victim.bytes));
    for (int i = 0; i < 1000; ++i) {
        const size_t which = random() % victims.size();
        check_cut(victims[which], whole[which], random() % victims[which].bytes.size());
    }
}

TEST_CASE("cut off anywhere in the header page") {
    const Victim victim = make_victims(3)[0];
    const Model whole = load_bytes(victim.bytes);
    for (uint64_t size = 1; size < page_bytes; size += size < 200 ? 1 : 97)
        check_cut(victim, whole, size);
}
