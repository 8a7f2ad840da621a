// SPDX-License-Identifier: Apache-2.0
//
// Search trees of random keys, filled and emptied by recursion. The place of a key depends on its
// whole path through the tree, so hardly any two successive stacks are equal.
//
//     search_trees fill KEYS COUNT   trees of KEYS new keys each, which are then dropped: nearly
//                                    every stack is new. COUNT: keys of all trees
//     search_trees swap KEYS COUNT   one tree. COUNT times one of KEYS keys is removed if it is
//                                    present and inserted if not: stacks come again, in any order
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "descend.h"

struct Node {
    uint64_t key;
    Node* left = nullptr;
    Node* right = nullptr;
};

static NOINLINE Node* insert(Node* tree, uint64_t key) {
    if (tree == nullptr) return new Node{key};
    Node*& side = key < tree->key ? tree->left : tree->right;
    side = insert(side, key);
    return tree;
}

static NOINLINE Node* remove(Node* tree, uint64_t key) {
    if (key != tree->key) {
        Node*& side = key < tree->key ? tree->left : tree->right;
        side = remove(side, key);
        return tree;
    }
    if (tree->left == nullptr || tree->right == nullptr) {
        Node* const rest = tree->left == nullptr ? tree->right : tree->left;
        delete tree;
        return rest;
    }
    const Node* next = tree->right;
    while (next->left != nullptr) next = next->left;
    tree->key = next->key;
    tree->right = remove(tree->right, next->key);
    return tree;
}

static NOINLINE uint64_t drop(Node* tree) {
    if (tree == nullptr) return 0;
    const uint64_t sum = tree->key + drop(tree->left) + drop(tree->right);
    delete tree;
    return sum;
}

static bool is_there(const Node* tree, uint64_t key) {
    while (tree != nullptr && tree->key != key) tree = key < tree->key ? tree->left : tree->right;
    return tree != nullptr;
}

static uint64_t fill(long keys, long count) {
    uint64_t random = 88172645463325252u;
    uint64_t total = 0;
    for (; count > 0; count -= keys) {
        Node* tree = nullptr;
        for (long i = 0; i < keys; ++i) tree = insert(tree, next_random(&random));
        total += drop(tree);
    }
    return total;
}

static uint64_t swap(long keys, long count) {
    uint64_t random = 88172645463325252u;
    Node* tree = nullptr;
    for (; count > 0; --count) {
        const uint64_t key = next_random(&random) % static_cast<uint64_t>(keys);
        tree = is_there(tree, key) ? remove(tree, key) : insert(tree, key);
    }
    return drop(tree);
}

int main(int argc, char** argv) {
    const bool fills = argc == 4 && std::strcmp(argv[1], "fill") == 0;
    if (!fills && (argc != 4 || std::strcmp(argv[1], "swap") != 0)) {
        return std::fprintf(stderr, "usage: search_trees fill|swap KEYS COUNT\n"), 2;
    }
    const uint64_t total = (fills ? fill : swap)(std::atol(argv[2]), std::atol(argv[3]));
    std::printf("the keys add up to %llu\n", static_cast<unsigned long long>(total));
    return 0;
}
