# SPDX-License-Identifier: Apache-2.0
"""The rules that scripts/tidy.py checks, as tables."""

LINES_MAX, COLUMNS_MAX, FUNCTION_LINES_MAX, BLOB_BYTES_MAX = 400, 100, 70, 100_000
PLAIN_RETURNS_MAX = 5  # A header with at most this many is plain data and needs no test.
CPP = (".cpp", ".h", ".c", ".def")
CODE = CPP + (".py", ".sh", ".cmake", ".ts", ".mjs", ".css")
FOLDER_OF_INPUTS = "tests/fuzz/corpus"  # for fuzzers: bytes that keep no rule
LARGE_FILES_ALLOWED = ("docs/use/page-flame.png", "docs/use/page-leaks.png",
                       "docs/use/page-range.png", "docs/use/diff-page.png")

# Folders with rooms, and the most files in a room: more are two rooms. The rules are in
# tidy_rooms.py.
PROGRAMS, ROOM_FILES_MAX = ("preload", "analyzer"), 30
# Files of a room that do not count: there is one for each row of a table, and its name says which.
ONE_FOR_EACH_ROW = ("analyzer/commands/command_*.cpp",)
# What is no C++: a program of its own, with a linter of its own.
FOLDERS_OF_ROOMS = ("analyzer/page/web",)
ROOMS_WITHOUT_TARGET = {"preload/hooks": "only the shim links the hooks, and compiles them"}

# Sources and their unit tests: FOLDER/ROOM/NAME.cpp is tested by TESTS/ROOM/NAME_test.cpp.
FOLDERS_OF_TESTS = {"preload": "tests/unit/preload", "analyzer": "tests/unit/analyzer",
                    "launcher": "tests/unit/launcher",
                    "include/memtrace/dump": "tests/unit/format"}
FORMAT_VERSION = 14  # of clang-format; other versions break lines elsewhere

# Includes that a folder must not have; the reason is printed.
ARROWS = {
    "preload": (r'"(analyzer|launcher)/|<(spdlog|nlohmann|CLI)/|"tests/',
                "the shim knows nothing of the analyzer or its libraries"),
    "analyzer": (r'"(preload|launcher|tests)/', "the analyzer knows the dump, not who wrote it"),
    "launcher": (r'"(preload|tests|analyzer/(?!base/|commands/|cli/|live/))',
                 "the launcher starts the shim, and calls the analyzer's command line and `live`"),
    "include": (r'"(preload|analyzer|launcher|tests)/', "the format is below both sides"),
}

# Words that the shim must not use, and their replacements.
FORBIDDEN = {
    r"\bnew\b(?!\s*\()": "placement new, or memory of sys::mmap",
    r"(?<!= )\bdelete\b": "memory of sys::mmap, given back with sys::munmap",
    r"\bstd::(string|ostringstream|stringstream)\b": "FixedText of preload/base/fixed_text.h",
    r"\bstd::(vector|map|set|unordered_\w+|list|deque|function|shared_ptr)\b":
        "a fixed array or memory of sys::mmap",
    r"\b(std::(mutex|lock_guard|unique_lock|condition_variable|call_once)|pthread_mutex_lock)\b":
        "an atomic with a try-lock: nobody may wait",
    r"\bstd::(thread|async|jthread)\b": "a task of a thread that is there already",
    r"\b(throw|try|catch)\b": "a return value: the shim is built without exceptions",
    r"\b(v?[fsd]?n?printf|puts|fwrite|fopen|perror)\s*\(|\bstd::(cout|cerr|clog)\b":
        "say() of preload/base/log.h, or sys::write",
    r"\b(abort|std::terminate|assert)\s*\(": "count it, say it, switch recording off",
    r"(?<!MEMTRACE_EXPORT char\* )\b(getenv|setenv|strerror|localtime)\s*\(":
        "starting_environment() or a system call",
}

