// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_look.h"

#include <algorithm>
#include <span>

#include "analyzer/model/known_modules.h"
#include "analyzer/model/problems.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/python_codes.h"
#include "analyzer/replay/stack_records.h"
#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/threads.h"

namespace memtrace::analyzer {
namespace {

class Looker {
public:
    Looker(PathLook& look, const std::string& step)
        : look_(look), known_(look.stacks.nodes), marks_(step) {
        threads_.list_all();
    }

    void take(size_t lane, const Event& read) {
        const Event& event = known_.join.joined(read);
        lane_ = static_cast<uint32_t>(lane);
        const uint32_t stack = stack_of_acquisition(event);
        if (stack != no_stack) {
            look_.moves.take(threads_.of_lane(lane_), stack, event.key / 2,
                             bytes_of_acquisition(event));
        }
        visit_record(event, [this](const auto& record) { on(record); });
    }

    void define(std::span<const Node> nodes, size_t count) { known_.take(nodes, count); }
    // All definitions were read before.
    void know(const KnownNodes& known) { known_.join.join_like(known.join); }

    KnownNodes finish() {
        look_.moves.finish();
        look_.clock.settle();
        look_.threads = threads_.finish(look_.clock);
        look_.stacks.codes = codes_.finish();
        return std::move(known_);
    }

private:
    void on(const Node& record) { known_.take(record); }
    void on(const Module& record) {
        define_module(look_.stacks, record);
        if (!is_shim_module(record.path)) return;
        look_.moves.frames()->leave_out(record.id);
        known_.join.leave_out(record.id);
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
    void on(const HeapSample& record) { look_.is_sample |= record.interval != 0; }
    void on(const auto&) {}

    PathLook& look_;
    KnownNodes known_;
    PythonCodes codes_;
    Threads threads_;
    StepMarks marks_;
    uint32_t lane_ = 0;
};

}  // namespace

PathLook look_at_paths(const std::string& path, const std::string& step, const Progress& progress,
                       NodeMemo* nodes) {
    Problems ignored;
    DumpFile file(path, ignored);
    const DumpIndex index = index_dump(file, ignored, {});
    const auto known = nodes != nullptr ? nodes->find(file) : nullptr;
    PathLook look(file.header().ticks_per_second, known ? known->nodes : StackNodes{});
    Looker looker(look, step);
    uint64_t read = 0;
    EventStream stream(
        file, index, ignored,
        [&](uint64_t bytes) {
            read = std::min(read + bytes, file.size());
            if (progress) progress(read, file.size());
        },
        [&](std::span<const Node> some, size_t count) { looker.define(some, count); });
    if (known != nullptr) {
        looker.know(*known);
        stream.skip_nodes();
    }
    stream.skip_addresses();
    stream.run([&](size_t lane, const Event& event) { looker.take(lane, event); });
    KnownNodes found = looker.finish();
    if (nodes != nullptr && known == nullptr && NodeMemo::may_keep(found, index, ignored))
        nodes->keep(std::move(found), file);
    return look;
}

}  // namespace memtrace::analyzer
