// SPDX-License-Identifier: Apache-2.0
//
// tests/e2e/cases/doctor_allocators.py reads programs and libraries that a compiler has made.
#include "launcher/doctor/loaded_objects.h"

#include <filesystem>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("the list of the loader has paths, and names that are not found", "[launcher]") {
    LoadedObjects loaded;
    read_list(
        "\tlinux-vdso.so.1 (0x00007fa5d1e8b000)\n"
        "\t/x/lib my (2).so (0x00007fa5d0e00000)\n"
        "\tlibgone.so => not found\n"
        "\tlibc.so.6 => /lib/libc.so.6 (0x00007fa5d0c1e000)\n"
        "\tstatically linked\n"
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007fa5d1e8d000)",
        loaded);
    REQUIRE(loaded.objects.size() == 3);
    CHECK(loaded.objects[0].path == "/x/lib my (2).so");
    CHECK(loaded.objects[1].path == "/lib/libc.so.6");
    CHECK(loaded.missing == std::vector<std::string>{"libgone.so"});
}

TEST_CASE("this program finds malloc in its C library", "[launcher]") {
    const LoadedObjects loaded =
        read_loaded_objects(std::filesystem::read_symlink("/proc/self/exe").string(), {"free"});
    REQUIRE(loaded.objects.size() > 1);
    bool has_libc = false;
    for (const LoadedObject& object : loaded.objects) {
        const bool is_libc = object.path.find("/libc.so.6") != std::string::npos;
        has_libc |= is_libc && object.has_malloc && !object.entries.empty();
    }
    CHECK(has_libc);
    CHECK(read_loaded_objects("/no/such/file", {}).objects.empty());
}
