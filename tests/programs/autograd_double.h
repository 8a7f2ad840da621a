// The parts of PyTorch's autograd that the tests need, with its names and the shape of its code: a
// graph of nodes, an engine that runs one after the other, and the variable of each thread that
// refers to the running node. Included by lib_autograd_*.cpp, which define how that variable refers
// to a node.
#include <stddef.h>
#include <stdlib.h>

#include <memory>

#define EXPORT __attribute__((visibility("default")))

namespace c10 {

// As in c10/util/ThreadLocal.h: the accessor is set while the library is initialised.
template <class Type>
struct ThreadLocal {
    using Accessor = Type* (*)();
    Type& get() { return *accessor(); }
    Accessor accessor;
};

}  // namespace c10

namespace torch::autograd {

struct GraphTask {};
struct InputBuffer {};
struct ReadyQueue {};

struct EXPORT Node {
    explicit Node(size_t bytes_, Node* next_) : bytes(bytes_), next(next_) {}
    virtual ~Node() = default;
    virtual void apply() = 0;
    size_t bytes;
    Node* next;  // the node that this one's backward runs itself
    int references = 0;
};

using NodeReference = AUTOGRAD_NODE_REFERENCE;

struct EXPORT Engine {
    void evaluate_function(std::shared_ptr<GraphTask>& task, Node* node, InputBuffer& inputs,
                           const std::shared_ptr<ReadyQueue>& queue);
    void thread_main(Node* node);
};

EXPORT NodeReference get_current_node();

namespace generated {

// One block that is released, and one that is not.
struct EXPORT ScaleBackward0 : Node {
    using Node::Node;
    void apply() override;
};

// Runs another node's backward inside its own, as a checkpoint does.
struct EXPORT NestedBackward0 : Node {
    using Node::Node;
    void apply() override;
};

}  // namespace generated

static void* volatile kept;
static c10::ThreadLocal<NodeReference> tls_current_evaluating_node;

__attribute__((constructor)) static void initialise() {
    tls_current_evaluating_node.accessor = []() {
        static thread_local NodeReference current;
        return &current;
    };
}

NodeReference get_current_node() { return tls_current_evaluating_node.get(); }

__attribute__((noinline)) void Engine::evaluate_function(std::shared_ptr<GraphTask>&, Node* node,
                                                         InputBuffer&,
                                                         const std::shared_ptr<ReadyQueue>&) {
    node->apply();
    __asm__ volatile("");
}

__attribute__((noinline)) void Engine::thread_main(Node* node) {
    NodeReference& current = tls_current_evaluating_node.get();
    NodeReference before = current;
    current = NodeReference(node);
    std::shared_ptr<GraphTask> task;
    std::shared_ptr<ReadyQueue> queue;
    InputBuffer inputs;
    evaluate_function(task, node, inputs, queue);
    current = before;
    __asm__ volatile("");
}

void generated::ScaleBackward0::apply() {
    free(malloc(bytes));
    kept = realloc(malloc(bytes), 2 * bytes);
}

void generated::NestedBackward0::apply() {
    free(malloc(bytes));
    Engine().thread_main(next);
    free(malloc(bytes));
}

}  // namespace torch::autograd

using namespace torch::autograd;

extern "C" EXPORT Node* autograd_scale(size_t bytes) {
    return new generated::ScaleBackward0(bytes, nullptr);
}
extern "C" EXPORT Node* autograd_nested(size_t bytes, Node* next) {
    return new generated::NestedBackward0(bytes, next);
}
extern "C" EXPORT void autograd_run(Node* node) { Engine().thread_main(node); }
extern "C" EXPORT void autograd_forget(Node* node) { delete node; }
