// SPDX-License-Identifier: Apache-2.0
//
// What a client asks of /debug/pprof/heap, in the words of Go's net/http/pprof:
//
//   seconds=N   what happened within the next N seconds
//   debug=N     above 0: text in place of pprof's format
//   gc=N        accepted: there is no collector, and nothing in the program is touched
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memtrace::launcher {

struct HeapQuery {
    uint64_t seconds = 0;  // 0: the heap of now
    bool wants_text = false;
    std::string error;  // a sentence: the query makes no sense; empty: it does
};

// `query`: what follows the question mark of the address; empty: nothing.
HeapQuery parse_heap_query(std::string_view query);

}  // namespace memtrace::launcher
