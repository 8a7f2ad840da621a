// SPDX-License-Identifier: Apache-2.0
//
// What the loader would load for a program, and which of it has an allocator. The loader is asked
// for its list, and the files' symbols are read; nothing of the program runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memtrace::launcher {

struct LoadedObject {
    std::string path;
    bool has_malloc = false;  // It defines malloc; the first object that does gives it to all.
    // Functions by which allocators and sanitizers are known, of those that it defines.
    std::vector<std::string> entries;
};

struct LoadedObjects {
    std::string program;                // the ELF file: of a script, that of its interpreter
    std::vector<LoadedObject> objects;  // in the order of the search for symbols; program first
    std::vector<std::string> missing;   // libraries that are not found
};

// Looks at the program at `path`. `wanted` are the entries to look for. The list is empty if the
// file is no program of glibc's loader.
LoadedObjects read_loaded_objects(const std::string& path, const std::vector<std::string>& wanted);

// Reads the list that the loader prints for ldd: the paths, and the libraries that are not found.
void read_list(std::string_view list, LoadedObjects& loaded);

}  // namespace memtrace::launcher