# Sources without a unit test of the same name, and the tests that cover them. A name may be a
# pattern. This list may only shrink.
TESTED_ELSEWHERE = {
    "preload/hooks/hooks_heap.cpp": "tests/programs/every_heap_function.c calls each hook",
    "preload/hooks/awake_heap.cpp": "as hooks_heap.cpp",
    "preload/hooks/hooks_map.cpp": "tests/programs/every_map_function.c calls each hook",
    "preload/hooks/hooks_process.cpp": "tests/programs/fork_*, ends_by_*, spawns_*",
    "preload/hooks/hooks_descriptors.cpp": "tests/programs/takes_every_descriptor.c, closes_all_*",
    "preload/hooks/hooks_filter.cpp": "tests/programs/filters_itself.c",
    "preload/hooks/hooks_lsan.cpp": "tests/programs/lost_blocks.c; lost_blocks.py; measure/lost",
    "preload/lost/lost_search.cpp": "lost_blocks.py, lost_searches_that_are_not_possible.py",
    "preload/lost/lost_question.cpp": "lost_blocks_held.py, lost_blocks_out_of_sight.py",
    "preload/lost/may_search.cpp": "lost_searches_that_are_not_possible.py",
    "preload/lost/standing_copy.cpp": "lost_blocks.py, lost_blocks_and_the_guest.py",
    "preload/session/program_suppressions.cpp": "lost_blocks.py: suppressed_by_program",
    "preload/session/lost_at_end.cpp": "lost_blocks.py: at_exit; garbage_of_python.py",
    "preload/session/lost_calls.cpp": "lost_blocks.py: check, threads, ignore",
    "analyzer/lost/held_at.cpp": "lost_blocks.py",
    "analyzer/lost/search_lost.cpp": "lost_blocks.py",
    "analyzer/symbolise/expression_lines.cpp": "lines_of_expressions.py",
    "analyzer/compact/compact_run.cpp": "compacted_dumps.py",
    "analyzer/compact/compact_dump.cpp": "compacted_dumps.py",
    "analyzer/compact/read_compacted.cpp": "compacted_dumps.py",
    "analyzer/compact/compacted_part.cpp": "compacted_ranges.py",
    "analyzer/compact/compact_helper.cpp": "max_dump_leaves_nothing_out.py",
    "analyzer/compact/what_stays.cpp": "compact_live_test.cpp, compacted_dumps.py",
    "preload/helper/*.cpp": "max_dump_leaves_nothing_out.py, lost_blocks.py",
    "preload/session/compactor.cpp": "max_dump_leaves_nothing_out.py",
    "analyzer/reader/past.cpp": "compacted_dumps.py, compact_live_test.cpp",
    "analyzer/reader/section_walk.h": "dump_index_test.cpp, ring_view_test.cpp",
    "analyzer/reader/section_count.cpp": "dump_index_test.cpp",
    "launcher/live/lost.cpp": "lost_blocks.py: another process asks",
    "launcher/live/heap_answers.cpp": "live_at_odd_moments.py, program_that_runs.py",
    "preload/session/waking.cpp": "needs to be preloaded: start_and_stop.py",
    "preload/session/filtered_calls.cpp": "filters_of_system_calls.py; call_filter_test.cpp",
    "preload/session/sanitizers.cpp": "sanitizers_of_the_program.py",
    "preload/recording/event_scope.cpp": "handlers_that_jump_away.py",
    "preload/unwind/odd_steps.cpp": "tests/unwind; stack_through_code_without_unwind_data.py",
    "preload/hooks/hooks_loader.cpp": "tests/programs/dlopen_*; stack_of_unloaded_libraries.py",
    "preload/hooks/hooks_dlsym.cpp": "gpu_linked.cpp, gpu_loaded.cpp; gpu_*.py",
    "preload/hooks/hooks_cuda.cpp": "gpu_stories.h calls each hook; gpu_*.py",
    "preload/hooks/hooks_cudart.cpp": "gpu_runtime.cpp calls each hook; gpu_runtime.py",
    "preload/gpu/driver_effects.cpp":
        "gpu_stories.h calls each; gpu_linked.py, against the stand-in's log",
    "preload/gpu/driver_pool_effects.cpp": "as driver_effects.cpp",
    "preload/gpu/driver_effects.h": "as driver_effects.cpp",
    "preload/gpu/driver_call.cpp": "as driver_effects.cpp",
    "preload/cuda/cuda_queries.cpp": "needs a driver: gpu_linked.py; `captured` of gpu_stories.h",
    "preload/cuda/cuda_library.cpp": "needs a driver: gpu_loaded.py, gpu_is_left_alone.py",
    "preload/gpu/driver_coverage.cpp": "needs a driver: gpu_gaps_are_said.py",
    "preload/gpu/gpu_backend.cpp": "needs a driver: gpu_linked.py, gpu_option.py",
    "preload/hooks/hooks_torch.cpp":
        "torch_*.py: doubles of PyTorch; scripts/measure/torch-allocator",
    "preload/hooks/hooks_cupti.cpp": "gpu_profiled.cpp calls each; gpu_cupti_is_shared.py",
    "preload/cuda/cupti_library.cpp": "needs libraries: gpu_cupti_versions.py",
    "preload/cuda/cupti_subscription.cpp":
        "needs a driver: gpu_cupti_versions.py, gpu_cupti_is_shared.py",
    "preload/gpu/cupti_callbacks.cpp": "needs a driver: gpu_cupti.py, against the stand-in's log",
    "preload/hooks/hooks_nvtx.cpp": "nvtx_*.py call each, on NVIDIA's header and on doubles",
    "preload/nvtx/nvtx_injection.cpp": "needs to be preloaded: nvtx_*.py",
    "preload/hooks/hooks_jit.cpp": "tests/programs/made_code_*; made_code_*.py",
    "preload/hooks/entry.cpp": "runs before main in every program of tests/programs",
    "preload/hooks/public_api.cpp": "one line for each function of memtrace.h",
    "preload/loader/real_functions.cpp": "a table of dlsym results; no hook works without it",
    "preload/base/sys.cpp": "system calls, one line each",
    "preload/base/sys.h": "system calls, one line each",
    "preload/hooks/no_exceptions.cpp": "ends that no test may reach",
    "preload/objects/python_objects.cpp": "needs interpreters: python_objects*.py",
    "preload/writer/lane.cpp": "record_test.cpp: blocks pass through the ring into chunks",
    "preload/recording/thread_lane.cpp":
        "record_test.cpp: lanes are taken, outgrown and taken over",
    "preload/writer/chunk_writer.cpp": "record_test.cpp: two hundred thousand blocks become chunks",
    "preload/session/session.cpp":
        "needs processes: tests/programs/fork_*, ends_by_*, children_*.py",
    "preload/base/recording_state.cpp": "needs forks: tests/programs/fork_*",
    "preload/recording/rss_sampler.cpp": "needs time to pass; not tested by itself yet",
    "preload/session/coverage.cpp":
        "needs other allocators: own_malloc.c, own_allocator_with_prefix.c",
    "preload/base/log.cpp":
        "needs a stderr of its own: writes_one_line_to_stderr.py, stdout_closed.py",
    "preload/stack/stack_capture.cpp":
        "needs the hooks below it: stack_of_c.py, stack_too_deep_*.py",
    "preload/loader/dynamic_symbols.h":
        "own_malloc.c, own_allocator_*.c; made_code_in_local_library.c",
    "preload/unwind/dwarf_bytes.h": "cfi_test.cpp: every encoding and length, and damaged ones",
    "analyzer/commands/command_training.cpp": "tests/e2e/cases/training_report.py",
    "analyzer/commands/command_compact.cpp": "compacted_dumps.py",
    "analyzer/commands/command_gpu.cpp": "one row; command_test.cpp runs it",
    "analyzer/commands/command_info.cpp": "one row; command_test.cpp runs it",
    "analyzer/commands/command_leaks.cpp": "one row; command_test.cpp runs it",
    "analyzer/commands/command_peak.cpp": "one row; command_test.cpp runs it",
    "analyzer/profile/profile_head.cpp": "profile_file_test.cpp: reports of every story",
    "analyzer/profile/profile_stacks.cpp": "as profile_head.cpp",
    "analyzer/profile/profile_figures.cpp": "as profile_head.cpp",
    "analyzer/profile/profile_gpu.cpp": "as profile_head.cpp",
    "analyzer/profile/profile_text.cpp": "command_profile_test.cpp, command_merge_test.cpp",
    "analyzer/profile/merge_heads.cpp": "profile_merge_test.cpp: any order and groups, and notes",
    "analyzer/profile/merge_stacks.cpp": "as merge_heads.cpp",
    "analyzer/profile/merge_phases.cpp": "as merge_heads.cpp",
    "analyzer/profile/merge_gpu.cpp": "as merge_heads.cpp",
    "analyzer/cli/main.cpp": "calls cli.cpp; the end-to-end tests run it",
    "launcher/main.cpp": "calls cli.cpp and run.cpp; the end-to-end tests run it",
    "launcher/process.cpp": "needs processes: run_*.py",
    "launcher/page.cpp": "needs a dump and processes: run_page.py",
    "launcher/browser.cpp": "needs an xdg-open: run_page.py",
    "launcher/run.cpp": "needs processes: run_*.py",
    "launcher/live/top.cpp": "needs a program that runs: program_that_runs.py",
    "launcher/live/top_screen.cpp": "needs a terminal: program_that_runs.py",
    "launcher/live/serve.cpp": "needs a program that runs: program_that_runs.py",
    "launcher/live/snapshot.cpp": "needs a program that runs: program_that_runs.py",
    "launcher/live/start_stop.cpp": "needs a program that runs: start_and_stop.py",
    "launcher/live/growth_job.cpp": "needs a program that runs for a while; "
        "live_verdicts_test.cpp reads what it returns",
    "analyzer/live/find_program.cpp": "needs a program that runs: program_that_runs.py",
    "analyzer/live/live_dump.cpp": "needs a program that runs: program_that_runs.py",
    "analyzer/live/live_names.cpp": "needs symbols: program_that_runs.py",
    "analyzer/live/live_heap.cpp": "program_that_runs.py: bytes in the profile",
    "analyzer/live/program_facts.cpp": "needs a program that runs: program_that_runs.py",
    "analyzer/reader/moment.cpp": "needs a program that runs: program_that_runs.py",
    "analyzer/reader/chunk_fault.h": "dump_index_test.cpp: every fault of a chunk",
    "analyzer/replay/slice_plan.cpp": "run_slices_random_test.cpp, against a naive reference",
    "analyzer/spaces/run_history.cpp": "run_slices_random_test.cpp, against a naive reference",
    "analyzer/watch/space_watcher.cpp": "run_watcher_test.cpp; reports_over_time.py recounts it",
    "analyzer/spaces/space_history.cpp": "run_slices_random_test.cpp, against a naive reference",
}
