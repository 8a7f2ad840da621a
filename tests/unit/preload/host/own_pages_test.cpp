// SPDX-License-Identifier: Apache-2.0
#include "preload/host/own_pages.h"

#include "memtrace/dump/format.h"
#include "preload/base/sys.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

TEST_CASE("pages of the shim's mappings count once they are written") {
    constexpr size_t bytes = 64 * page_bytes;
    const uint64_t before = own_resident_bytes();
    CHECK(before > 0);  // the library
    auto* const pages = static_cast<volatile char*>(sys::map_private(bytes));
    REQUIRE(pages != nullptr);
    // What is only read is the kernel's page of zeros.
    for (size_t at = 0; at < bytes; at += page_bytes) CHECK(pages[at] == 0);
    const uint64_t when_read = own_resident_bytes();
    for (size_t at = 0; at < bytes / 2; at += page_bytes) pages[at] = 1;
    const uint64_t when_written = own_resident_bytes();
    // Variables of the library may be touched meanwhile.
    CHECK(when_read - before <= 8 * page_bytes);
    CHECK(when_written - when_read >= bytes / 2);
    CHECK(when_written - when_read <= bytes / 2 + 8 * page_bytes);
    sys::unmap(const_cast<char*>(pages), bytes);
    CHECK(own_resident_bytes() + bytes / 2 <= when_written + 8 * page_bytes);
}
