// SPDX-License-Identifier: Apache-2.0
//
// Dumps of trainings are read by tests/e2e/cases/training_*.py. This is about what is not read.
#include "analyzer/commands/find_training.h"

#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("find_training: without tensors of PyTorch the dump is not read again") {
    Recording recording = training().recording;
    recording.path = "/no/such/dump.bin";
    const SiteRows rows(recording);
    const TrainingReport found = find_training(recording, rows, request_of({"training", "a.bin"}));
    CHECK(found.table.spaces.empty());
    CHECK(found.advice.empty());
}
