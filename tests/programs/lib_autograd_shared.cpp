// A double of libtorch_cpu.so: PyTorch before 2.13, where a shared_ptr refers to a node.
#include <memory>
namespace torch::autograd {
struct Node;
}
// The caller that runs a node owns it; here that is the program.
struct Borrowed : std::shared_ptr<torch::autograd::Node> {
    using std::shared_ptr<torch::autograd::Node>::shared_ptr;
    Borrowed() = default;
    explicit Borrowed(torch::autograd::Node* node)
        : std::shared_ptr<torch::autograd::Node>(std::shared_ptr<void>(), node) {}
};
#define AUTOGRAD_NODE_REFERENCE ::Borrowed
#include "autograd_double.h"
