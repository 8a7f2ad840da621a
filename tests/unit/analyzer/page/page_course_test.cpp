// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_course.h"

#include <memory>

#include "analyzer/model/run_watch.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("page course: the least and the most in each slice, as differences") {
    auto watch = std::make_shared<RunWatch>();
    HeldCurve& curve = watch->spaces["host"].curve;
    curve.begin_ns = 5;
    curve.slices = {{.end_ns = 105, .lowest = 0, .highest = 900, .last = 10},
                    {.end_ns = 205, .lowest = 10, .highest = 10, .last = 10}};
    Model model;
    model.watch = watch;
    Space host, mmap;
    host.name = "host";
    mmap.name = "mmap";
    CHECK(course_ends_json(model) == Json({5, 100, 100}));
    CHECK(course_json(model, host)["lowest"] == Json({0, 10}));
    CHECK(course_json(model, host)["highest"] == Json({900, -890}));
    CHECK(course_json(model, mmap).is_null());
}

TEST_CASE("page course: a profile has none") {
    CHECK(course_ends_json({}).empty());
    CHECK(course_json({}, {}).is_null());
}

TEST_CASE("page course: the largest blocks are columns, in microseconds") {
    auto watch = std::make_shared<RunWatch>();
    watch->spaces["host"].largest = {
        {.begin = 2000, .end = 5000, .bytes = 10, .site = 7},
        {.begin = 4000, .end = 0, .bytes = 900, .site = 9, .is_alive = true},
        {.begin = 9000, .end = 9500, .bytes = 20, .site = 7}};
    Model model;
    model.watch = watch;
    Space host;
    host.name = "host";
    host.numbers = {9, 7};
    PageSpace page;
    page.of_sites = {0, 4};
    CHECK(blocks_json(model, host, page, 10) == Json::parse(R"({"site": [4, 0, 4],
        "begin": [2, 2, 5], "life": [3, -1, 0], "bytes": [10, 900, 20]})"));
    // Of too many, the largest stay.
    CHECK(blocks_json(model, host, page, 2)["bytes"] == Json({900, 20}));
    host.is_estimate = true;
    CHECK(blocks_json(model, host, page, 10).is_null());
}
