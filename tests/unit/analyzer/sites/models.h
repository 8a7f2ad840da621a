// SPDX-License-Identifier: Apache-2.0
//
// Recordings made by hand, for tests of reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

class Story {
public:
    Story() {
        recording.path = "dump.bin";
        recording.model.process.command = {"train", "--steps", "3"};
        recording.model.process.pid = 42;
        recording.model.process.duration_ns = 12'400'000'000;
        recording.model.process.end = "exit 0";
        recording.symbols.nodes = recording.model.stacks.nodes;
        recording.model.stacks.nodes.push_back({});  // id 0: no stack
        recording.symbols.complete = {false};
    }

    // Functions from the innermost to the outermost: "name" or "name file:line".
    uint32_t stack(const std::vector<std::string>& functions, uint32_t outer = no_stack) {
        uint32_t node = outer;
        for (auto text = functions.rbegin(); text != functions.rend(); ++text) {
            node = add_node({frame(*text)}, node);
        }
        return node;
    }

    // Adds the stack of `inner` functions that ran while autograd ran a node of the class
    // `operation`, below the stack `outer`. The stack `forward` made the node. `line` ("name
    // file:line") is the line that names it.
    uint32_t backward(const std::vector<std::string>& inner, const std::string& operation,
                      const std::string& line, uint32_t forward, uint32_t outer) {
        Frame named = recording.symbols.frames[frame(line)];
        named.kind = FrameKind::backward;
        named.operation = operation;
        uint32_t node = add_node({intern(std::move(named))}, outer);
        recording.symbols.forwards[node] = forward;
        for (auto text = inner.rbegin(); text != inner.rend(); ++text) {
            node = add_node({frame(*text)}, node);
        }
        return node;
    }

    // Adds a site. All its blocks are alive at the peak, `leaked` of them stay, and nothing is
    // released after the work has ended.
    void site(const std::string& space, uint32_t stack, uint64_t blocks, uint64_t bytes_each,
              uint64_t leaked = 0) {
        Totals totals;
        totals.allocations = totals.at_peak_blocks = blocks;
        totals.frees = blocks - leaked;
        totals.allocated_bytes = totals.at_peak_bytes = totals.own_peak_bytes = blocks * bytes_each;
        totals.live_blocks = leaked;
        totals.live_bytes = leaked * bytes_each;
        totals.held_blocks = leaked;
        totals.held_bytes = leaked * bytes_each;
        Space* found = nullptr;
        for (Space& known : recording.model.spaces) {
            if (known.name == space) found = &known;
        }
        if (found == nullptr) {
            found = &recording.model.spaces.emplace_back();
            found->name = space;
        }
        found->peak_time_ns = 1'240'000'000;
        found->sites.push_back({stack, totals});
        add(found->totals, totals);
        recording.model.capture.events += 2 * blocks - leaked;
        recording.model.capture.captures += blocks;
        recording.model.capture.dump_bytes += 4 * blocks;
    }

    // Changes what a node stands for: change(node). The node keeps its frames.
    void change_node(uint32_t id, auto&& change) {
        Symbols& symbols = recording.symbols;
        const FrameRange frames = symbols.ranges[symbols.nodes.location_of(id)];
        StackNode node = symbols.nodes[id];
        change(node);
        symbols.nodes.set(id, node);
        symbols.ranges.resize(symbols.nodes.location_count());
        symbols.ranges[symbols.nodes.location_of(id)] = frames;
    }

    Space& space(const std::string& name) {
        return const_cast<Space&>(*find_space(recording.model, name));
    }

    Recording recording;

private:
    FrameId frame(const std::string& text) {
        Frame frame;
        const size_t colon = text.rfind(':');
        // Some file names of Python contain a space. Names of functions contain none.
        const bool python = text.starts_with("py:");
        const size_t space = python ? text.find(' ') : text.rfind(' ', colon);
        frame.function = text;
        frame.named = true;
        frame.module = "/app/train";
        const bool located = colon != std::string::npos && space != std::string::npos &&
                             colon + 1 < text.size() && text[colon + 1] >= '0' &&
                             text[colon + 1] <= '9';
        if (located) {
            frame.function = text.substr(0, space);
            frame.file = text.substr(space + 1, colon - space - 1);
            frame.line = static_cast<uint32_t>(std::stoul(text.substr(colon + 1)));
        }
        if (python) {  // "py:name" or "py:name file:line"
            frame.function.erase(0, 3);
            frame.kind = FrameKind::python;
            frame.module = "";
        }
        if (text.starts_with("interpreter:")) {
            frame.function = text.substr(12);
            frame.module = "/usr/lib/libpython3.11.so.1.0";
        }
        if (text.starts_with("gap:")) {
            frame.function = text.substr(4);
            frame.module = "";
            frame.kind = FrameKind::gap;
        }
        if (text.starts_with("libc:")) {
            frame.function = text.substr(5);
            frame.module = "/lib/x86_64-linux-gnu/libc.so.6";
        }
        return intern(std::move(frame));
    }

