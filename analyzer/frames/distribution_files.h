// SPDX-License-Identifier: Apache-2.0
//
// Files that a package manager put into a folder of the user's choice: `pip install --target deps`,
// a vendored folder. Each such distribution leaves a list of its files beside them:
//
//   app/deps/requests/api.py                     True
//   app/deps/requests-2.31.0.dist-info/RECORD    lists "requests/api.py,sha256=…,6449"
//   app/deps/mine.py                             False: no list has it
//
// The name of the folder alone would tell too little, because a program may lie beside its
// libraries. An editable installation lists no sources, so these stay the user's own.
#pragma once

#include <string_view>

namespace memtrace::analyzer {

// True if a list in the path's folder or in a folder above it has the path. False if the path is
// relative, or if the folders are not on this machine. May be called by several threads. Lists are
// read once for each folder.
bool is_of_distribution(std::string_view path);

}  // namespace memtrace::analyzer
