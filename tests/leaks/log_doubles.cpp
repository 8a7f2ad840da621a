// SPDX-License-Identifier: Apache-2.0
// truth: quiet=write_log
// A log that is kept as one string.
#include <string>
#include "leaks.h"

static auto& text = *new std::string;

PLACE static void write_log(long i) { text += "step " + std::to_string(i) + " done\n"; }

static void step(long i) {
    work(10);
    write_log(i);
}

int main(void) {
    run_steps(2000, step);
    return 0;
}
