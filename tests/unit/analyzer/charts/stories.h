// SPDX-License-Identifier: Apache-2.0
//
// Recordings of stories that were watched, for the reports of this room.
#pragma once

#include <string>

#include "analyzer/model/run_watch.h"
#include "analyzer/sites/recording.h"
#include "analyzer/symbolise/symbolise.h"
#include "tests/tools/story.h"

namespace memtrace::analyzer {

inline WatchRequest watch_all() {
    WatchRequest request;
    request.curves = request.lives = request.bars = request.threads = true;
    return request;
}

inline Recording watched_story(std::string_view story, const WatchRequest& request = watch_all()) {
    const test::TempFile file(test::dump_from_text(story));
    LoadOptions options;
    options.watch = request;
    Recording recording;
    recording.path = "run.bin";
    recording.model = load_dump(file.path(), {}, options);
    recording.symbols = symbolise(recording.model, {}, {});
    return recording;
}

// A thread frees what it allocates, and another one keeps and frees.
inline constexpr const char* two_threads = R"(
    clock time=0 monotonic_ns=0
    clock time=100000 monotonic_ns=100000
    thread_start lane=0 time=1 tid=7
    thread_name lane=0 time=1 text="main"
    thread_start lane=1 time=1 tid=8
    acquire lane=0 time=1000 stack=1 size=100 address=0x1000
    acquire lane=0 time=2000 stack=2 size=8 address=0x2000
    release lane=0 time=2150 address=0x2000
    mark lane=0 time=2500 kind=mark text="half"
    acquire lane=1 time=3000 stack=1 size=50 address=0x3000
    release lane=1 time=60000 address=0x1000
    thread_end lane=1 time=70000
)";

}  // namespace memtrace::analyzer
