// SPDX-License-Identifier: Apache-2.0
//
// Removes from names what differs between two builds, machines or folders of the same code:
// addresses, versions of libraries, suffixes of clones, numbers of lambdas, paths.
//
//   foo(int) [clone .isra.0]                                       foo
//   run()::{lambda(int)#2}::operator()(int) const                  run::{lambda}::operator()
//   /usr/lib/x86_64-linux-gnu/libxml2.so.2.9.14                    libxml2.so
//   /home/me/.venv/lib/python3.11/site-packages/torch/nn/init.py   torch/nn/init.py
//   /home/me/project/src/train.py                                  train.py
#pragma once

#include <string>
#include <string_view>

namespace memtrace::analyzer {

std::string stable_function(const std::string& name);
std::string stable_module(std::string_view path);

// Returns the path of a file in a Python package relative to the folder of packages. For any other
// file, returns the last part of the path, because folders have other names elsewhere.
std::string stable_file(std::string_view path);

// Returns the part after site-packages/, dist-packages/ or lib/python3.x/; empty if the path is in
// none of them.
std::string_view in_package(std::string_view path);

}  // namespace memtrace::analyzer
