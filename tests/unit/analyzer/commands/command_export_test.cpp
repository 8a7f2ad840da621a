// SPDX-License-Identifier: Apache-2.0
//
// `export` writes one file for each dump, beside it unless -o names another place.
#include <fstream>
#include <iterator>

#include "tests/tools/files.h"
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("export: the format is typed, or that of the file's suffix") {
    CHECK(request_of({"export", "a.bin", "--format", "pprof"}).format->name == "pprof");
    CHECK(request_of({"export", "a.bin", "-o", "x.speedscope.json"}).format->name == "speedscope");
    CHECK(request_of({"export", "a.bin", "-o", "x.pb.gz", "--format", "collapsed"}).format->name ==
          "collapsed");
    CHECK(is_refused({"export", "a.bin"}));
    CHECK(is_refused({"export", "a.bin", "-o", "x.json"}));
    CHECK(is_refused({"export", "a.bin", "--format", "svg"}));
}

TEST_CASE("export: the measure is one of four, and the peak if none is typed") {
    CHECK(request_of({"export", "a.bin", "--format", "pprof"}).measure == ExportMeasure::peak);
    CHECK(request_of({"export", "a.bin", "--format", "pprof", "--measure", "held"}).measure ==
          ExportMeasure::held);
    CHECK(is_refused({"export", "a.bin", "--format", "pprof", "--measure", "own-peak"}));
}

TEST_CASE("export: several dumps have a file each, and there is no JSON") {
    CHECK(is_refused({"export", "a.bin", "b.bin", "--format", "pprof", "-o", "c"}));
    CHECK(is_refused({"export", "a.bin", "--format", "pprof", "--json", "-"}));
    CHECK(request_of({"export", "a.bin", "b.bin", "--format", "pprof"}).dumps.size() == 2);
}

TEST_CASE("export: the file lies beside the dump under the format's suffix") {
    const memtrace::test::TempFolder place;
    Recording recording = training().recording;
    recording.path = place.file("run.bin");
    const std::string text =
        output_of(request_of({"export", "x", "--format", "collapsed", "-o", "-"}), recording).text;
    CHECK_THAT(text, Contains("host;main"));
    CHECK(output_of(request_of({"export", "x", "--format", "collapsed"}), recording).text.empty());
    CHECK(contents(place.file("run.collapsed.txt")) == text);
}

TEST_CASE("export: a recording is not overwritten by its export") {
    const memtrace::test::TempFolder place;
    Recording recording = training().recording;
    recording.path = place.file("run.bin");
    memtrace::test::write_file(recording.path, {1, 2, 3});
    const Request request =
        request_of({"export", "x", "--format", "pprof", "-o", recording.path.c_str()});
    CHECK_THROWS_WITH(output_of(request, recording), Contains("the recording itself"));
    CHECK(contents(recording.path) == "\1\2\3");
}
