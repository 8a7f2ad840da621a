// SPDX-License-Identifier: Apache-2.0
//
// A recording inside a unit test. The shim's core writes a real dump to a temporary file, without
// hooks, and the analyzer reads it back.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/load.h"
#include "preload/base/clock.h"
#include "preload/base/recording_state.h"
#include "preload/recording/record.h"
#include "preload/recording/thread_lane.h"
#include "preload/stack/modules.h"
#include "preload/stack/stack_table.h"
#include "preload/writer/chunk_writer.h"
#include "preload/writer/dump_file.h"

namespace memtrace::test {

// An empty file with a name. The destructor removes it.
class TempPath {
public:
    TempPath() {
        const int fd = mkstemp(path_.data());
        if (fd < 0) throw std::runtime_error("cannot make a file in /tmp");
        close(fd);
    }
    ~TempPath() { unlink(path_.c_str()); }
    TempPath(const TempPath&) = delete;
    TempPath& operator=(const TempPath&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/memtrace-test-XXXXXX";
};

class TestRecording {
public:
    TestRecording() {
        unlink(file_.path().c_str());
        preload::start_clock();
        created_ = preload::dump_file::create(file_.path().c_str(), 1);
        Process process;
        process.pid = static_cast<uint64_t>(getpid());
        process.executable = "unit-test";
        preload::write_process_chunk(process);
        preload::set_recording(preload::Recording::on);
    }

    ~TestRecording() {
        preload::set_recording(preload::Recording::off);
        preload::thread_state.lane = nullptr;
        preload::ThreadLane::forget_all();
        preload::forget_all_nodes();
        preload::forget_all_modules();
        preload::dump_file::forget();
    }

    TestRecording(const TestRecording&) = delete;
    TestRecording& operator=(const TestRecording&) = delete;

    bool created() const { return created_; }
    const std::string& path() const { return file_.path(); }

    // Returns what a reader finds now, as if the process had died at this instruction.
    analyzer::Model read() const { return analyzer::load_dump(file_.path()); }

    // Calls visit(record) for all records in the order of time, as a reader gets them now.
    template <class Visit>
    void for_each_record(Visit&& visit) const {
        analyzer::Problems problems;
        analyzer::DumpFile file(file_.path(), problems);
        const analyzer::DumpIndex index = analyzer::index_dump(file, problems);
        analyzer::EventStream records(file, index, problems, [](uint64_t) {});
        records.run([&](size_t, const analyzer::Event& event) {
            analyzer::visit_record(event,
                                   [&](const auto& record) { visit(analyzer::AnyRecord(record)); });
        });
    }

private:
    TempPath file_;
    bool created_ = false;
};

inline analyzer::Totals heap_of(const analyzer::Model& model) {
    for (const analyzer::Space& space : model.spaces) {
        if (space.name == "host") return space.totals;
    }
    return {};
}

// Returns a made-up block. The recorder never looks at the memory itself.
inline void* block_at(uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace memtrace::test
