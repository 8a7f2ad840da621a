// SPDX-License-Identifier: Apache-2.0
#include "preload/base/own_memory.h"

#include <set>
#include <utility>

#include "preload/base/fixed_text.h"
#include "preload/base/sys.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

std::set<std::pair<uint64_t, uint64_t>> own_mappings() {
    std::set<std::pair<uint64_t, uint64_t>> found;
    own_memory::for_each([&](uint64_t begin, uint64_t end) { found.insert({begin, end}); });
    return found;
}

}  // namespace

TEST_CASE("what the shim maps is in the list of its own memory until it is unmapped") {
    constexpr size_t bytes = 3 << 12;
    void* const pages = sys::map_private(bytes);
    const auto begin = reinterpret_cast<uint64_t>(pages);
    CHECK(own_mappings().contains({begin, begin + bytes}));
    sys::unmap(pages, bytes);
    CHECK_FALSE(own_mappings().contains({begin, begin + bytes}));
}

TEST_CASE("removing what is not in the list changes nothing") {
    const auto before = own_mappings();
    own_memory::remove(0x1234000);
    CHECK(own_mappings() == before);
}

TEST_CASE("what comes and goes for every job takes one place of the list", "[own_memory]") {
    own_memory::add(0x7000, 0x1000);
    own_memory::remove(0x7000);
    const uint32_t before = own_memory::mapping_count.load();
    for (int i = 0; i < 100; ++i) {
        const sys::MappedItem<Path> text;
        REQUIRE(text);
        *text << "abc";
        CHECK(text->view() == "abc");
    }
    CHECK(own_memory::mapping_count.load() <= before);
}
