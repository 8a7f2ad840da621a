// SPDX-License-Identifier: Apache-2.0
//
// `info` says how it was recorded.
#include "analyzer/report_text.h"
#include "tests/unit/analyzer/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("info: recording, mappings, modules, threads, samples, marks") {
    Story story;
    story.site("mmap", story.stack({"f"}), 2, 4096, 1);
    Model& model                    = story.report.model;
    model.process.executable        = "/usr/bin/train";
    model.process.parent_pid        = 7;
    model.process.shim_version      = "0.1.0";
    model.process.start_realtime_ns = 1'700'000'000'000'000'000;
    model.options["depth"]          = "1024";
    model.capture.cuts[memtrace::Cut::depth] = 3;
    model.spaces[0].classes["anonymous"]     = model.spaces[0].totals;
    model.stacks.modules[1] = {0, 0, 0, "/lib/libx.so", "\x01\x02\x03\x04\x05\x06\x07"};
    story.report.symbols.modules[1] = Names::lines;
    model.threads.push_back({42, "train", 1'000'000, std::nullopt, 2, 8192});
    model.samples.push_back({500'000'000, 20 << 20, 0});
    model.marks.push_back({2'000'000'000, memtrace::MarkKind::begin, "epoch 1"});
    std::string out;
    write_info(out, story.report, {});
    CHECK_THAT(out, Contains(R"(
Recording
  dump            dump.bin, 8 bytes
  started         2023-11-14 22:13:20 UTC
  executable      /usr/bin/train
  parent process  7
  recorded by     memtrace 0.1.0
  stack nodes     0
  stacks cut      3: longer than the depth limit
  options         depth=1024
  Python frames   off: this version records native frames only
  GPU memory      none: this version records host memory only

Mappings by class (mmap)
  CLASS             MAPPED  AT THE END       CALLS
  anonymous        8.0 KiB     4.0 KiB           2

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
