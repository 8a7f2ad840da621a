// SPDX-License-Identifier: Apache-2.0
//
// Files of code whose frames mean more than the functions in them.
#pragma once

#include <string_view>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {

// The shim itself, under whatever name it was installed.
inline bool is_shim_module(std::string_view path) {
    return base_name(path).starts_with("libmemtrace");
}

// The library that makes greenlets: gevent, eventlet and others use it.
inline bool is_greenlet_module(std::string_view path) {
    const std::string name = base_name(path);
    return name.starts_with("_greenlet.") || name == "greenlet.so";
}

}  // namespace memtrace::analyzer
