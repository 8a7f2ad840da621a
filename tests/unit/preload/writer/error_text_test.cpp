// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/error_text.h"

#include <errno.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("an error number has a text") {
    CHECK(error_text(ENOSPC).view() == "No space left on device");
    CHECK(error_text(ENOENT).view() == "No such file or directory");
    CHECK(error_text(12345).view() == "error 12345");
}
