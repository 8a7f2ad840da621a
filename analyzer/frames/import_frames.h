// SPDX-License-Identifier: Apache-2.0
//
// Frames of Python's import machinery, and the packages that it imports. An import allocates for
// many modules, and its reader thinks of it as one thing: "import torch".
//
//   the stack                                   what it means
//
//   <module>         …/torch/_ops.py:12
//   _find_and_load   <frozen importlib._…>
//   <module>         …/torch/__init__.py:445    the imported package is torch
//   _find_and_load   <frozen importlib._…>      an import begins here
//   <module>         /home/me/train.py:3        import torch
#pragma once

#include <string>
#include <string_view>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// True for the functions of importlib that find, load and run a module.
bool is_import_frame(const Frame& frame);

// True if the code of a whole module runs in the frame.
bool is_module_frame(const Frame& frame);

// Returns the name by which a program imports the top-level package of a file: "torch" for
// …/site-packages/torch/nn/init.py, "json" for …/lib/python3.11/json/decoder.py, "os" for
// <frozen os>. A file outside of folders for packages is a package of its own, or the first file of
// the package that its folder is. Empty if the path names no module.
std::string top_package(std::string_view path);

// True if the file was installed into a folder for packages, and is not part of Python itself.
bool is_in_installed_package(std::string_view path);

}  // namespace memtrace::analyzer
