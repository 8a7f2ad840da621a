// SPDX-License-Identifier: Apache-2.0
//
// Builds and destroys binary trees. Each node is its own block, so stacks grow and shrink by one
// frame at a time.  trees DEPTH COUNT   (COUNT: nodes of all trees)
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "descend.h"

struct Node {
    std::unique_ptr<Node> left, right;
    uint64_t value = 0;
};

static NOINLINE std::unique_ptr<Node> grow(unsigned depth, uint64_t& random) {
    auto node = std::make_unique<Node>();
    node->value = next_random(&random);
    if (depth > 0) {
        node->left = grow(depth - 1, random);
        node->right = grow(depth - 1, random);
    }
    return node;
}

static NOINLINE uint64_t sum(const Node* node) {
    return node == nullptr ? 0 : node->value + sum(node->left.get()) + sum(node->right.get());
}

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: trees DEPTH COUNT\n"), 2;
    const auto depth = static_cast<unsigned>(std::atoi(argv[1]));
    const long nodes = (2l << depth) - 1;
    uint64_t random = 88172645463325252u;
    uint64_t total = 0;
    for (long left = std::atol(argv[2]); left > 0; left -= nodes) {
        total += sum(grow(depth, random).get());
    }
    std::printf("the values add up to %llu\n", static_cast<unsigned long long>(total));
    return 0;
}
