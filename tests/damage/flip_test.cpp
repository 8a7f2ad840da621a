// SPDX-License-Identifier: Apache-2.0
//
// One byte is changed, anywhere. The change must be reported with its extent, and everything that
// it did not affect must be reported as before. No change may go unnoticed.
#include "analyzer/base/error.h"
#include "tests/damage/dumps.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::test;
using analyzer::Model;
using analyzer::Problem;
using analyzer::Site;

namespace {

// Returns the section that contains this byte, or nullptr for the header page, padding or reserved
// space.
const DumpBuilder::Place* place_of(const Victim& victim, uint64_t at) {
    for (const DumpBuilder::Place& place : victim.places) {
        if (at >= place.offset && at < place.end) return &place;
    }
    return nullptr;
}

bool covers(const Problem& problem, uint64_t at) {
    return at >= problem.offset && at < problem.offset + problem.bytes;
}

// True if the problem lies near the change: in the same section or in the header page.
bool is_near(const Problem& problem, uint64_t at, const DumpBuilder::Place* place) {
    if (covers(problem, at)) return true;
    if (problem.bytes == 0) return false;
    // For example file_end: the problem shows at the end of the file.
    if (at < page_bytes) return true;
    return place != nullptr && problem.offset >= place->offset && problem.offset < place->end;
}

std::string same_but_lane(const Model& before, const Model& after, uint32_t lane) {
    std::string wrong;
    for (uint32_t other = 0; other < victim_lanes; ++other) {
        if (other == lane) continue;
        const auto* space = space_named(after, "host");
        const std::optional<Site> was = find_site(*space_named(before, "host"), other + 1);
        const std::optional<Site> is =
            space != nullptr ? find_site(*space, other + 1) : std::nullopt;
        const bool same = is.has_value() && was->totals.allocations == is->totals.allocations &&
                          was->totals.frees == is->totals.frees &&
                          was->totals.allocated_bytes == is->totals.allocated_bytes &&
                          was->totals.live_bytes == is->totals.live_bytes;
        if (!same) wrong += "lane " + std::to_string(other) + " differs\n";
    }
    return wrong;
}

struct Result {
    std::string wrong;
    bool unseen = false;
};

Result judge(const Victim& victim, const Model& before, uint64_t at, uint8_t change) {
    Bytes bytes = victim.bytes;
    bytes[at] ^= change;
    const Model after = load_bytes(bytes);
    const DumpBuilder::Place* place = place_of(victim, at);
    Result result;
    if (!unequal_sums(after).empty()) result.wrong += "sums: " + unequal_sums(after);
    result.wrong += same_but_lane(before, after, place != nullptr ? place->lane : victim_lanes);
    if (victim.is_half_written(at)) return result;
    bool near = false;
    for (const Problem& problem : after.problems) near |= is_near(problem, at, place);
    result.unseen = !after.damaged || after.problems.empty();
    if (!near && !result.unseen) result.wrong += "elsewhere: " + problems_of(after);
    return result;
}

void flip_everywhere(const Victim& victim, unsigned seed, int flips) {
    std::mt19937 random(seed);
    const Model before = load_bytes(victim.bytes);
    REQUIRE(problems_of(before).empty());
    int unseen = 0;
    for (int i = 0; i < flips; ++i) {
        const uint64_t at = random() % victim.bytes.size();
        const auto change = static_cast<uint8_t>(1 + random() % 255);
        const Result result = judge(victim, before, at, change);
        unseen += result.unseen;
        INFO(victim.name << ", byte " << at << " of " << victim.bytes.size() << " ^ "
                         << int{change});
        CHECK(result.wrong == "");
        CHECK_FALSE(result.unseen);
    }
    CHECK(unseen == 0);
}

}  // namespace

TEST_CASE("one flipped byte at 1,000 random places of each dump is always seen") {
    unsigned seed = 1;
    for (const Victim& victim : make_victims(20)) flip_everywhere(victim, ++seed, 1000);
}

TEST_CASE("one flipped byte in the header, wherever it is, is always seen") {
    for (const Victim& victim : make_victims(30)) {
        const Model before = load_bytes(victim.bytes);
        for (uint64_t at = 0; at < sizeof(FileHeader); ++at) {
            for (const uint8_t change : {0x01, 0x80, 0x40, 0xff}) {
                const Result result = judge(victim, before, at, change);
                INFO(victim.name << ", byte " << at << " ^ " << int{change});
                CHECK(result.wrong == "");
                CHECK_FALSE(result.unseen);
            }
        }
    }
}

TEST_CASE("one flipped bit in any frame header or ring index is always seen") {
    const std::vector<Victim> victims = make_victims(40);
    for (const Victim& victim : victims) {
        const Model before = load_bytes(victim.bytes);
        std::mt19937 random(40);
        for (const DumpBuilder::Place& place : victim.places) {
            const uint64_t bytes = place.kind == SectionKind::ring ? 64 + sizeof(RingHeader) : 64;
            for (uint64_t at = place.offset; at < place.offset + bytes; at += 1 + random() % 12) {
                const auto change = static_cast<uint8_t>(1u << random() % 8);
                const Result result = judge(victim, before, at, change);
                INFO(victim.name << ", byte " << at << " (frame " << place.offset << " + "
                                 << at - place.offset << ") ^ " << int{change});
                CHECK(result.wrong == "");
                CHECK_FALSE(result.unseen);
            }
        }
    }
}
