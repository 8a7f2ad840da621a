// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/gzip_stream.h"

#include <string>

#include "tests/unit/analyzer/export/exports.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string packed(const std::vector<std::string>& pieces) {
    std::string out;
    const std::function<void(std::string_view)> write = [&](std::string_view piece) {
        out += piece;
    };
    GzipStream stream(write);
    for (const std::string& piece : pieces) stream.write(piece);
    stream.finish();
    return out;
}

}  // namespace

TEST_CASE("gzip: what is written in pieces is read as a whole") {
    std::string noise;
    for (uint32_t i = 0, x = 1; i < 300'000; ++i) {
        x = x * 1664525 + 1013904223;
        noise += static_cast<char>(x >> 24);
    }
    CHECK(gunzipped(packed({"one ", "", noise, " two"})) == "one " + noise + " two");
    CHECK(gunzipped(packed({})).empty());
}

TEST_CASE("gzip: equal contents give equal files") { CHECK(packed({"a", "b"}) == packed({"ab"})); }
