// SPDX-License-Identifier: Apache-2.0
//
// Which thread acquired the memory of each site of a page. Most sites belong to one thread. For the
// others there are shares, which add up to the site's figures. The threads with the largest shares
// are named, and the rest is one entry, so that the page stays small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/page/page_stacks.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What a thread acquired at a site, of which other threads have a part, too.
struct PageThreadShare {
    uint32_t site = 0;    // index into PageSpace::sites
    uint32_t thread = 0;  // index into PageThreads::names
    Totals totals;
};

struct PageThreadSpace {
    std::vector<int64_t> of_sites;  // by site: its only thread, or -1: see `shares`
    std::vector<PageThreadShare> shares;
};

struct PageThreads {
    struct Name {
        uint64_t tid = 0;    // 0: its start is not in the dump
        std::string name;    // empty: it has none
        uint64_t count = 1;  // more than one: a sum of threads
    };
    std::vector<Name> names;              // empty: not known who acquired what
    std::vector<PageThreadSpace> spaces;  // in the order of the model
};

// The recording must have been loaded with WatchRequest::threads; otherwise nothing is known.
PageThreads make_page_threads(const Recording& recording, const PageStacks& stacks);

}  // namespace memtrace::analyzer
