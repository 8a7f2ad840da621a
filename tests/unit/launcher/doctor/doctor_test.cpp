// SPDX-License-Identifier: Apache-2.0
//
// tests/e2e/cases/doctor.py examines this machine with a real recorder.
#include "launcher/doctor/doctor.h"

#include <algorithm>
#include <cstdlib>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("without a recorder nothing works, and everything else is examined", "[launcher]") {
    setenv("MEMTRACE_LIBRARY", "/no/such/libmemtrace.so", 1);
    DoctorRequest request;
    request.output = "/no/such/folder/%p.bin";
    request.python = "/no/such/python";
    request.program = "true";
    const Diagnosis diagnosis = examine(request);
    unsetenv("MEMTRACE_LIBRARY");
    CHECK_FALSE(diagnosis.works);
    const auto state_of = [&](const char* subject) {
        return std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                            [&](const Finding& one) { return one.subject == subject; })
            ->state;
    };
    CHECK(state_of("recording") == State::no);
    CHECK(state_of("disk") == State::no);
    CHECK(state_of("python") == State::no);
    CHECK(state_of("program") == State::ok);
    CHECK(state_of("allocator") == State::ok);
}

TEST_CASE("what was named and cannot be recorded is a refusal", "[launcher]") {
    DoctorRequest request;
    request.program = "/no/such/program";
    request.python = "/no/such/python";
    const Diagnosis diagnosis = examine(request);
    CHECK(diagnosis.refused == std::vector<std::string>{"/no/such/program", "/no/such/python"});
    CHECK_FALSE(diagnosis.is_fine());
    request.program = "true";
    request.python.clear();
    CHECK(examine(request).refused.empty());
}
