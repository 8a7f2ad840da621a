// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_owners.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a loaded file belongs to somebody") {
    CHECK(owner_of_file("/torch/lib/libc10_cuda.so").role == GpuRole::allocator);
    CHECK(owner_of_file("/torch/lib/libtorch_cuda.so").name == "PyTorch itself");
    CHECK(owner_of_file("/nvidia/nccl/lib/libnccl.so.2").name == "NCCL");
    CHECK(owner_of_file("/nvidia/lib/libcublasLt.so.13").name == "cuBLAS");
    CHECK(owner_of_file("/nvidia/lib/libcudnn_ops.so.9").name == "cuDNN");
    CHECK(owner_of_file("/nvidia/lib/libcufft.so.12").name == "cuFFT");
    CHECK(owner_of_file("/nvidia/lib/libcusparseLt.so.0").name == "cuSPARSE");
    CHECK(owner_of_file("/nvidia/lib/libcusolver.so.12").name == "cuSOLVER");
    CHECK(owner_of_file("/usr/lib/libnvinfer.so.10").name == "TensorRT");
    CHECK(owner_of_file("/site/jax_plugins/xla_cuda13/xla_cuda_plugin.so").name == "XLA");
    CHECK(owner_of_file("/site/cupy/cuda/memory.cpython-311-x86_64-linux-gnu.so").name == "CuPy");
    CHECK(owner_of_file("/usr/lib/librmm.so").name == "RMM");
    CHECK(owner_of_file("/home/me/.triton/cache/x/cuda_utils.so").name == "Triton");
    CHECK(owner_of_file("/usr/lib/x86_64-linux-gnu/libcuda.so.1").role == GpuRole::carrier);
    CHECK(owner_of_file("/nvidia/lib/libcudart.so.13").role == GpuRole::carrier);
    CHECK(owner_of_file("/app/server").role == GpuRole::other);
    CHECK(owner_of_file("/app/server").name == "server");
    CHECK(owner_of_file("").role == GpuRole::unknown);
}

TEST_CASE("the first frame that does more than pass the call on decides") {
    StackTree tree;
    tree.modules[1] = {0, 0, 0, "/usr/lib/libcuda.so.1", ""};
    tree.modules[2] = {0, 0, 0, "/lib/libcudart.so.13", ""};
    tree.modules[3] = {0, 0, 0, "/lib/libnccl.so.2", ""};
    tree.modules[4] = {0, 0, 0, "/torch/lib/libc10_cuda.so", ""};
    tree.nodes.resize(7);
    const auto set = [&](uint32_t id, uint32_t parent, uint32_t module, memtrace::NodeKind kind) {
        StackNode node;
        node.parent = parent;
        node.module = module;
        node.kind = kind;
        node.defined = true;
        tree.nodes.set(id, node);
    };
    set(1, 0, 3, memtrace::NodeKind::native);
    set(2, 1, 4, memtrace::NodeKind::native);  // NCCL called PyTorch's allocator
    set(3, 2, 2, memtrace::NodeKind::guessed);
    set(4, 3, 1, memtrace::NodeKind::native);
    set(5, 0, 0, memtrace::NodeKind::truncated);
    set(6, 5, 1, memtrace::NodeKind::native);  // Only the driver is known.
    GpuOwners owners(tree.modules);
    CHECK(owners.of(4, tree).role == GpuRole::allocator);
    CHECK(owners.of(1, tree).name == "NCCL");
    CHECK(owners.of(6, tree).role == GpuRole::unknown);
    CHECK(owners.of(0, tree).role == GpuRole::unknown);
    CHECK(owners.of(99, tree).role == GpuRole::unknown);
}

TEST_CASE("a stack that calls itself ends") {
    StackTree tree;
    tree.nodes.resize(3);
    StackNode node;
    node.parent = 2;
    CHECK_FALSE(tree.nodes.set(1, node));
    node.parent = 1;
    CHECK(tree.nodes.set(2, node));
    GpuOwners owners(tree.modules);
    CHECK(owners.of(2, tree).role == GpuRole::unknown);
}
