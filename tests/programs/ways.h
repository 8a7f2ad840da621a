// SPDX-License-Identifier: Apache-2.0
//
// A program that does one of many things, by its name. Without a name it prints all names.
#pragma once

#include <cstdio>
#include <cstring>

struct Way {
    const char* name;
    void (*run)();
};

template <size_t size>
int run_way(const Way (&ways)[size], int count, char** arguments) {
    for (const auto& [name, run] : ways) {
        if (count < 2) puts(name);
        else if (strcmp(arguments[1], name) == 0) run();
    }
    return 0;
}
