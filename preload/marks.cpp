// SPDX-License-Identifier: Apache-2.0
//
// The functions of include/memtrace/memtrace.h, for programs that say where they are.
#include "memtrace/memtrace.h"

#include "preload/record.h"

using memtrace::MarkKind;
using memtrace::preload::record_mark;

#define MEMTRACE_API_FUNCTION extern "C" __attribute__((visibility("default")))

MEMTRACE_API_FUNCTION void memtrace_mark(const char* text) { record_mark(MarkKind::mark, text); }
MEMTRACE_API_FUNCTION void memtrace_begin(const char* text) { record_mark(MarkKind::begin, text); }
MEMTRACE_API_FUNCTION void memtrace_end(const char* text) { record_mark(MarkKind::end, text); }
