// SPDX-License-Identifier: Apache-2.0
#include "preload/session/session.h"

#include <errno.h>
#include <sys/auxv.h>

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/log.h"
#include "preload/base/options.h"
#include "preload/base/process_info.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cupti_subscription.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/gpu/gpu_crosscheck.h"
#include "preload/gpu/nvml_usage.h"
#include "preload/helper/reporter.h"
#include "preload/host/machine_memory.h"
#include "preload/host/proc_number.h"
#include "preload/loader/next_dlsym.h"
#include "preload/lost/lost_search.h"
#include "preload/lost/main_frame.h"
#include "preload/objects/python_objects.h"
#include "preload/python/python_codes.h"
#include "preload/python/python_invalidation.h"
#include "preload/recording/event_scope.h"
#include "preload/recording/heap_sample.h"
#include "preload/recording/record.h"
#include "preload/recording/recording_switch.h"
#include "preload/recording/rss_sampler.h"
#include "preload/recording/thread_lane.h"
#include "preload/session/address_room.h"
#include "preload/session/ancestry.h"
#include "preload/session/compactor.h"
#include "preload/session/coverage.h"
#include "preload/session/end_line.h"
#include "preload/session/filtered_calls.h"
#include "preload/session/forked_children.h"
#include "preload/session/lost_at_end.h"
#include "preload/session/program_suppressions.h"
#include "preload/session/sanitizers.h"
#include "preload/session/waking.h"
#include "preload/stack/autograd.h"
#include "preload/stack/code_unload.h"
#include "preload/stack/modules.h"
#include "preload/stack/python_code_records.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/unwind_generation.h"
#include "preload/writer/chunk_writer.h"
#include "preload/writer/dump_file.h"
#include "preload/writer/error_text.h"
#include "preload/writer/output_path.h"

