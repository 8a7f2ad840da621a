// run: manual
// A program that loads the driver and requests its functions: `gpu_loaded STORY WAY`, with the WAY
//   dlsym dlvsym   by that function
//   old            by cuGetProcAddress with four arguments, as in CUDA 11
//   new            with five; from version 13.0 on, as they are called there
//   inside         cuGetProcAddress itself came from cuGetProcAddress
//   past           by libc's own dlsym, which no library in between has seen
//   mixed          cuInit by dlsym, all others past
#include "tests/programs/gpu_stories.h"

namespace {

void* library;
std::string way;

void* by_name(const char* name) {
    return way == "default" ? dlsym(RTLD_DEFAULT, name) : dlsym(library, name);
}

void* past_all(const char* name) {
    static auto* const look_up = reinterpret_cast<void* (*)(void*, const char*)>(
        dlvsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "dlsym", "GLIBC_2.2.5"));
    return look_up(library, name);
}

void* look_up(const char* spelling, const char* asked, int since, bool per_thread) {
    if (way == "dlsym" || way == "default") return by_name(spelling);
    if (way == "past") return past_all(spelling);
    if (way == "mixed") {
        return strcmp(spelling, "cuInit") == 0 ? by_name(spelling) : past_all(spelling);
    }
    void* found = nullptr;
    const unsigned long long flags = per_thread ? 2 : 0;
    if (way == "old") {
        auto* const get =
            reinterpret_cast<decltype(&gpu::cuGetProcAddress)>(dlsym(library, "cuGetProcAddress"));
        if (get(asked, &found, since, flags) != 0) return nullptr;
        return found;
    }
    auto* get = reinterpret_cast<decltype(&gpu::cuGetProcAddress_v2)>(
        dlsym(library, "cuGetProcAddress_v2"));
    int status = 9;
    if (way == "inside") {
        void* inner = nullptr;
        if (get("cuGetProcAddress", &inner, 12000, 0, &status) != 0) return nullptr;
        get = reinterpret_cast<decltype(get)>(inner);
    }
    if (get(asked, &found, since, flags, &status) != 0 || status != 0) return nullptr;
    return found;
}

constexpr bool any = false, legacy = false, thread = true;

}  // namespace

int main(int, char** arguments) {
    using gpu::cu;
    way = arguments[2];
    library = dlopen("libcuda.so.1", RTLD_NOW | (way == "default" ? RTLD_GLOBAL : RTLD_LOCAL));
    if (library == nullptr) {
        printf("%s\n", dlerror());
        return 1;
    }
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    cu.spelling = reinterpret_cast<decltype(cu.spelling)>(look_up(#spelling, #asked, since, any));
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    cu.spelling = reinterpret_cast<decltype(cu.spelling)>(look_up(#spelling, #api, since, stream));
#include "preload/cuda/cuda_entries.def"
#define GPU_FIND(name, parameters) \
    cu.name = reinterpret_cast<decltype(cu.name)>(dlsym(library, #name));
    GPU_PLAIN_FUNCTIONS(GPU_FIND)
    return gpu::tell(arguments[1]);
}