    FrameId intern(Frame frame) {
        auto& frames = recording.symbols.frames;
        for (FrameId id = 0; id < frames.size(); ++id) {
            if (frames[id] == frame) return id;
        }
        frames.push_back(std::move(frame));
        return static_cast<FrameId>(frames.size() - 1);
    }

    uint32_t add_node(const std::vector<FrameId>& frames, uint32_t parent) {
        Symbols& symbols = recording.symbols;
        StackNode node;
        node.parent = parent;
        node.defined = true;
        node.address = symbols.nodes.size();  // each node has a location of its own
        const uint32_t id = symbols.nodes.push_back(node);
        symbols.ranges.resize(symbols.nodes.location_count());
        symbols.ranges[symbols.nodes.location_of(id)] = {
            static_cast<uint32_t>(symbols.of_locations.size()),
            static_cast<uint32_t>(frames.size())};
        symbols.of_locations.insert(symbols.of_locations.end(), frames.begin(), frames.end());
        symbols.complete.push_back(true);
        return id;
    }
};

// Tensors of one place with two callers, and many small blocks of another place.
inline Story training() {
    constexpr uint64_t mib = 1 << 20;
    Story story;
    story.site(
        "host",
        story.stack({"libc:malloc", "Model::make_tensor(int) model/tensor.cpp:42",
                     "train_step() src/train.cpp:17", "main src/train.cpp:90", "libc:_start"}),
        8, 25 * mib);
    story.site("host",
               story.stack({"libc:malloc", "Model::make_tensor(int) model/tensor.cpp:42",
                            "warm_up() src/train.cpp:11", "main src/train.cpp:88"}),
               4, 25 * mib, 1);
    story.site("host", story.stack({"load_batch /home/me/project/src/data.cpp:7"}), 100, 1000);
    return story;
}

// The same in Python, with frames of the interpreter in between and of its start.
inline Story python_training() {
    constexpr uint64_t mib = 1 << 20;
    Story story;
    story.site(
        "host",
        story.stack({"libc:malloc", "interpreter:_PyObject_Malloc", "interpreter:list_append",
                     "py:train_step /src/train.py:41", "interpreter:_PyEval_Vector",
                     "py:<module> /src/train.py:90", "interpreter:Py_BytesMain",
                     "libc:libc.so.6+0x2724a", "libc:__libc_start_main", "interpreter:_start"}),
        8, 25 * mib);
    story.site(
        "host",
        story.stack({"libc:malloc", "at::empty aten/empty.cpp:7", "interpreter:cfunction_call",
                     "py:train_step /src/train.py:41", "py:<module> /src/train.py:90",
                     "interpreter:Py_BytesMain", "libc:__libc_start_main"}),
        4, 25 * mib, 1);
    story.site("host",
               story.stack({"libc:malloc", "interpreter:_PyMem_RawMalloc",
                            "interpreter:Py_InitializeFromConfig", "libc:_start"}),
               10, 100);
    return story;
}

// A line of a model that went forward, and its backward operation in two stacks: below the Python
// code that called backward, and on a thread of the engine.
inline Story backward_training() {
    Story story;
    const uint32_t forward =
        story.stack({"libc:malloc", "at::addmm aten/mm.cpp:9", "py:Linear.forward nn/linear.py:134",
                     "py:Net.forward /src/net.py:42", "py:<module> /src/train.py:7"});
    const uint32_t called =
        story.stack({"Engine::evaluate_function", "Engine::execute", "run_backward",
                     "py:backward torch/_tensor.py:625", "py:<module> /src/train.py:8"});
    const uint32_t thread =
        story.stack({"Engine::evaluate_function", "Engine::thread_init", "libc:clone"});
    const auto site = [&](uint32_t outer, uint64_t blocks) {
        story.site(
            "host",
            story.backward({"libc:malloc", "at::mm aten/mm.cpp:7", "AddmmBackward0::apply"},
                           "AddmmBackward0", "py:Net.forward /src/net.py:42", forward, outer),
            blocks, 1000);
    };
    story.site("host", forward, 1, 400);
    site(called, 3);
    site(thread, 2);
    return story;
}

}  // namespace memtrace::analyzer
