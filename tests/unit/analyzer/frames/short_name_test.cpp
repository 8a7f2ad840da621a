// SPDX-License-Identifier: Apache-2.0
//
// Long names become what a programmer would write. The inputs are real names from libstdc++ and
// libtorch.
#include "analyzer/frames/short_name.h"
#include "analyzer/base/terminal.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("parameters, return types and clones go") {
    CHECK(shorten("malloc") == "malloc");
    CHECK(shorten("foo(int, char const*)") == "foo");
    CHECK(shorten("A::get() const") == "A::get");
    CHECK(shorten("void foo::bar<int>(int)") == "foo::bar<int>");
    CHECK(shorten("decltype(auto) foo::bar<int>(int)") == "foo::bar<int>");
    CHECK(shorten("std::shared_ptr<int> (anonymous namespace)::make<int>(int)") ==
          "(anon)::make<int>");
    CHECK(shorten("foo(int) [clone .part.0]") == "foo");
    CHECK(shorten("foo[abi:cxx11](int)") == "foo");
}

TEST_CASE("operators keep their signs") {
    CHECK(shorten("operator new(unsigned long)") == "operator new");
    CHECK(shorten("operator new[](unsigned long, std::align_val_t)") == "operator new[]");
    CHECK(shorten("Foo::operator bool() const") == "Foo::operator bool");
    CHECK(shorten("A::operator->() const") == "A::operator->");
    CHECK(shorten("A::operator*() const") == "A::operator*");
    CHECK(shorten("A::operator*() &&") == "A::operator*");
    CHECK(shorten("A::operator&(A) const") == "A::operator&");
    CHECK(shorten("bool A::operator&&<int>(int)") == "A::operator&&<int>");
    CHECK(shorten("Callable::operator()(int) const") == "Callable::operator()");
    CHECK(shorten("bool operator< <int>(A const&, B const&)") == "operator< <int>");
    CHECK(shorten("std::ostream& operator<< <char>(std::ostream&, char)") == "operator<< <char>");
    CHECK(shorten("std::strong_ordering operator<=>(A, B)") == "operator<=>");
}

TEST_CASE("lambdas lose their parameters") {
    CHECK(shorten("main::{lambda(int)#1}::operator()(int) const") ==
          "main::{lambda#1}::operator()");
    CHECK(shorten("Foo::Foo(std::initializer_list<int>)::{lambda()#1}::operator()() const") ==
          "Foo::Foo::{lambda#1}::operator()");
}

TEST_CASE("strings and default template arguments get the names that people use") {
    CHECK(shorten("std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
                  "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
                  "std::char_traits<char>, std::allocator<char> > > >::_M_realloc_insert(int&&)") ==
          "std::vector<std::string>::_M_realloc_insert");
    CHECK(shorten("std::map<std::__cxx11::basic_string<char, std::char_traits<char>, "
                  "std::allocator<char> >, int, std::less<std::__cxx11::basic_string<char, "
                  "std::char_traits<char>, std::allocator<char> > >, std::allocator<std::pair<"
                  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > "
                  "const, int> > >::operator[](int)") == "std::map<std::string, int>::operator[]");
    CHECK(shorten("std::unique_ptr<Foo, std::default_delete<Foo> >::~unique_ptr()") ==
          "std::unique_ptr<Foo>::~unique_ptr");
    CHECK(shorten("std::filesystem::__cxx11::path::path(int)") == "std::filesystem::path::path");
    CHECK(shorten("std::__1::vector<int, std::__1::allocator<int> >::reserve(int)") ==
          "std::vector<int>::reserve");
    CHECK(shorten("std::function<void (int)>::operator()(int) const") ==
          "std::function<void (int)>::operator()");
}

