// SPDX-License-Identifier: Apache-2.0
//
// The report `info` describes how the dump was recorded.
#include "analyzer/report/report_info.h"

#include "analyzer/symbolise/symbolise.h"
#include "tests/tools/story.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("info: recording, mappings, modules, threads, samples, marks") {
    Story story;
    story.site("mmap", story.stack({"f"}), 2, 4096, 1);
    Model& model = story.recording.model;
    model.process.executable = "/usr/bin/train";
    model.process.machine_memory = uint64_t{8} << 30;
    model.process.memory_limit = uint64_t{2} << 30;
    model.process.parent_pid = 7;
    model.process.shim_version = "0.1.0";
    model.process.start_realtime_ns = 1'700'000'000'000'000'000;
    model.options["depth"] = "1024";
    model.spaces[0].classes["anonymous"] = model.spaces[0].totals;
    model.stacks.modules[1] = {0, 0, 0, "/lib/libx.so", "\x01\x02\x03\x04\x05\x06\x07"};
    story.recording.symbols.modules[1] = Names::lines;
    model.threads.push_back({42, "train", 1'000'000, std::nullopt, 2, 8192});
    model.samples.push_back({500'000'000, 20 << 20, 0});
    model.marks.push_back({2'000'000'000, memtrace::MarkKind::begin, "epoch 1"});
    std::string out;
    write_info(out, story.recording, {});
    CHECK_THAT(out, Contains(R"(
Recording
  dump            dump.bin, 8 bytes
  started         2023-11-14 22:13:20 UTC
  executable      /usr/bin/train
  machine memory  8.0 GiB (8,589,934,592 bytes)
  memory limit    2.0 GiB (2,147,483,648 bytes), of the control group
  parent process  7
  recorded by     memtrace 0.1.0
  stack nodes     0
  options         depth=1024
  Python frames   off: the dump has native frames only
  GPU memory      none: the version that recorded this knew host memory only

Call stacks (2)
            COUNT   SHARE  HOW FAR THEY REACH
                2 100.0 %  complete: to the start of the program or thread

Mappings by class (mmap)
  CLASS            ALLOCATED  AT THE END       CALLS
  anonymous          8.0 KiB     4.0 KiB           2

Modules that occur in stacks
  NAMES      BUILD ID      FILE
  lines      010203040506  /lib/libx.so

Threads (1)
  THREAD    NAME                 ALLOCATED          CALLS         FROM           TO
  42        train                  8.0 KiB              2         1 ms            -

Memory of the process, as the kernel counts it
  highest RSS     20.0 MiB after 500 ms (1 sample)
  last RSS        20.0 MiB

Marks (1)
  2 s             begin epoch 1
)"));
}

TEST_CASE("info: how far call stacks reach, and which modules are in the way") {
    Recording recording;
    recording.model = memtrace::test::load_story(R"(
        module lane=0 id=1 begin=0x1000 end=0x2000 path="/opt/libold.so"
        module lane=0 id=2 begin=0x2000 end=0x3000 path="/opt/libbent.so"
        node lane=0 id=1 module=2 address=0x2010               # said to be complete, below
        node lane=0 id=2 parent=1 module=1 kind=guessed address=0x1010
        node lane=0 id=3 kind=truncated address=6              # no_data
        node lane=0 id=4 parent=3 module=1 address=0x1020
        node lane=0 id=5 parent=3 address=0x7000
        node lane=0 id=6 kind=truncated address=5              # failed
        node lane=0 id=7 parent=6 module=2 address=0x2020
        node lane=0 id=8 module=2 address=0x2030               # nobody knows why it ends here
        acquire lane=0 time=1 stack=1 size=1 address=0x10000
        acquire lane=0 time=2 stack=2 size=1 address=0x20000
        acquire lane=0 time=3 stack=4 size=1 address=0x30000
        acquire lane=0 time=4 stack=5 size=1 address=0x40000
        acquire lane=0 time=5 stack=5 size=1 address=0x50000
        acquire lane=0 time=6 stack=7 size=1 address=0x60000
        acquire lane=0 time=7 stack=8 size=1 address=0x70000
        acquire lane=0 time=8 size=1 address=0x80000           # no stack was asked for
    )");
    recording.symbols = symbolise(recording.model, {});
    recording.symbols.complete[1] = recording.symbols.complete[2] = true;
    std::string out;
    write_info(out, recording, {});
    CHECK_THAT(out, Contains("  7 call stacks, 28.6 % complete (4 cut short, 1 unknown: names are "
                             "missing here), 1 with a guessed\n    frame\n"));
    CHECK_THAT(out, Contains(R"(
Call stacks (7)
            COUNT   SHARE  HOW FAR THEY REACH
                2  28.6 %  complete: to the start of the program or thread
                1  14.3 %  cut: unwind data that makes no sense
                1              libbent.so
                3  42.9 %  cut: code without unwind data
                2              code made at run time
                1              libold.so
                1  14.3 %  end where no thread is known to start
                1  14.3 %  of all: with a guessed frame, in code without unwind data
                1              libold.so
)"));
}

TEST_CASE("info: ten modules are listed, the rest is summed up") {
    std::string text = "node lane=0 id=1 kind=truncated address=6\n";
    for (int id = 2; id <= 13; ++id) {
        const std::string number = std::to_string(id);
        text += "module lane=0 id=" + number + " path=\"/opt/lib" + number + ".so\"\n" +
                "node lane=0 id=" + number + " parent=1 module=" + number + "\n";
        for (int i = 0; i < 20 - id; ++i) text += "acquire lane=0 stack=" + number + " size=0\n";
    }
    Recording recording;
    recording.model = memtrace::test::load_story(text);
    recording.symbols = symbolise(recording.model, {});
    std::string out;
    write_info(out, recording, {});
    CHECK_THAT(out, Contains("\n               18              lib2.so\n"));
    CHECK_THAT(out, Contains("\n                9              lib11.so\n"
                             "               15              in 2 more\n\n"));
}

TEST_CASE("info: events that contradict each other are listed, the first twenty") {
    Recording recording;
    std::string text =
        "acquire lane=0 time=1000 stack=0 size=1 address=0x7f0000001000\n"
        "acquire lane=0 time=2000 stack=0 size=1 address=0x7f0000001000\n";
    recording.model = memtrace::test::load_story(text);
    recording.symbols = symbolise(recording.model, {});
    std::string out;
    write_info(out, recording, {});
    CHECK_THAT(out, Contains(R"(
Contradictions between events (1)
         AFTER  ADDRESS             WHAT
          2 us  0x7f0000001000      acquired while live
)"));
    for (int i = 0; i < 30; ++i) text += "release lane=0 time=3000 address=0x10\n";
    recording.model = memtrace::test::load_story(text);
    out.clear();
    write_info(out, recording, {});
    CHECK_THAT(out, Contains("  0x10                released while not live\n  and 11 more\n"));
}
