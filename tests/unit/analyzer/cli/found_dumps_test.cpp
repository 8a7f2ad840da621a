// SPDX-License-Identifier: Apache-2.0
//
// The dump that is read if none is named, and dumps of one process from before and after exec.
#include "analyzer/cli/found_dumps.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "memtrace/dump/hash.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

using Paths = std::vector<std::string>;

class Dumps {
public:
    std::string path(const std::string& name) const { return (place_.path / name).string(); }
    std::string folder() const { return place_.path; }

    void make(const std::string& name, int seconds, uint64_t pid = 1, uint64_t start = 1,
              uint64_t began = 1) {
        FileHeader header{};
        std::memcpy(header.magic, file_magic, sizeof file_magic);
        header.pid = pid;
        header.process_start = start;
        header.ticks_zero = began;
        header.checksum = hash_bytes(&header, header_checksum_offset);
        std::ofstream(path(name)).write(reinterpret_cast<const char*>(&header), sizeof header);
        std::filesystem::last_write_time(path(name), now_ + std::chrono::seconds(seconds));
    }

private:
    Folder place_;
    std::filesystem::file_time_type now_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace

TEST_CASE("the newest dump of a folder has the default name, or one that replaced it") {
    Dumps dumps;
    CHECK_FALSE(newest_dump(dumps.folder()).has_value());
    dumps.make("memtrace.old.1.bin", -60);
    dumps.make("memtrace.new.2.bin", -30);
    dumps.make("memtrace.newer.3.bin.json", -20);
    dumps.make("memtrace.newer.3.bin.before.3.1", -20);
    dumps.make("memtrace.4", -20);
    dumps.make("other.bin", -10);
    dumps.make("other.bin.5", -10);
    std::filesystem::create_directories(dumps.path("memtrace.folder.bin"));
    CHECK(newest_dump(dumps.folder()) == dumps.path("memtrace.new.2.bin"));
    dumps.make("memtrace.new.2.bin.2", -29);
    CHECK(newest_dump(dumps.folder()) == dumps.path("memtrace.new.2.bin.2"));
    dumps.make("memtrace.new.2.bin.2.3", -28);
    CHECK(newest_dump(dumps.folder()) == dumps.path("memtrace.new.2.bin.2.3"));
    CHECK_FALSE(newest_dump(dumps.path("missing")).has_value());
}

TEST_CASE("of dumps with the same time, the one that began last is the newest") {
    for (const bool is_first : {true, false}) {
        Dumps dumps;
        dumps.make("memtrace.a.7.bin", -5, 7, 70, is_first ? 200 : 100);
        dumps.make("memtrace.b.7.bin", -5, 7, 70, is_first ? 100 : 200);
        CHECK(newest_dump(dumps.folder()) ==
              dumps.path(is_first ? "memtrace.a.7.bin" : "memtrace.b.7.bin"));
    }
}

TEST_CASE("images of one process are found beside each other") {
    Dumps dumps;
    dumps.make("memtrace.a.7.bin.before.7.1", -5, 7, 70, 100);
    dumps.make("memtrace.a.7.bin", -3, 7, 70, 200);
    dumps.make("memtrace.b.7.bin", -1, 7, 70, 300);
    dumps.make("memtrace.a.7.bin.77", -1, 7, 71, 50);  // an earlier process of this pid
    dumps.make("memtrace.c.77.bin", -1, 77, 70, 50);   // another process
    dumps.make("small.7.bin", -1, 7, 70, 200);         // a copy of the second
    std::ofstream(dumps.path("memtrace.d.7.bin")) << "no dump";

    const OtherImages of_second = find_other_images(dumps.path("memtrace.a.7.bin"));
    CHECK(of_second.earlier == Paths{dumps.path("memtrace.a.7.bin.before.7.1")});
    CHECK(of_second.later == Paths{dumps.path("memtrace.b.7.bin")});
    CHECK(find_other_images(dumps.path("memtrace.c.77.bin")).earlier.empty());
    CHECK(find_other_images(dumps.path("missing")).later.empty());

    Model model;
    note_other_images(model, dumps.path("memtrace.b.7.bin"));
    REQUIRE(model.notes.size() == 1);
    CHECK_THAT(model.notes[0].text,
               Catch::Matchers::Contains("in " + dumps.path("memtrace.a.7.bin.before.7.1") + ", " +
                                         dumps.path("memtrace.a.7.bin") + "."));
}

TEST_CASE("a fixed name finds what was put aside, and the other way round") {
    Dumps dumps;
    dumps.make("run.bin.before.7.1", -5, 7, 70, 100);
    dumps.make("run.bin", -3, 7, 70, 200);
    CHECK(find_other_images(dumps.path("run.bin")).earlier ==
          Paths{dumps.path("run.bin.before.7.1")});
    CHECK(find_other_images(dumps.path("run.bin.before.7.1")).later ==
          Paths{dumps.path("run.bin")});
}
