// SPDX-License-Identifier: Apache-2.0
//
// The list of mappings must tell what the loader tells, for every loaded object.
#include "preload/loader/mapped_object.h"

#include <dlfcn.h>
#include <link.h>

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

constexpr std::string_view maps =
    "00400000-00401000 r--p 00000000 08:01 77 /bin/a\n"
    "00401000-00402000 r-xp 00001000 08:01 77 /bin/a\n"
    "00402000-00403000 rw-p 00000000 00:00 0\n"
    "01000000-01001000 rw-p 00000000 00:00 0 [heap]\n"
    "7f0000000000-7f0000001000 r--p 00000000 08:01 78 /lib/with 'a space' 3-4\n"
    "7f0000001000-7f0000002000 r-xp 00001000 08:01 78 /lib/with 'a space' 3-4\n"
    "7ffe00000000-7ffe00001000 r-xp 00000000 00:00 0 [vdso]\n";

uint64_t begin_for(uint64_t address, size_t piece = maps.size()) {
    FileBegin begin(address, 0x7ffe00000000);
    for (size_t at = 0; at < maps.size(); at += piece) {
        if (!begin.read(maps.substr(at, piece))) break;
    }
    return begin.get();
}

std::vector<const void*> addresses() {
    std::vector<const void*> found;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* context) {
            for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
                const auto& header = object->dlpi_phdr[i];
                if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
                const uint64_t begin = object->dlpi_addr + header.p_vaddr;
                for (const uint64_t at :
                     {begin, begin + header.p_memsz / 2, begin + header.p_memsz - 1}) {
                    static_cast<std::vector<const void*>*>(context)->push_back(
                        reinterpret_cast<const void*>(at));
                }
            }
            return 0;
        },
        &found);
    return found;
}

bool is_same(const dl_find_object& one, const dl_find_object& other) {
    return one.dlfo_map_start == other.dlfo_map_start && one.dlfo_link_map == other.dlfo_link_map &&
           one.dlfo_eh_frame == other.dlfo_eh_frame;
}

}  // namespace

TEST_CASE("the begin of a file is found in the list, wherever its pieces end") {
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{64}, maps.size()}) {
        CHECK(begin_for(0x401234, piece) == 0x400000);
        CHECK(begin_for(0x402fff, piece) == 0x400000);
        CHECK(begin_for(0x7f0000001000, piece) == 0x7f0000000000);
        CHECK(begin_for(0x7ffe00000010, piece) == 0x7ffe00000000);
        CHECK(begin_for(0x1000, piece) == 0);
    }
}

TEST_CASE("each address of each loaded object leads to what the loader says") {
    for (int round = 0; round < 2; ++round) {  // The second time they are remembered.
        for (const void* address : addresses()) {
            dl_find_object wanted, found;
            REQUIRE(_dl_find_object(const_cast<void*>(address), &wanted) == 0);
            REQUIRE(find_mapped_object(address, found));
            CHECK(is_same(found, wanted));
        }
    }
}

TEST_CASE("what is in no object is not found") {
    dl_find_object found;
    int local = 0;
    const std::vector<int> heap(1000);
    CHECK_FALSE(find_mapped_object(&local, found));
    CHECK_FALSE(find_mapped_object(heap.data(), found));
    CHECK_FALSE(find_mapped_object(nullptr, found));
    CHECK_FALSE(find_mapped_object(reinterpret_cast<void*>(~uint64_t{0}), found));
}

TEST_CASE("a library that is gone is not found any more, and is found when it comes back") {
    for (int round = 0; round < 3; ++round) {
        void* const library = dlopen("libutil.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;  // not here
        const auto* map = static_cast<const link_map*>(library);
        const auto* const inside = reinterpret_cast<const void*>(map->l_ld);
        dl_find_object found;
        CHECK(find_mapped_object(inside, found));
        CHECK(found.dlfo_link_map == map);
        dlclose(library);
        CHECK_FALSE(find_mapped_object(inside, found));
    }
}