TEST_CASE("names from libtorch fit where they must") {
    const char* kernel =
        "at::native::(anonymous namespace)::cpu_kernel_vec<true, at::native::(anonymous namespace)"
        "::add_kernel(at::TensorIteratorBase&, c10::Scalar const&)::{lambda()#1}::operator()() "
        "const::{lambda(float, float)#2}>(at::TensorIteratorBase&)";
    CHECK(shorten(kernel) ==
          "at::native::(anon)::cpu_kernel_vec<true, at::native::(anon)::"
          "add_kernel::{lambda#1}::operator()::{lambda#2}>");
    CHECK(shorten(kernel, 50) == "at::native::(anon)::cpu_kernel_vec<...>");
    const char* wrapper =
        "at::Tensor c10::impl::wrap_kernel_functor_unboxed_<c10::impl::detail::"
        "WrapFunctionIntoFunctor_<c10::CompileTimeFunctionPointer<at::Tensor (c10::DispatchKeySet, "
        "at::Tensor const&), &torch::autograd::VariableType::(anonymous namespace)::mm>, "
        "at::Tensor, c10::guts::typelist::typelist<c10::DispatchKeySet, at::Tensor const&> >, "
        "at::Tensor (c10::DispatchKeySet, at::Tensor const&)>::call(c10::OperatorKernel*)";
    CHECK(shorten(wrapper, 60) == "c10::impl::wrap_kernel_functor_unboxed_<...>::call");
    CHECK(shorten("torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::"
                  "GraphTask>&, torch::autograd::Node*)") ==
          "torch::autograd::Engine::evaluate_function");
}

TEST_CASE("outer namespaces are dropped before the class and the function are cut") {
    const char* add = "analyzer::memory::(anonymous namespace)::List<Site, 8>::add_piece(Site)";
    CHECK(shorten(add, 60) == "analyzer::memory::(anon)::List<Site, 8>::add_piece");
    CHECK(shorten(add, 47) == "analyzer::memory::(anon)::List<...>::add_piece");
    CHECK(shorten(add, 40) == "...List<Site, 8>::add_piece");
    CHECK(shorten(add, 24) == "...List<...>::add_piece");
    // The function alone says too little, unless there is little room.
    CHECK(shorten("a::ClassWithAVeryLongName::run()", 24) == "a::Clas...yLongName::run");
    CHECK(shorten("a::ClassWithAVeryLongName::run_all_of_it()", 24) == "...run_all_of_it");
    CHECK(shorten("a::b::NodeJoin::find_child<a::b::Node>(int)", 30) ==
          "...NodeJoin::find_child<...>");
    CHECK(shorten("a::b::NodeJoin::find_child<a::b::Node>(int)", 23) == "...NodeJoin::find_child");
    CHECK(shorten("a::b::NodeJoin::find_child<a::b::Node>(int)", 15) == "...find_child");
    CHECK(shorten("at::native::add_kernel(int)::{lambda()#1}::operator()() const", 40) ==
          "...add_kernel::{lambda#1}::operator()");
    CHECK(shorten("at::native::add_kernel(int)::{lambda()#1}::operator()() const", 30) ==
          "at::nativ...bda#1}::operator()");
}

TEST_CASE("Rust traits stay readable") {
    CHECK(shorten("<alloc::vec::Vec<T,A> as core::fmt::Debug>::fmt") ==
          "<alloc::vec::Vec<T, A> as core::fmt::Debug>::fmt");
}

TEST_CASE("no name is wider than it may be, however broken") {
    for (const char* name : {"a<b<c<d>::e", "f(((((", ">>>>", "operator", "x::operator<", ")(",
                             "<>", "a very strange, unbalanced [name", ""}) {
        for (const size_t width : {1, 5, 12, 200}) {
            INFO(name << " in " << width);
            CHECK(display_width(shorten(name, width)) <= width);
        }
    }
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "a<(";
    CHECK(display_width(shorten(deep, 40)) <= 40);
    CHECK(shorten("[stack cut: code without unwind data]") ==
          "[stack cut: code without unwind data]");
}
