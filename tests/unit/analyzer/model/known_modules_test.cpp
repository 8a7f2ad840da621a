// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/known_modules.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the library of greenlets is known by its name") {
    CHECK(is_greenlet_module("/v/greenlet/_greenlet.cpython-311-x86_64-linux-gnu.so"));
    CHECK(is_greenlet_module("/v/greenlet.so"));
    CHECK_FALSE(is_greenlet_module("/v/gevent/_gevent_cgreenlet.cpython-311.so"));
    CHECK_FALSE(is_greenlet_module(""));
}

TEST_CASE("the shim is known by its name, with a version behind it or without") {
    CHECK(is_shim_module("/opt/memtrace/libmemtrace.so"));
    CHECK(is_shim_module("libmemtrace.so.1"));
    CHECK_FALSE(is_shim_module("/opt/libmemtrace.so/libother.so"));
    CHECK_FALSE(is_shim_module(""));
}
