// SPDX-License-Identifier: Apache-2.0
//
// Names without everything that differs in another build or on another machine.
#include "analyzer/frames/stable_name.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("clones, parameters and numbers of lambdas go") {
    CHECK(stable_function("foo(int) [clone .isra.0]") == "foo");
    CHECK(stable_function("foo.constprop.0") == "foo");
    CHECK(stable_function("foo.part.3.cold") == "foo");
    CHECK(stable_function("a::run()::{lambda(int)#2}::operator()(int) const") ==
          stable_function("a::run()::{lambda(int)#1}::operator()(int) const"));
    CHECK(stable_function("run()::$_3::operator()() const") ==
          stable_function("run()::$_0::operator()() const"));
    CHECK(stable_function(".cold") == ".cold");
    CHECK(stable_function("operator new(unsigned long)") == "operator new");
}

TEST_CASE("a module has no folder, no version and no tag of its build") {
    CHECK(stable_module("/usr/lib/x86_64-linux-gnu/libxml2.so.2.9.14") == "libxml2.so");
    CHECK(stable_module("/lib/libc-2.31.so") == "libc.so");
    CHECK(stable_module("/x/torch.libs/libgomp-a34b3233.so.1.0.0") == "libgomp.so");
    CHECK(stable_module("/x/_core.cpython-311-x86_64-linux-gnu.so") == "_core");
    CHECK(stable_module("/x/_rust.abi3.so") == "_rust");
    CHECK(stable_module("/usr/lib/libpython3.11.so.1.0") == "libpython.so");
    CHECK(stable_module("/usr/bin/python3.13") == "python");
    CHECK(stable_module("/home/me/build-1234/train") == "train");
}

TEST_CASE("a file of a package is named from the package on, another by its last part") {
    CHECK(stable_file("/v/lib/python3.11/site-packages/torch/nn/init.py") == "torch/nn/init.py");
    CHECK(stable_file("/usr/lib/python3/dist-packages/numpy/core.py") == "numpy/core.py");
    CHECK(stable_file("/opt/python3/lib/python3.13t/json/decoder.py") == "json/decoder.py");
    CHECK(stable_file("/home/me/project/src/train.py") == "train.py");
    CHECK(stable_file("/home/me/project/model/__init__.py") == "model/__init__.py");
    CHECK(stable_file("__init__.py") == "__init__.py");
    CHECK(stable_file("<string>") == "<string>");
}
