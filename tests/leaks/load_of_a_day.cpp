// SPDX-License-Identifier: Apache-2.0
// truth: quiet=serve
// Requests in flight follow the time of the day: three days, each as busy as the others.
#include <math.h>
#include <vector>
#include "leaks.h"
static auto& open = *new std::vector<void*>;
PLACE static void serve() { open.push_back(malloc(400)); }

static void step(long i) {
    work(5);
    const double busy = 1 - cos(2 * M_PI * (double)i / 1500);
    const size_t wanted = (size_t)(200 * busy) + random_below(10);
    while (open.size() < wanted) serve();
    while (open.size() > wanted) {
        free(open.back());
        open.pop_back();
    }
}

int main() { run_steps(4500, step); }