namespace memtrace::preload {
namespace {

constexpr unsigned name_attempts_max = 10'000;

bool started;  // start_recording() has run in this process or in one that forked it
int recorded_pid;
bool is_first_process;  // neither forked nor started by a recorded process
uint64_t launched_at;   // start of the launcher that started it, if any
bool is_forked_child;
bool begins_asleep;
std::atomic<bool> finished;
std::atomic<bool> work_has_ended;

// What is done beside a sample of the resident set.
void take_turns(ThreadLane& lane, uint64_t now) {
    go_on_with_lost_search(lane, now);
    go_on_with_compaction(lane, now);
}

// ---- start -------------------------------------------------------------------------------------

bool open_dump(Path& path, bool is_child) {
    path.clear();
    make_output_path(path, is_child);
    const uint64_t process_start = process_start_of(sys::pid());
    for (unsigned attempt = 1; attempt < name_attempts_max; ++attempt) {
        if (dump_file::create(path.c_str(), process_start)) return true;
        if (dump_file::last_error() != EEXIST || is_no_place_for_a_dump(path.c_str())) break;
        if (attempt == 1 && clear_stale_dump(path, launched_at)) continue;
        next_output_path(path, attempt, is_child);
    }
    const bool is_no_place =
        dump_file::last_error() == EEXIST && is_no_place_for_a_dump(path.c_str());
    const auto why = error_text(dump_file::last_error());
    say({"cannot create the dump ", path.view(), ": ",
         is_no_place ? "It is neither a file nor a folder" : why.view(),
         ". The program runs unrecorded; set MEMTRACE_OUTPUT to a place that can be written."});
    return false;
}

void give_up_dump() {
    sys::unlink(dump_file::path());
    dump_file::forget();
}

// A process that sleeps is of no use if nobody can wake it up.
bool can_be_woken() {
    if (can_be_asked()) return true;
    say({"start=later: nobody could begin the recording, because ",
         can_sleep() ? dump_file::why_not_mapped() : "this needs Linux 4.14",
         ". The program runs unrecorded."});
    give_up_dump();
    return false;
}

bool begin_dump(bool is_child, int forked_from) {
    const bool is_fork = forked_from != 0;
    begins_asleep = is_fork ? was_asleep() : static_cast<Start>(options.start) == Start::later;
    const sys::MappedItem<Path>
        path;  // A child that was forked has the stack of its parent's thread.
    if (!path) {
        say("there is no memory to begin: the program runs unrecorded.");
        return false;
    }
    if (!open_dump(*path, is_child)) return false;
    if (begins_asleep && !can_be_woken()) return false;
    const SwitchState begins = begins_asleep ? SwitchState::off : SwitchState::on;
    announce(begins);
    path->clear();
    find_executable(*path);
    Process process;
    process.pid = static_cast<uint64_t>(sys::pid());
    process.parent_pid = static_cast<uint64_t>(sys::parent_pid());
    process.forked_from = static_cast<uint64_t>(forked_from);
    process.executable = path->view();
    if (options.command) process.arguments = command_line().substr(0, long_text_max);
    process.rank = rank_variable();
    process.shim_version = MEMTRACE_VERSION;
    process.machine_memory = machine_memory();
    process.memory_limit = group_memory_limit();
    if (!write_process_chunk(process, begins)) {
        const auto why = error_text(dump_file::last_error());
        say({"cannot write to the dump ", dump_file::path(), ": ", why.view(),
             ". The program runs unrecorded."});
        give_up_dump();
        return false;
    }
    recorded_pid = sys::pid();
    finished.store(false);
    start_sampling();
    start_lost_searches();
    start_compactions();
    return true;
}

// Launchers exist to start other programs. Only `children=all` records launchers too.
bool is_wanted(const Ancestry& ancestry) {
    const auto children = static_cast<Children>(options.children);
    if (children == Children::all) return true;
    const Launcher kind = ancestry.own_kind;
    if (kind == Launcher::shell || kind == Launcher::wrapper || kind == Launcher::starter) {
        return false;
    }
    if (kind == Launcher::tool && ancestry.from_shell) return false;
    if (ancestry.parent == 0) return true;
    return children == Children::same && same_executable(ancestry.parent);
}

bool has_room() {
    const uint64_t room = address_room();
    if (room >= address_room_min) return true;
    Line problem("the limits on memory (RLIMIT_AS, RLIMIT_DATA) leave ");
    problem << (room >> 20) << " MiB of addresses: the program runs unrecorded; it takes "
            << (address_room_min >> 20) << " MiB to record it.";
    say(problem.view());
    return false;
}

bool is_alone() {
    if (is_defined_in_front_of_us("memtrace_mark") && is_defined_in_front_of_us("malloc")) {
        say("another copy of libmemtrace.so is loaded before this one and records the program; "
            "this "
            "one records nothing. LD_PRELOAD needs one copy only.");
        return false;
    }
    const char* const sanitizer = excluding_sanitizer();
    if (sanitizer == nullptr) return true;
    Line problem("the program is built with ");
    problem << sanitizer << ", beside which memtrace cannot work: it runs unrecorded.";
    say(problem.view());
    return false;
}

// Looks for Python and autograd in a module that is met for the first time. An interpreter that
// came by dlopen() may be visible to no other lookup.
void look_into_module(Lane& lane, uint32_t module, const dl_phdr_info& image, uint64_t begin,
                      uint64_t end) {
    const bool may_be_python = options.python && python_state() == PythonState::none;
    if (may_be_python && image.dlpi_phdr != nullptr) start_python_in(image);
    look_for_autograd(lane, module, image, begin, end);
}

// Decides from options and ancestry if this process is recorded, and begins its dump.
bool begin_first_time() {
    remember_stderr();
    // First of all: until a sanitizer has started, its versions of libc's functions must not be
    // called.
    if (!is_alone()) return false;
    start_clock();
    if (getauxval(AT_SECURE) != 0) return false;
    Line problem;
    if (!parse_options(starting_environment("MEMTRACE_OPTIONS"), problem)) {
        say(problem.view());
        return false;
    }
    if (options.help) {
        print_options();
        return false;
    }
    const Ancestry ancestry = find_ancestry();
    const bool is_child = ancestry.parent != 0;
    is_first_process = !is_child;
    launched_at = ancestry.launched_at;
    if (!is_wanted(ancestry) || !has_room()) return false;
    if (!make_recording_state_fork_aware())
        options.children = static_cast<uint64_t>(Children::none);
    if (!begin_heap_sample()) {
        say("there is no memory for the sample of the heap: the program runs unrecorded.");
        return false;
    }
    remember_shim_folder();
    set_sample_observer(take_turns);
    set_python_end_observer(search_lost_at_python_end);
    calibrate_clock();
    set_module_observer(
        {.first_met = look_into_module, .missed_unload = forget_code_that_went_unseen});
    return begin_dump(is_child, 0);
}

// Runs in a forked child at its first event. State of the parent's recording is not valid here.
bool begin_forked_child() {
    const int parent = recorded_pid;
    thread_state.lane = nullptr;
    is_first_process = false;
    is_forked_child = true;
    work_has_ended.store(false);
    if (static_cast<Children>(options.children) == Children::none || parent == 0) return false;
    if (no_recording_can_begin() || is_left_out_child()) return false;
    dump_file::forget();
    ThreadLane::forget_all();
    forget_all_nodes();
    forget_all_modules();
    forget_all_python_codes();
    forget_python_records();
    forget_python_object_records();
    forget_gpu_announcements();
    forget_nvml_usage();
    cuda::forget_handles();
    PythonWalkFlag::lower_all();
    forget_workspaces();
    end_unloads_of_parent();
    leave_sample_of_parent();
    // What the child does, and for how long, is told from its own beginning.
    restart_clock();
    if (!begin_heap_sample()) return false;
    return begin_dump(true, parent);
}

void begin(bool is_recorded) {
    if (!is_recorded) leave_heap_whole();
    if (is_recorded && begins_asleep) begin_sleep();
    else set_recording(is_recorded ? Recording::on : Recording::off);
}

// ---- end ---------------------------------------------------------------------------------------

bool has_events() {
    bool has_lane = false;
    ThreadLane::for_each([&](const ThreadLane&) { has_lane = true; });
    return has_lane;
}

void write_thread_names(Lane& own) {
    ThreadLane::for_each([&](ThreadLane& lane) {
        if (lane.owner() == 0) return;
        FixedText<64> path("/proc/self/task/");
        path << lane.owner() << "/comm";
        char name[64];
        size_t length = sys::read_file(path.c_str(), name, sizeof name);
        if (length > 0 && name[length - 1] == '\n') --length;
        if (length == 0) return;
        ThreadName record;
        record.time = own.stamp(ticks_now());
        record.text = Text(name, length);
        record.tid = static_cast<uint64_t>(lane.owner());
        own.put_long(record);
    });
}

bool is_only_thread() { return proc_number("/proc/self/status", "Threads:", 0) == 1; }

// Ends a dump that nobody has begun to write events to.
void end_empty_dump(EndKind kind) {
    dump_file::set_state(State::ended);
    if (!end_compactions() && is_only_thread()) dump_file::trim();
    if (!options.quiet && is_first_process && kind != EndKind::exec) say_nothing_was_recorded();
}

}  // namespace

void start_recording() {
    if (started) return;
    started = true;
    const ThreadMode before = thread_state.inside;
    thread_state.inside = ThreadMode::library;
    begin(begin_first_time());
    begin_to_mistrust_stderr();
    thread_state.inside = before;
}

bool decide_recording(Recording now) {
    if (now == Recording::stopped) {
        dump_file::count_lost_events(1);
        return false;
    }
    const int errno_before = errno;
    if (now == Recording::asleep) {
        wake_if_asked();
    } else if (!started) {
        start_recording();
    } else {
        const ThreadMode before = thread_state.inside;
        thread_state.inside = ThreadMode::library;
        set_recording(Recording::off);  // The shim's own calls must not come here again.
        begin(begin_forked_child());
        thread_state.inside = before;
    }
    errno = errno_before;
    return recording() == Recording::on;
}

bool has_recording() { return recording() == Recording::on || recording() == Recording::asleep; }

bool is_borrowed_memory() { return recorded_pid != 0 && sys::pid() != recorded_pid; }

void end_work() {
    const CallerState caller = caller_state();
    if (recording() != Recording::on || is_borrowed_memory()) return;
    if (work_has_ended.exchange(true)) return;
    record_work_end(WorkEndKind::program);
    search_lost_at_end(caller);
}

void finish_recording(EndKind kind, int code) {
    // With rings in memory the dump's head lies there, too, and counts what came after a stop. A
    // filter that forbids the file's calls may forbid the question for the process's id, too.
    const bool counts_after_stop = recording() == Recording::stopped && !no_recording_can_begin();
    if ((!has_recording() && !counts_after_stop) || is_borrowed_memory()) return;
    if (counts_after_stop) return dump_file::set_state(State::stopped);
    if (thread_state.inside != ThreadMode::program || finished.exchange(true)) return;
    if (!has_events() && recording() == Recording::asleep) {
        const int errno_before = errno;
        end_empty_dump(kind);
        errno = errno_before;
        return;
    }
    // exit() has just run destructors under the loader's lock, so calling the loader is safe here.
    // An immediate end may come while another thread holds that lock forever, and so may the end of
    // a child.
    if (kind == EndKind::exit && !is_forked_child) note_coverage();
    if (kind != EndKind::exec) {
        cupti::close();
        note_crosscheck();
    }
    const int errno_before = errno;
    enter_record(thread_state);
    if (ThreadLane* lane = ThreadLane::of_this_thread()) {
        end_lost_search(*lane, kind != EndKind::exec);
        write_thread_names(*lane);
        take_last_sample(*lane);
        note_compactions(*lane, ticks_now());
        End record;
        record.time = lane->stamp(ticks_now());
        record.kind = kind;
        record.code = static_cast<uint64_t>(static_cast<unsigned>(code)) & 0xff;
        lane->put_long(record);
        lane->write_deferred();
    }
    if (!dump_file::is_mapped()) ThreadLane::for_each([](ThreadLane& lane) { lane.drain(); });
    dump_file::set_state(State::ended);
    if (!end_compactions() && is_only_thread()) dump_file::trim();
    if (!options.quiet && is_first_process && kind != EndKind::exec) say_what_was_recorded();
    thread_state.inside = ThreadMode::program;
    errno = errno_before;
}

void resume_recording() {
    if (!has_recording() || is_borrowed_memory()) return;
    finished.store(false);
    dump_file::set_state(State::recording);
}

}  // namespace memtrace::preload
