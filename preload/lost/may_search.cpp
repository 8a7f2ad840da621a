// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/may_search.h"

#include <atomic>

#include "memtrace/dump/lost_request.h"
#include "preload/base/recording_state.h"
#include "preload/helper/reporter.h"
#include "preload/host/machine_memory.h"
#include "preload/host/proc_number.h"
#include "preload/lost/standing_copy.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/dump_limit.h"

namespace memtrace::preload {
namespace {

// Memory that the reporter takes, beside what the program makes anew while its copy stands.
constexpr uint64_t reporter_bytes = uint64_t{256} << 20;

std::atomic<const char*> forbidden;  // why; nullptr: it is not

}  // namespace

void forbid_lost_searches(const char* why) { forbidden.store(why); }

bool may_search(LostCause cause, Line& why) {
    if (const char* clause = forbidden.load()) {
        why << "No search: " << clause << '.';
    } else if (!dump_file::is_mapped()) {
        why << "No search: the newest events lie in memory of the program, where the reporter does "
               "not see them ("
            << dump_file::why_not_mapped() << ").";
    } else if (is_sample(heap_mode())) {
        why << "No search: of the heap only a sample is recorded, and a search needs every block.";
    } else if (dump_limit::length_limit() < answer_offset) {
        why << "No search: the question to memtrace-report would be longer than a file may be here "
               "(ulimit -f).";
    } else if (!StandingCopy::can_be_made()) {
        why << "No search: " << why_no_reporter() << '.';
    } else if (const char* clause_of_child = why_no_child()) {
        why << "No search: " << clause_of_child << '.';
    } else {
        // What the program writes to while the copy stands, the kernel has twice.
        const uint64_t twice = cause == LostCause::work_end ? 0 : resident_bytes();
        const uint64_t room = memory_room();
        if (room >= reporter_bytes + twice) return true;
        why << "No search: it may take " << ((reporter_bytes + twice) >> 20)
            << " MiB of memory for a moment, and " << (room >> 20) << " MiB are left.";
    }
    return false;
}

}  // namespace memtrace::preload
