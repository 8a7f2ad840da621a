// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/import_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the import machinery is importlib's frozen code") {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = "_find_and_load";
    frame.file = "<frozen importlib._bootstrap>";
    CHECK(is_import_frame(frame));
    frame.file = "<frozen importlib._bootstrap_external>";
    CHECK(is_import_frame(frame));
    frame.file = "<frozen os>";
    CHECK_FALSE(is_import_frame(frame));
    frame.file = "/usr/lib/python3.11/importlib/metadata/__init__.py";
    CHECK_FALSE(is_import_frame(frame));
    CHECK_FALSE(is_module_frame(frame));
    frame.function = "<module>";
    CHECK(is_module_frame(frame));
}

TEST_CASE("a package has the name by which it is imported") {
    const std::string site = "/v/lib/python3.11/site-packages/";
    CHECK(top_package(site + "torch/nn/init.py") == "torch");
    CHECK(top_package(site + "six.py") == "six");
    CHECK(top_package(site + "_cffi_backend.cpython-311-x86_64-linux-gnu.so") == "_cffi_backend");
    CHECK(top_package("/usr/lib/python3/dist-packages/yaml/__init__.py") == "yaml");
    CHECK(top_package("/usr/lib/python3.11/json/decoder.py") == "json");
    CHECK(top_package("/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311.so") == "_ctypes");
    CHECK(top_package("<frozen os>") == "os");
    CHECK(top_package("<frozen zipimport.x>") == "zipimport");
    CHECK(top_package("/home/me/model.py") == "model");
    CHECK(top_package("/home/me/model/__init__.py") == "model");
    CHECK(top_package("__init__.py").empty());
    CHECK(top_package("<string>").empty());
    CHECK(top_package("").empty());
}

TEST_CASE("Python itself is no installed package") {
    CHECK(is_in_installed_package("/v/lib/python3.11/site-packages/torch/__init__.py"));
    CHECK(is_in_installed_package("/usr/lib/python3/dist-packages/yaml/__init__.py"));
    CHECK_FALSE(is_in_installed_package("/usr/lib/python3.11/json/decoder.py"));
    CHECK_FALSE(is_in_installed_package("/home/me/model.py"));
}
