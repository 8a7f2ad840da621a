// SPDX-License-Identifier: Apache-2.0
//
// A library that comes and goes without any hook. There are two small libraries that nothing else
// uses. They have the same size, so that each comes to the other's place.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdint>

#include "tests/unit/test.h"

namespace memtrace::test {

inline constexpr const char* small_library = "libanl.so.1";
inline constexpr const char* other_small_library = "libutil.so.1";

class LoadedLibrary {
public:
    explicit LoadedLibrary(const char* name) : library_(dlopen(name, RTLD_NOW)) {
        INFO(name);
        REQUIRE(library_ != nullptr);
        inside_ = reinterpret_cast<uint64_t>(static_cast<const link_map*>(library_)->l_ld);
    }
    ~LoadedLibrary() { unload(); }
    LoadedLibrary(const LoadedLibrary&) = delete;
    LoadedLibrary& operator=(const LoadedLibrary&) = delete;

    void unload() {
        if (library_ != nullptr) dlclose(library_);
        library_ = nullptr;
    }
    uint64_t inside() const { return inside_; }  // an address in it; after unload(), where it was

private:
    void* library_;
    uint64_t inside_ = 0;
};

}  // namespace memtrace::test
