// SPDX-License-Identifier: Apache-2.0
//
// Runs a command line of memtrace-report on bytes, as main() would, without its output.
#pragma once

#include <string>
#include <vector>

#include "tests/tools/dump_builder.h"

namespace memtrace::test {

// One of many command lines, the same for the same bytes. Files that the bytes name are looked for
// where none are.
void report_on(const Bytes& bytes);

}  // namespace memtrace::test
