// SPDX-License-Identifier: Apache-2.0
//
// Places the variables that every event reads next to each other, in a few cache lines of one page,
// whatever file they belong to. A program that works on tensors evicts the shim's data from the
// near caches between two events. The cost of reloading depends on lines and pages, not on bytes.
#pragma once

// Put before the definition of a variable that is initialised without code.
#define MEMTRACE_HOT_DATA [[gnu::section("memtrace_hot_data")]]
