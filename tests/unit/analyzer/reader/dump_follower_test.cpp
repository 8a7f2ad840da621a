// SPDX-License-Identifier: Apache-2.0
//
// A dump is read while it grows, and each event is seen once.
#include "analyzer/reader/dump_follower.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>

#include "analyzer/reader/event_stream.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

struct Seen {
    uint32_t lane;
    uint64_t time;
    std::string what;
    auto operator<=>(const Seen&) const = default;
};

Seen seen_of(uint32_t lane, const Event& event) {
    if (const auto* acquire = record_if<Acquire>(event)) {
        return {lane, acquire->time, "acquire " + std::to_string(acquire->address)};
    }
    if (const auto* note = record_if<Note>(event))
        return {lane, note->time, std::string(note->text)};
    return {lane, event.key / 2, "other"};
}

// What a reader sees of the dump when it has come to its end.
std::vector<Seen> read_at_the_end(const std::string& path) {
    Problems problems;
    DumpFile file(path, problems);
    const DumpIndex index = index_dump(file, problems);
    EventStream stream(file, index, problems);
    std::vector<Seen> all;
    stream.run([&](size_t lane, const Event& event) {
        all.push_back(seen_of(stream.lane_number(lane), event));
    });
    REQUIRE_FALSE(problems.damaged());
    return all;
}

// A file that is written again and again, longer each time, as its program would.
class GrowingFile {
public:
    explicit GrowingFile(DumpBuilder& dump) : dump_(dump), file_(dump.bytes()) {}
    std::string path() const { return file_.path(); }
    void write() { write(dump_.bytes()); }
    void write(const Bytes& bytes) {
        std::fstream out(file_.path(), std::ios::in | std::ios::out | std::ios::binary);
        out.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
    }

private:
    DumpBuilder& dump_;
    TempFile file_;
};

// Follows a file, event by event.
class Following {
public:
    explicit Following(const std::string& path) : file_(path, problems_) {
        stream_.set_grows(true);
    }
    // Reads what is there, up to this time.
    void look(uint64_t time) {
        follower_.look();
        for (; lanes_ < follower_.lanes().size(); ++lanes_)
            stream_.add_lane(follower_.lanes()[lanes_]);
        stream_.run_until(
            time == all ? all : last_key(time),
            [&](size_t lane, const Event& event) {
                seen.push_back(seen_of(stream_.lane_number(lane), event));
            },
            [](const Event&, bool) {});
    }
    void end() {
        stream_.set_grows(false);
        look(all);
    }
    uint64_t late() const { return stream_.late(); }
    bool damaged() const { return problems_.damaged(); }

    static constexpr uint64_t all = ~uint64_t{0};
    std::vector<Seen> seen;

private:
    Problems problems_;
    DumpFile file_;
    DumpFollower follower_{file_, problems_, nullptr};
    EventStream stream_{file_, {}, problems_};
    size_t lanes_ = 0;
};

}  // namespace

TEST_CASE("what was read from a ring is not read again from the chunk that it moves to") {
    DumpBuilder dump;
    dump.add(0, Acquire{1, Api::malloc, 0, 8, 0x1000});
    dump.add(0, Acquire{2, Api::malloc, 0, 8, 0x2000});
    GrowingFile file(dump);
    Following following(file.path());
    following.look(Following::all);
    CHECK(following.seen.size() == 2);
    dump.add(0, Acquire{3, Api::malloc, 0, 8, 0x3000}).end_chunk(0);
    dump.add(0, Acquire{4, Api::malloc, 0, 8, 0x4000});
    file.write();
    following.look(Following::all);
    CHECK(following.seen == read_at_the_end(file.path()));
}

TEST_CASE("a chunk that is written later than one behind it is found when it is there") {
    DumpBuilder before, after;
    for (DumpBuilder* dump : {&before, &after}) {
        dump->add(0, Acquire{1, Api::malloc, 0, 8, 0x1000});
        dump->add(1, Acquire{2, Api::malloc, 0, 8, 0x2000});
    }
    before.die_while_writing_chunk(0, 20).end_chunk(1);
    after.end_chunk(0).end_chunk(1);
    GrowingFile file(before);
    Following following(file.path());
    following.look(Following::all);
    CHECK(following.seen.size() == 2);
    file.write(after.bytes());
    following.look(Following::all);
    CHECK(following.seen == read_at_the_end(file.path()));
    CHECK_FALSE(following.damaged());
}

TEST_CASE("an event that comes too late is counted, and seen") {
    DumpBuilder dump;
    dump.add(0, Acquire{10, Api::malloc, 0, 8, 0x1000});
    dump.add(1, Acquire{1, Api::malloc, 0, 8, 0x2000});
    GrowingFile file(dump);
    Following following(file.path());
    following.look(100);
    CHECK(following.late() == 0);
    dump.add(1, Acquire{50, Api::malloc, 0, 8, 0x3000});
    file.write();
    following.look(200);
    CHECK(following.late() == 1);
    CHECK(following.seen.size() == 3);
}

TEST_CASE("however a dump grows and whenever it is looked at, each event is seen once, in order") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        DumpBuilder dump;
        const unsigned lanes = 1 + random() % 5;
        dump.add(lane_none, Process{});
        GrowingFile file(dump);
        Following following(file.path());
        uint64_t time = 1;
        for (int i = 0; i < 600; ++i) {
            const auto lane = static_cast<uint32_t>(random() % lanes);
            time += random() % 3;
            switch (random() % 12) {
                case 0:
                    dump.add(lane, Note{time, "subject", std::string(random() % 90, 'x')});
                    break;
                case 1: dump.end_chunk(lane); break;
                case 2:
                    file.write();
                    following.look(time);
                    break;
                case 3:
                    // What is newer waits for the next look.
                    file.write();
                    following.look(time - std::min<uint64_t>(time, random() % 20));
                    break;
                default: dump.add(lane, Acquire{time, Api::malloc, 0, 8, 0x1000u + time * 16});
            }
            time += 1;
        }
        file.write();
        following.end();
        CHECK(following.late() == 0);
        CHECK_FALSE(following.damaged());
        std::vector<Seen> expected = read_at_the_end(file.path());
        REQUIRE(following.seen == expected);
    }
}
