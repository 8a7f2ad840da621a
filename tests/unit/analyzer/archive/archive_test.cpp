// SPDX-License-Identifier: Apache-2.0
#include "analyzer/archive/archive.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "analyzer/base/long_list.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/large_table.h"
#include "analyzer/spaces/packed_points.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

struct Named {
    std::string name;
    std::optional<uint64_t> number;
    static void state(auto& self, auto& each) { each(self.name, self.number); }
};

class Store {
public:
    void keep(std::string name, uint64_t number) { all_[number].push_back({name, number}); }
    const std::map<uint64_t, std::vector<Named>>& all() const { return all_; }
    static void state(auto& self, auto& each) { each(self.all_, self.bits_); }

private:
    std::map<uint64_t, std::vector<Named>> all_;
    std::vector<bool> bits_{true, false, true};
};

std::string bytes_of(auto&& value) {
    std::string bytes;
    ArchiveWriter writer([&bytes](std::string_view piece) { bytes += piece; });
    writer(value);
    writer.end();
    return bytes;
}

void read(const std::string& bytes, auto& value) {
    ArchiveReader reader(bytes);
    reader(value);
}

template <class T>
T copied(T& value) {
    const std::string bytes = bytes_of(value);
    ArchiveReader reader(bytes);
    T copy{};
    reader(copy);
    reader.end();
    return copy;
}

}  // namespace

TEST_CASE("a class comes back with all that it holds", "[archive]") {
    Store store;
    store.keep("a", 1);
    store.keep("b", 1);
    store.keep("", 7);
    const Store copy = copied(store);
    REQUIRE(copy.all().at(1).at(1).name == "b");
    REQUIRE(copy.all().at(7).at(0).number == 7);
    REQUIRE(bytes_of(copy) == bytes_of(store));
}

TEST_CASE("lists, sets, tuples and empty values come back", "[archive]") {
    std::set<std::string> words{"x", "yy", ""};
    REQUIRE(copied(words) == words);
    std::vector<std::tuple<int, std::string>> tuples{{-3, "minus"}, {4, "four"}};
    REQUIRE(copied(tuples) == tuples);
    std::optional<std::string> nothing;
    REQUIRE_FALSE(copied(nothing));
    LongList<uint64_t> list;
    for (uint64_t i = 0; i < 100'000; ++i) list.push_back(i * i);
    const LongList<uint64_t> copy = copied(list);
    REQUIRE(copy.size() == list.size());
    REQUIRE(copy[99'999] == list[99'999]);
}

TEST_CASE("lists of values come back, in whatever pieces they are read", "[archive]") {
    struct Row {
        uint64_t wide;
        uint16_t narrow;
        auto operator<=>(const Row&) const = default;
    };
    for (const size_t rows : {size_t{0}, size_t{1}, archived::rows_max, size_t{50'001}}) {
        std::vector<Row> list;
        for (uint64_t i = 0; i < rows; ++i) list.push_back({i * i, static_cast<uint16_t>(~i)});
        const std::string bytes = bytes_of(list);
        for (const size_t piece : {size_t{1}, size_t{13}, size_t{100'000}}) {
            std::string_view left = bytes;
            ArchiveReader reader(bytes.size(), [&] {
                const std::string_view next = left.substr(0, piece);
                left.remove_prefix(next.size());
                return next;
            });
            std::vector<Row> copy;
            reader(copy);
            reader.end();
            REQUIRE(copy == list);
        }
    }
}

TEST_CASE("a source that gives more than it said is refused", "[archive]") {
    std::vector<std::string> words{"one", "two"};
    const std::string bytes = bytes_of(words);
    ArchiveReader reader(bytes.size() - 1, [&] { return std::string_view(bytes); });
    REQUIRE_THROWS_AS(reader(words), BadArchive);
}

TEST_CASE("a heap goes on where it was", "[archive]") {
    HeapSpace heap, other;
    heap.acquire(0x1000, 100, 1, 10, 0);
    heap.acquire(0x2000, 50, 2, 20, 1);
    const std::string bytes = bytes_of(heap);
    read(bytes, other);
    REQUIRE(other.is_sound());
    for (HeapSpace* one : {&heap, &other}) {
        REQUIRE(one->release(0x2000, 1) == HeapSpace::Fault::none);  // a temporary block
        one->acquire(0x3000, 500, 2, 40, 0);
    }
    const Space a = heap.counter().finish(), b = other.counter().finish();
    REQUIRE(a.totals == b.totals);
    REQUIRE(b.totals.temporary == 1);
    REQUIRE(b.totals.at_peak_bytes == 600);
    REQUIRE(b.sites[1].totals == a.sites[1].totals);
}

TEST_CASE("bytes that end too early, or go on, are refused", "[archive]") {
    std::vector<std::string> words{"one", "two"};
    const std::string bytes = bytes_of(words);
    for (size_t length = 0; length < bytes.size(); ++length) {
        ArchiveReader reader(std::string_view(bytes).substr(0, length));
        std::vector<std::string> copy;
        REQUIRE_THROWS_AS(reader(copy), BadArchive);
    }
    const std::string more = bytes + "x";
    ArchiveReader reader(more);
    reader(words);
    REQUIRE_THROWS_AS(reader.end(), BadArchive);
}

TEST_CASE("a length that cannot be takes no memory", "[archive]") {
    std::string bytes = bytes_of(uint64_t{1} << 60) + "some";
    std::vector<std::string> words;
    REQUIRE_THROWS_AS(read(bytes, words), BadArchive);
    std::string text;
    REQUIRE_THROWS_AS(read(bytes, text), BadArchive);
}

TEST_CASE("objects of another form are refused", "[archive]") {
    const std::string bytes = bytes_of(uint32_t{7});
    uint64_t number = 0;
    REQUIRE_THROWS_WITH(read(bytes, number), "its objects have another form");
}

TEST_CASE("a block of a call site that is not there is noticed", "[archive]") {
    HeapSpace heap, other;
    heap.acquire(0x1000, 100, 1, 10, 0);
    std::string bytes = bytes_of(heap);
    // The block is the last entry of the table: size, number, site, resizer.
    const size_t at = bytes.find(std::string("\x64\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0", 20));
    REQUIRE(at != std::string::npos);
    bytes[at + 16] = 9;
    read(bytes, other);
    REQUIRE_FALSE(other.is_sound());
}

TEST_CASE("a point of a history that is cut short is noticed", "[archive]") {
    PackedStream points;
    points.write({1, 2, 300, 1, 1, 300});
    std::string bytes = bytes_of(points);
    const size_t at = bytes.find("\x01\x04\xd8\x04\x02\x02\xd8\x04");
    REQUIRE(at != std::string::npos);
    PackedStream same, other;
    read(bytes, same);
    CutPoint point;
    REQUIRE(same.read(point));
    REQUIRE(point.allocated_bytes == 300);
    bytes[at + 7] = '\x84';  // Its last byte says that another one follows.
    REQUIRE_THROWS_AS(read(bytes, other), BadArchive);
}
