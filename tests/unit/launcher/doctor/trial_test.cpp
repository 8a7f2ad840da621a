// SPDX-License-Identifier: Apache-2.0
//
// tests/e2e/cases/doctor*.py record real trials.
#include "launcher/doctor/trial.h"

#include "launcher/doctor/finding.h"
#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("what the shim has said is one line, without its name", "[launcher]") {
    Trial trial;
    trial.program.err = "memtrace: one thing\nmemtrace: another\n";
    CHECK(trial.said() == "one thing; another");
    trial.dump = {{"capture", {}}};
    trial.program.err = "memtrace: 3 allocations recorded in x; read it with: memtrace-report x\n";
    CHECK(trial.said().empty());
}

TEST_CASE("a trial without a dump is a `no`, with what is known of the reason", "[launcher]") {
    Trial trial;
    trial.program.ended = true;
    trial.program.code = 127;
    CHECK(finding_of(trial, "true", ".").state == State::no);
    CHECK(finding_of(trial, "true", ".").found.find("127") != std::string::npos);
    trial.program.err = "memtrace: cannot create the dump\n";
    CHECK(finding_of(trial, "true", ".").found.find("cannot create") != std::string::npos);
    trial.dump = {{"capture", {}}};
    CHECK(finding_of(trial, "true", ".").state == State::ok);
}

TEST_CASE("the advice is about the reason that was given", "[launcher]") {
    const auto advice = [](const char* said) {
        Trial trial;
        trial.program.err = said;
        return finding_of(trial, "true", ".").advice;
    };
    const auto has = [&](const char* said, const char* word) {
        return advice(said).find(word) != std::string::npos;
    };
    const char* const wrong = "memtrace: MEMTRACE_OPTIONS: there is no option 'bogus'\n";
    CHECK(has(wrong, "help=1"));
    CHECK_FALSE(has(wrong, "MEMTRACE_OUTPUT"));
    CHECK(
        has("ERROR: ld.so: object 'x' from LD_PRELOAD cannot be preloaded\n", "MEMTRACE_LIBRARY"));
    CHECK(has("memtrace: the limits (RLIMIT_AS) leave 92 MiB\n", "ulimit"));
    CHECK(has("memtrace: cannot create x; set MEMTRACE_OUTPUT to a place\n", "memtrace run -o"));
    CHECK(has("memtrace: something else\n", "may name the reason"));
}
