// SPDX-License-Identifier: Apache-2.0
//
// The functions of include/memtrace/memtrace.h, for programs that mark their own progress.
#include "memtrace/memtrace.h"

#include "preload/recording/record.h"
#include "preload/session/lost_calls.h"

#include <cstring>

using namespace memtrace;
using namespace memtrace::preload;

namespace {

void say(MarkKind kind, const char* text) {
    Mark mark;
    mark.kind = kind;
    if (text != nullptr) mark.text = Text(text, strnlen(text, mark_text_max));
    record_mark(mark);
}

}  // namespace

#define MEMTRACE_API_FUNCTION extern "C" __attribute__((visibility("default")))

MEMTRACE_API_FUNCTION void memtrace_mark(const char* text) { say(MarkKind::mark, text); }
MEMTRACE_API_FUNCTION void memtrace_begin(const char* text) { say(MarkKind::begin, text); }
MEMTRACE_API_FUNCTION void memtrace_end(const char* text) { say(MarkKind::end, text); }
MEMTRACE_API_FUNCTION int memtrace_check_lost() { return check_lost() ? 1 : 0; }
