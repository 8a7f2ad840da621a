// A double of libtorch_cpu.so: PyTorch 2.13, where one word refers to a node.
namespace torch::autograd {
struct Node;
}
struct Intrusive;
#define AUTOGRAD_NODE_REFERENCE ::Intrusive
struct Intrusive {
    Intrusive() = default;
    explicit Intrusive(torch::autograd::Node* node);
    Intrusive(const Intrusive& other);
    Intrusive& operator=(const Intrusive& other);
    ~Intrusive();
    torch::autograd::Node* target = nullptr;
};
#include "autograd_double.h"

static void count(torch::autograd::Node* node, int change) {
    if (node != nullptr) __atomic_add_fetch(&node->references, change, __ATOMIC_SEQ_CST);
}
Intrusive::Intrusive(torch::autograd::Node* node) : target(node) { count(target, 1); }
Intrusive::Intrusive(const Intrusive& other) : Intrusive(other.target) {}
Intrusive::~Intrusive() { count(target, -1); }
Intrusive& Intrusive::operator=(const Intrusive& other) {
    count(other.target, 1);
    count(target, -1);
    target = other.target;
    return *this;
}
