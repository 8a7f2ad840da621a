// SPDX-License-Identifier: Apache-2.0
// truth: leak=make_pair_of_nodes
// Two objects that own each other by std::shared_ptr are never freed.
#include <memory>
#include "leaks.h"
struct Node {
    std::shared_ptr<Node> other;
    char data[100];
};
PLACE static void make_pair_of_nodes() {
    auto a = std::make_shared<Node>(), b = std::make_shared<Node>();
    a->other = b;
    b->other = a;
}

static void step(long) {
    work(10);
    make_pair_of_nodes();
}

int main() { run_steps(2000, step); }
