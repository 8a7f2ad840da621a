// SPDX-License-Identifier: Apache-2.0
// truth: quiet=resize
// A working set that is a random walk, last in, first out.
#include "walk.h"

int main() { walk(11); }
