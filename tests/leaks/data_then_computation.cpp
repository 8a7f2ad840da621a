// SPDX-License-Identifier: Apache-2.0
// truth: quiet=read_cell
// A mesh is read in a loop; the computation that follows takes longer, and allocates at its end.
#include "leaks.h"

struct Cell {
    Cell* next;
    double value;
};
static Cell* mesh;

PLACE static void read_cell(void) {
    Cell* const cell = (Cell*)malloc(sizeof(Cell));
    cell->value = (double)random_below(100);
    cell->next = mesh;
    mesh = cell;
}

static void compute(long) {
    for (Cell* cell = mesh; cell; cell = cell->next) cell->value = cell->value * 0.5 + 1;
}

int main() {
    const double begin = leaks_now();
    while (leaks_now() - begin < leaks_seconds() / 6) {
        read_cell();
        leaks_sleep(0.001);
    }
    run_steps(300, compute);
    free(strdup("what came out of it"));
}
