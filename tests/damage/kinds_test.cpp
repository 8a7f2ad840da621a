// SPDX-License-Identifier: Apache-2.0
//
// Each kind of damage, on each of the dumps: noticed, or without effect on any figure.
// scripts/measure/damages does the same with recordings, a hundred thousand times.
#include "tests/damage/kinds.h"

#include "tests/damage/dumps.h"
#include "tests/damage/verdict.h"
#include "tests/unit/test.h"

using namespace memtrace::test;

TEST_CASE("damage of any kind is noticed, or without effect on any figure") {
    for (const Victim& victim : make_victims(70)) {
        const Judge judge(victim.bytes);
        REQUIRE(judge.fault().empty());
        const Patient patient = make_patient(victim.bytes);
        CHECK(patient.sections.size() == victim.places.size());
        for (const DamageKind& kind : damage_kinds()) {
            for (uint64_t seed = 0; seed < 15; ++seed) {
                INFO(victim.name << ": " << kind.name << ", seed " << seed);
                CHECK(judge.judge(damaged(patient, kind, seed)) != Verdict::passed);
            }
        }
    }
}
