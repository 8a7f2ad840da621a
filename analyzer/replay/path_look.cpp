// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_look.h"

#include <algorithm>

#include "analyzer/model/problems.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/loop_cuts.h"
#include "analyzer/replay/python_codes.h"
#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/threads.h"

namespace memtrace::analyzer {
namespace {

class Looker {
public:
    Looker(PathLook& look, const std::string& step) : look_(look), marks_(step) {}

    void take(size_t lane, const Event& event) {
        lane_ = static_cast<uint32_t>(lane);
        const uint32_t stack = stack_of_acquisition(event);
        if (stack != no_stack) look_.moves.take(threads_.of_lane(lane_), stack, event.key / 2);
        visit_record(event, [this](const auto& record) { on(record); });
    }

    void define(const Node& record) {
        Location location;
        location.module = record.module;
        location.kind = record.kind;
        location.address = record.address;
        location.defined = true;
        // Ids of a damaged dump may be any number.
        if (record.id <= look_.stacks.nodes.size() + (uint32_t{1} << 20)) {
            look_.stacks.nodes.set(record.id, record.parent, location);
        }
    }

    void finish() {
        look_.moves.finish();
        look_.clock.settle();
        look_.threads = threads_.finish(look_.clock);
        look_.stacks.codes = codes_.finish();
        look_.process.start_realtime_ns = look_.clock.start_realtime_ns();
    }

private:
    void on(const Node& record) { define(record); }
    void on(const Module& record) {
        look_.stacks.modules[record.id] = {record.begin, record.end, record.bias,
                                           std::string(record.path), std::string(record.build_id)};
    }
    void on(const PythonCode& record) { codes_.add(record); }
    void on(const PythonLines& record) { codes_.add(record); }
    void on(const Clock& record) { look_.clock.add_anchor(record); }
    void on(const ThreadStart& record) { threads_.start(lane_, record.tid, record.time); }
    void on(const ThreadName& record) {
        threads_.name(lane_, record.tid, std::string(record.text));
    }
    void on(const ThreadEnd& record) {
        look_.moves.end_thread(threads_.of_lane(lane_));
        threads_.end(lane_, record.time);
    }
    void on(const Mark& record) { look_.has_marked_steps |= marks_.find(record).is_leader; }
    void on(const auto&) {}

    PathLook& look_;
    PythonCodes codes_;
    Threads threads_;
    StepMarks marks_;
    uint32_t lane_ = 0;
};

}  // namespace

PathLook look_at_paths(const std::string& path, const std::string& step, const Progress& progress) {
    Problems ignored;
    DumpFile file(path, ignored);
    const DumpIndex index = index_dump(file, ignored, {});
    PathLook look(file.header().ticks_per_second);
    Looker looker(look, step);
    uint64_t read = 0;
    EventStream stream(
        file, index, ignored,
        [&](uint64_t bytes) {
            read = std::min(read + bytes, file.size());
            if (progress) progress(read, file.size());
        },
        [&](const Node& node) { looker.define(node); });
    stream.run([&](size_t lane, const Event& event) { looker.take(lane, event); });
    looker.finish();
    return look;
}

}  // namespace memtrace::analyzer
