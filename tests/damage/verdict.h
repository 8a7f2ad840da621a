// SPDX-License-Identifier: Apache-2.0
//
// What memtrace-report makes of a damaged dump, beside what it makes of the whole one.
#pragma once

#include <string>

#include "analyzer/base/error.h"
#include "tests/tools/dump_builder.h"

namespace memtrace::test {

enum class Verdict {
    noticed,   // refused with a sentence, or reported as damaged (exit codes 2 and 3)
    harmless,  // the JSON report and the text of all records are the same to the byte
    passed,    // something else is reported, and nothing is said
};

class Judge {
public:
    explicit Judge(const Bytes& whole);

    Verdict judge(const Bytes& damaged) const;

    // What is wrong with the whole dump itself; "" if it is read as it should be.
    const std::string& fault() const { return fault_; }

private:
    std::string json_;
    std::string records_;
    std::string fault_;
};

}  // namespace memtrace::test
