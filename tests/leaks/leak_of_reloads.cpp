// SPDX-License-Identifier: Apache-2.0
// truth: leak=load_settings
// Settings are read anew every hundred steps, and the old ones are forgotten.
#include "leaks.h"
static char* settings;
PLACE static void load_settings() {
    settings = nullptr;
    for (int i = 0; i < 20; ++i) {
        char** const entry = static_cast<char**>(malloc(64));
        *entry = settings;
        settings = reinterpret_cast<char*>(entry);
    }
}

static void step(long i) {
    work(10);
    if (i % 100 == 0) load_settings();
}

int main() { run_steps(3000, step); }
