// SPDX-License-Identifier: Apache-2.0
//
// A report is written, or an Error contains the reason.
#include "analyzer/base/report_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "analyzer/base/error.h"
#include "memtrace/dump/format.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;
using memtrace::file_magic;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

auto count_in(const std::filesystem::path& folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
}

}  // namespace

TEST_CASE("what was written is in the file") {
    const Folder place;
    const auto path = place.path / "report.json";
    ReportOutput output(path);
    output.write("one ");
    output.write("two");
    output.finish();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    CHECK(line == "one two");
}

TEST_CASE("a file that cannot be made is named") {
    CHECK_THROWS_WITH(ReportOutput("/nonexistent/report.json"),
                      Contains("/nonexistent/report.json") && Contains("No such file"));
}

TEST_CASE("no report takes the place of a recording, and no profile that of a dump") {
    const Folder place;
    const std::string dump = (place.path / "run.bin").string();
    const std::string profile = (place.path / "run.profile").string();
    const std::string begin_of_dump(file_magic, sizeof file_magic);
    std::ofstream(dump) << begin_of_dump << " and events";
    std::ofstream(profile) << profile_magic << " and figures";
    const auto refused = [](const std::string& path, Replaces replaces) {
        CHECK_THROWS_WITH(ReportOutput(path, Readers::umask, replaces),
                          Contains(path) && Contains("would be lost"));
    };
    refused(dump, Replaces::reports);
    refused(dump, Replaces::profiles);
    refused(profile, Replaces::reports);
    CHECK(text_of(dump) == begin_of_dump + " and events");
    CHECK(count_in(place.path) == 2);
    replace_file(profile, "newer", Readers::owner, Replaces::profiles);
    CHECK(text_of(profile) == "newer");
    replace_file(dump, "compacted", Readers::owner, Replaces::recordings);
    CHECK(text_of(dump) == "compacted");
}

TEST_CASE("a full disk is noticed") {
    ReportOutput output("/dev/full");
    output.write(std::string(1 << 20, 'x'));
    CHECK_THROWS_WITH(output.finish(), Contains("/dev/full") && Contains("No space left"));
}

TEST_CASE("until it is whole, a file keeps its old contents; if it never is, nothing is left") {
    const Folder place;
    const std::string path = (place.path / "report.json").string();
    replace_file(path, "old");
    {
        ReportOutput output(path);
        output.write("half");
        CHECK(text_of(path) == "old");
    }
    CHECK(text_of(path) == "old");
    CHECK(count_in(place.path) == 1);
    ReportOutput output(path);
    output.write("new");
    output.finish();
    CHECK(text_of(path) == "new");
    CHECK(count_in(place.path) == 1);
}

TEST_CASE("a replaced file keeps its mode, and one that may not be written stays") {
    const Folder place;
    const std::string path = (place.path / "report.json").string();
    replace_file(path, "old");
    chmod(path.c_str(), 0640);
    replace_file(path, "new");
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms{0640});
    if (geteuid() == 0) return;  // nothing is read-only for root
    chmod(path.c_str(), 0440);
    CHECK_THROWS_WITH(ReportOutput(path), Contains("Permission denied"));
    CHECK(text_of(path) == "new");
}

TEST_CASE("pipes and descriptors are written directly") {
    const Folder place;
    const std::string path = (place.path / "pipe").string();
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    replace_file(path, "through");
    char bytes[16] = {};
    CHECK(read(reader, bytes, sizeof bytes) == 7);
    CHECK(std::string(bytes) == "through");
    close(reader);
    // A descriptor of a regular file: what is written must reach the open file.
    const std::string file = (place.path / "file").string();
    const int open_file = open(file.c_str(), O_CREAT | O_RDWR, 0600);
    std::filesystem::create_symlink(fmt::format("/dev/fd/{}", open_file), place.path / "link");
    replace_file((place.path / "link").string(), "straight");
    CHECK(pread(open_file, bytes, sizeof bytes, 0) == 8);
    CHECK(std::filesystem::is_fifo(path));
    CHECK(count_in(place.path) == 3);
    close(open_file);
}

TEST_CASE("a file is replaced as a whole, through a link too, and nothing is left beside it") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    replace_file(path, "old");
    std::filesystem::create_symlink(path, place.path / "link.json");
    replace_file((place.path / "link.json").string(), "new");
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "new");
    CHECK(std::filesystem::is_symlink(place.path / "link.json"));
    CHECK(std::distance(std::filesystem::directory_iterator(place.path), {}) == 2);
    CHECK_THROWS_AS(replace_file((place.path / "missing" / "x").string(), "new"), Error);
}

TEST_CASE("a new file is for its owner alone if it has to be, and an old one keeps its mode") {
    const Folder place;
    const auto mode_of = [](const std::string& path) {
        struct stat about {};
        stat(path.c_str(), &about);
        return about.st_mode & 07777;
    };
    const mode_t before = umask(0);
    const std::string path = (place.path / "report.json").string();
    replace_file(path, "1", Readers::owner);
    CHECK(mode_of(path) == 0600);
    replace_file((place.path / "baseline.json").string(), "1");
    CHECK(mode_of((place.path / "baseline.json").string()) == 0666);
    chmod(path.c_str(), 0640);
    replace_file(path, "2", Readers::owner);
    CHECK(mode_of(path) == 0640);
    umask(before);
}

TEST_CASE("the names of new files cannot be guessed, and no two are the same") {
    const Folder place;
    const std::string path = (place.path / "report.json").string();
    std::set<std::string> names;
    for (int i = 0; i < 5; ++i) {
        ReportOutput output(path);
        for (const auto& entry : std::filesystem::directory_iterator(place.path)) {
            const std::string name = entry.path().filename().string();
            CHECK(name.starts_with("report.json."));
            CHECK(name.size() == std::string("report.json.0123456789abcdef.new").size());
            CHECK(name.find(std::to_string(getpid())) == std::string::npos);
            names.insert(name);
        }
    }
    CHECK(names.size() == 5);
}
