// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "preload/base/process_info.h"
#include "preload/base/sys.h"
#include "preload/base/thread_state.h"
#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loader_call.h"
#include "preload/loader/next_dlsym.h"

namespace memtrace::preload::cupti {
namespace {

using File = FixedText<4200>;

struct Version {
    const char* file;
    unsigned speaks;  // major version of CUDA
};
constexpr Version versions[] = {
    {"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so.11.8", 11}};

// Where CUPTI lies relative to a library that the process has loaded: the runtime of a toolkit or a
// wheel, or PyTorch, which ships CUPTI with its wheels.
struct Neighbour {
    const char* of;
    const char* folder;
};
constexpr Neighbour neighbours[] = {
    {"libcudart", ""},
    {"libcudart", "../../cuda_cupti/lib/"},
    {"libcudart", "../extras/CUPTI/lib64/"},
    {"libtorch_cpu", "../../nvidia/cu13/lib/"},
    {"libtorch_cpu", "../../nvidia/cuda_cupti/lib/"},
    {"libtorch_cpu", ""},
};
constexpr std::string_view places_in_toolkit[] = {"/extras/CUPTI/lib64/", "/lib64/"};
constexpr const char* variables_of_toolkit[] = {"CUDA_HOME", "CUDA_PATH"};

std::string_view base_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view folder_of(std::string_view path) {
    return path.substr(0, path.size() - base_of(path).size());
}

bool begins_with(std::string_view text, std::string_view beginning) {
    return text.substr(0, beginning.size()) == beginning;
}

// The relevant libraries that the process has loaded.
struct Loaded {
    File copy;  // CUPTI, or PyTorch if it contains a copy
    bool is_in_torch = false;
    File runtime;  // the first libcudart
    File torch;
    File folder, file;  // where CUPTI is looked for at this moment
};

int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& loaded = *static_cast<Loaded*>(context);
    const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    const std::string_view base = base_of(path);
    if (begins_with(base, "libtorch_cpu")) {
        loaded.torch << path;
        if (DynamicSymbols(*object).find("cuptiSubscribe") != nullptr) {
            loaded.copy.clear();
            loaded.copy << path;
            loaded.is_in_torch = true;
        }
    }
    if (begins_with(base, "libcudart") && loaded.runtime.view().empty()) loaded.runtime << path;
    if (begins_with(base, "libcupti.so") && loaded.copy.view().empty()) loaded.copy << path;
    return 0;
}

// The loader holds its lock during the iteration, and its list may call malloc for names.
void look_around(Loaded& loaded) {
    const LibraryScope guard;
    dl_iterate_phdr(look_at_object, &loaded);
}

void* load(const char* file) {
    void* const library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) drop_loader_message();  // Must not be the program's next error.
    return library;
}

void* load_from(std::string_view folder, unsigned newest, File& file) {
    for (const Version& version : versions) {
        if (newest != 0 && version.speaks > newest) continue;
        file.clear();
        file << folder << version.file;
        if (void* const library = load(file.c_str())) return library;
    }
    return nullptr;
}

void* load_somewhere(Loaded& loaded, unsigned newest) {
    File& folder = loaded.folder;
    const auto load_from_folder = [&] { return load_from(folder.view(), newest, loaded.file); };
    if (!loaded.copy.view().empty()) return load(loaded.copy.c_str());
    for (const Neighbour& neighbour : neighbours) {
        const bool is_runtime = std::string_view(neighbour.of) == "libcudart";
        const File& from = is_runtime ? loaded.runtime : loaded.torch;
        if (from.view().empty()) continue;
        folder.clear();
        folder << folder_of(from.view()) << neighbour.folder;
        if (void* const library = load_from_folder()) return library;
    }
    folder.clear();
    if (void* const library = load_from_folder()) return library;
    for (const char* variable : variables_of_toolkit) {
        const std::string_view toolkit = starting_environment(variable);
        if (toolkit.empty()) continue;
        for (const std::string_view place : places_in_toolkit) {
            folder.clear();
            folder << toolkit << place;
            if (void* const library = load_from_folder()) return library;
        }
    }
    return nullptr;
}

template <class Function>
void set(Function& function, void* found) {
    function = reinterpret_cast<Function>(found);
}

}  // namespace

bool find_cupti(Functions& functions, unsigned newest, Why& why) {
    const sys::MappedItem<Loaded> loaded;
    if (!loaded) {
        why << "there is no memory to look for libcupti";
        return false;
    }
    look_around(*loaded);
    void* const library = load_somewhere(*loaded, newest);
    if (library == nullptr) {
        why << "there is no libcupti";
        return false;
    }
    const DlsymFunction look_up = real_dlsym();
#define MEMTRACE_CUPTI_FUNCTION(name, parameters) set(functions.name, look_up(library, #name));
#include "preload/cuda/cupti_functions.def"
    drop_loader_message();
    const bool is_whole =
        functions.cuptiGetVersion != nullptr && functions.cuptiGetCallbackName != nullptr &&
        functions.cuptiSubscribe != nullptr && functions.cuptiUnsubscribe != nullptr &&
        functions.cuptiEnableCallback != nullptr;
    if (!is_whole) why << "the libcupti that was found lacks functions";
    return is_whole;
}

void* find_in_loaded_cupti(const char* name) {
    const sys::MappedItem<Loaded> loaded;
    if (!loaded) return nullptr;
    look_around(*loaded);
    if (loaded->copy.view().empty()) return nullptr;
    const LoaderCall call;
    void* const library = dlopen(loaded->copy.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    // The library stays loaded because a tool has begun to use it.
    return library == nullptr ? nullptr : real_dlsym()(library, name);
}

}  // namespace memtrace::preload::cupti
