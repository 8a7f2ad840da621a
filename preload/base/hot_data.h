// SPDX-License-Identifier: Apache-2.0
//
// What every event reads, whichever file it belongs to, lies together: in some lines of one page.
// A program that works on tensors pushes our data out of the near caches between two events; what
// has to come back is counted in lines and pages, not in bytes.
#pragma once

// Before the definition of a variable that is initialised without code.
#define MEMTRACE_HOT_DATA [[gnu::section("memtrace_hot_data")]]
