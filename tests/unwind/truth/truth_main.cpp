// SPDX-License-Identifier: Apache-2.0
//
// truth_VARIANT stories | graph SEED...
//
// First prints which check its unwinder was built without ("none").
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_graph.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {

extern const char* const left_out;  // truth_without.cpp

}  // namespace truth

TRUTH_SHAPE int main(int count, char** arguments) {
    std::printf("without: %s\n", truth::left_out);
    std::fflush(stdout);
    truth::begin_thread("main", 0);
    const truth::Call call(__builtin_return_address(0));
    if (count > 1 && std::strcmp(arguments[1], "stories") == 0) {
        truth::tell_stories_of_the_memo();
        truth::tell_stories_of_code();
        truth::tell_stories_of_made_code();
        truth::tell_stories_of_slices();
        truth::tell_stories_of_signals();
    } else if (count > 2 && std::strcmp(arguments[1], "graph") == 0) {
        for (int i = 2; i < count; ++i) {
            truth::run_graphs(std::strtoull(arguments[i], nullptr, 10));
        }
    } else {
        std::fprintf(stderr, "usage: %s stories | graph SEED...\n", arguments[0]);
        return 3;
    }
    return truth::result();
}
