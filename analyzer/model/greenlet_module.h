// SPDX-License-Identifier: Apache-2.0
//
// The library that makes greenlets: gevent, eventlet and others use it.
#pragma once

#include <string_view>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {

inline bool is_greenlet_module(std::string_view path) {
    const std::string name = base_name(path);
    return name.starts_with("_greenlet.") || name == "greenlet.so";
}

}  // namespace memtrace::analyzer
