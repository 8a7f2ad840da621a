// SPDX-License-Identifier: Apache-2.0
//
// The text report of `check`. It shows each limit with its measurement, and below a broken limit
// the call sites to blame and their earlier figures. Then follow the suppressed leaks and the
// reasons why nothing can pass.
//
//   FAIL  host leaked-bytes: 1.3 MiB (1,363,148 bytes), limit 64.0 KiB (65,536 bytes)
//             NOW  BEFORE  WHERE
//         1.3 MiB     new  keep (train.py) < main (train.py)
//                          src/train.py:42
#pragma once

#include <string>

#include "analyzer/check/limit_check.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_check(std::string& out, const Recording& recording, const CheckResult& result,
                 const TextOptions& options);

}  // namespace memtrace::analyzer
