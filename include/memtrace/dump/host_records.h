// SPDX-License-Identifier: Apache-2.0
//
// Records about the memory of the process as the kernel sees it, at a few moments of the run. A
// moment is a sequence of records in one lane:
//
//   HostMoment, HostRange..., then for each region HostRegion and its HostPages, HostMomentEnd
//
// Records of other lanes may lie between them. A moment without its end does not count.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// A moment begins.
struct HostMoment {
    static constexpr uint8_t tag = 45;
    static constexpr const char* name = "host_moment";
    uint64_t time = 0;
    HostOccasion occasion = HostOccasion::growth;
    uint64_t rss = 0;      // bytes, by the kernel's quick count
    uint64_t highest = 0;  // bytes: the largest resident set that the kernel has seen (VmHWM)

    static constexpr void fields(auto&& self, auto&& each) {
        each("occasion", self.occasion, coding::plain);
        each("rss", self.rss, coding::delta);
        each("highest", self.highest, coding::delta);
    }
};

// A mapping of the process, as /proc/self/smaps lists it. Mappings without resident or swapped
// pages have no record, and neighbours of the same file are one region.
struct HostRegion {
    static constexpr uint8_t tag = 46;
    static constexpr const char* name = "host_region";
    uint64_t time = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t access = 0;     // sum of HostAccess
    uint64_t rss = 0;        // bytes, like those below
    uint64_t anonymous = 0;  // part of rss: pages that belong to no file
    uint64_t shared = 0;     // part of rss: pages that other processes have mapped as well
    uint64_t swap = 0;
    Text path = {};  // file, or a name in brackets such as [heap]; empty: none

    static constexpr void fields(auto&& self, auto&& each) {
        each("begin", self.begin, coding::delta);
        each("end", self.end, coding::delta);
        each("access", self.access, coding::plain);
        each("rss", self.rss, coding::plain);
        each("anonymous", self.anonymous, coding::plain);
        each("shared", self.shared, coding::plain);
        each("swap", self.swap, coding::plain);
        each("path", self.path, coding::text);
    }
};

// Pages of the last region that are resident. `runs` has varints: pages that are, pages that are
// not, pages that are, ... from `begin` on. Pages after the last run are not.
struct HostPages {
    static constexpr uint8_t tag = 47;
    static constexpr const char* name = "host_pages";
    uint64_t time = 0;
    uint64_t begin = 0;
    Text runs = {};

    static constexpr void fields(auto&& self, auto&& each) {
        each("begin", self.begin, coding::delta);
        each("runs", self.runs, coding::text);
    }
};

// Memory whose use the shim knows, and that no other record tells.
struct HostRange {
    static constexpr uint8_t tag = 48;
    static constexpr const char* name = "host_range";
    uint64_t time = 0;
    HostUse use = HostUse::memtrace;
    uint64_t begin = 0;
    uint64_t end = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("use", self.use, coding::plain);
        each("begin", self.begin, coding::delta);
        each("end", self.end, coding::delta);
    }
};

// The moment is complete.
struct HostMomentEnd {
    static constexpr uint8_t tag = 49;
    static constexpr const char* name = "host_moment_end";
    uint64_t time = 0;
    uint64_t duration = 0;  // ticks that the moment took the thread
    uint64_t regions = 0;   // regions with resident or swapped pages
    uint64_t unknown = 0;   // part of these: pages were not looked up

    static constexpr void fields(auto&& self, auto&& each) {
        each("duration", self.duration, coding::plain);
        each("regions", self.regions, coding::plain);
        each("unknown", self.unknown, coding::plain);
    }
};

}  // namespace memtrace
