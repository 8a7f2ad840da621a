// SPDX-License-Identifier: Apache-2.0
//
// A working set: the blocks that the program needs at the moment, last in, first out.
#pragma once

#include <vector>

#include "leaks.h"

static auto& set = *new std::vector<void*>;

PLACE static void resize(size_t wanted) {
    while (set.size() < wanted) set.push_back(malloc(150));
    while (set.size() > wanted) {
        free(set.back());
        set.pop_back();
    }
}
