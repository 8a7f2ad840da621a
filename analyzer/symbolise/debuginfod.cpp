// SPDX-License-Identifier: Apache-2.0
//
// The client library is opened when it is first needed, so memtrace-report does not depend on it or
// on the TLS library below it.
#include "analyzer/symbolise/debuginfod.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace memtrace::analyzer {

namespace {

struct Client {
    using Begin = void* (*)();
    using Find = int (*)(void*, const unsigned char*, int, char**);
    void* handle = nullptr;
    Find find = nullptr;

    Client() {
        void* library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        const auto begin = reinterpret_cast<Begin>(dlsym(library, "debuginfod_begin"));
        find = reinterpret_cast<Find>(dlsym(library, "debuginfod_find_debuginfo"));
        if (begin != nullptr && find != nullptr) handle = begin();
    }
};

Client& client() {
    static Client instance;
    return instance;
}

}  // namespace

std::string debuginfod_obstacle() {
    const char* urls = std::getenv("DEBUGINFOD_URLS");
    if (urls == nullptr || *urls == '\0') {
        return "--debuginfod needs DEBUGINFOD_URLS to name a server, and it is not set";
    }
    if (client().handle == nullptr) {
        return "--debuginfod needs libdebuginfod.so.1, and it is not installed";
    }
    return {};
}

std::string fetch_debug_file(const std::string& build_id) {
    Client& debuginfod = client();
    if (debuginfod.handle == nullptr) return {};
    char* path = nullptr;
    const int fd =
        debuginfod.find(debuginfod.handle, reinterpret_cast<const unsigned char*>(build_id.data()),
                        static_cast<int>(build_id.size()), &path);
    if (fd < 0) return {};
    close(fd);
    std::string found = path != nullptr ? path : "";
    std::free(path);
    return found;
}

}  // namespace memtrace::analyzer
