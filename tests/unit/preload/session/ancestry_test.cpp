// SPDX-License-Identifier: Apache-2.0
#include "preload/session/ancestry.h"

#include <catch2/catch.hpp>

namespace memtrace::preload {

TEST_CASE("launchers are known by the name of their file", "[ancestry]") {
    CHECK(launcher_kind("/usr/bin/bash") == Launcher::shell);
    CHECK(launcher_kind("timeout") == Launcher::wrapper);
    CHECK(launcher_kind("/bin/grep") == Launcher::tool);
    CHECK(launcher_kind("/opt/memtrace/bin/memtrace") == Launcher::starter);
    CHECK(launcher_kind("memtrace-report") == Launcher::tool);
    CHECK(launcher_kind("/usr/bin/python3.11") == Launcher::none);
    CHECK(launcher_kind("/home/bash/train") == Launcher::none);
    CHECK(launcher_kind("") == Launcher::none);
}

TEST_CASE("a process whose parent has no shim is a first one", "[ancestry]") {
    const Ancestry ancestry = find_ancestry();
    CHECK(ancestry.parent == 0);
    CHECK(ancestry.launched_at == 0);
    CHECK(ancestry.own_kind == Launcher::none);
}

}  // namespace memtrace::preload
