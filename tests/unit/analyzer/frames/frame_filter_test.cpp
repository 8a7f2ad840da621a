// SPDX-License-Identifier: Apache-2.0
//
// Frames that interest a reader, and plumbing.
#include "analyzer/frames/frame_filter.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame frame(const char* function, const char* module) {
    Frame made;
    made.function = function;
    made.module = module;
    made.named = true;
    return made;
}

}  // namespace

TEST_CASE("libraries, allocators and what comes before main are not interesting") {
    CHECK_FALSE(is_interesting(frame("qsort", "/lib/x86_64-linux-gnu/libc.so.6")));
    CHECK_FALSE(is_interesting(frame("operator new(unsigned long)", "/app/static")));
    CHECK_FALSE(is_interesting(frame("void std::vector<int>::push_back(int)", "/app/train")));
    CHECK_FALSE(is_interesting(frame("_start", "/app/train")));
    CHECK_FALSE(is_interesting(frame("_GLOBAL__sub_I_eh_alloc.cc", "/app/train")));
    CHECK(is_interesting(frame("_GLOBAL__sub_I_tables.cc", "/app/train")));
    CHECK_FALSE(is_interesting(frame("c10::alloc_cpu(unsigned long)", "/torch/libc10.so")));
    CHECK(is_interesting(frame("main", "/app/train")));
    CHECK(is_interesting(frame("malloc_bench", "/app/train")));
    CHECK(is_interesting(frame("standard::f()", "/app/train")));
    CHECK(is_interesting(frame("at::native::empty_cpu(int)", "/torch/libtorch_cpu.so")));
}

TEST_CASE("the function's own name decides, not its return type, arguments or surroundings") {
    const auto plumbing = [](const char* name) {
        return !is_interesting(frame(name, "/app/train"));
    };
    CHECK(plumbing("std::vector<app::Node, std::allocator<app::Node> >::reserve(unsigned long)"));
    CHECK(plumbing("std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)"));
    CHECK(plumbing("std::function<void ()>::operator()() const"));
    CHECK(plumbing("std::shared_ptr<app::Tree> std::make_shared<app::Tree, int>(int&&)"));
    CHECK(plumbing("std::vector<int>& std::vector<int>::operator=(std::vector<int> const&)"));
    CHECK(plumbing("char* std::copy<char*, char*>(char*, char*, char*)"));
    CHECK(plumbing("c10::alloc_cpu(unsigned long) [clone .cold]"));
    CHECK(plumbing(
        "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc(void**)"));
    CHECK(plumbing("operator new[](unsigned long)"));
    CHECK(plumbing("<alloc::alloc::Global as core::alloc::Allocator>::allocate"));
    CHECK(plumbing("__gnu_cxx::new_allocator<int>::allocate(unsigned long, void const*)"));
    // These cannot be demangled.
    CHECK(plumbing("_ZZSt39uninitialized_construct_using_allocatorIiEENKUlDpOT_E_clIJiEEEDaSL_"));
    CHECK(plumbing("_ZSt13__invoke_implIiZSt39uninitialized_construct_using_allocatorIiEE"));
    CHECK_FALSE(plumbing("_ZZN3app5storeIiEEvNKUlDpOT_E_clIJiEEEDaSL_"));

    CHECK_FALSE(plumbing("std::vector<int> app::numbers<int>(std::vector<int> const&)"));
    CHECK_FALSE(plumbing("std::enable_if<true, void>::type app::run<void>()"));
    CHECK_FALSE(plumbing("app::Tree::insert(std::string const&)"));
    CHECK_FALSE(plumbing("app::operator<(app::Key const&, std::string const&)"));
    CHECK_FALSE(plumbing("std::ostream& app::operator<<(std::ostream&, app::Key const&)"));
    CHECK_FALSE(plumbing("app::Pointer::operator->() const"));
    CHECK_FALSE(plumbing("c10::impl::wrap<at::_ops::add>::call(c10::OperatorKernel*, at::Tensor)"));
    CHECK_FALSE(plumbing("(anonymous namespace)::malloc_all(std::vector<int>*)"));
    CHECK_FALSE(plumbing("app::f(int)::{lambda(std::string)#1}::operator()(std::string) const"));
    CHECK_FALSE(plumbing("std::unique_ptr<c10::Schema> c10::infer<void (std::__1::string)>()"));
    CHECK_FALSE(plumbing("stdlib::f()"));
    CHECK_FALSE(plumbing("corelib::alloc()"));
    CHECK_FALSE(plumbing(""));
}

TEST_CASE("what stands behind a name, or is part of it, is not another function") {
    const auto plumbing = [](const char* name) {
        return !is_interesting(frame(name, "/app/train"));
    };
    CHECK(plumbing("std::any::operator bool() const"));
    CHECK(plumbing("std::any::operator unsigned long() const"));
    CHECK(plumbing("std::run(int) const volatile"));
    CHECK(plumbing("std::run [clone .cold]"));
    CHECK(plumbing("c10::__1::alloc_cpu(unsigned long)"));
    CHECK_FALSE(plumbing("c10::__1::impl::run(unsigned long)"));
}
