// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/gpu_check.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace memtrace::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int known_cuda = 13000;  // the newest whose functions are known (docs/how/gpu.md)

std::string cuda_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb …": the first word with
// digits and a point.
std::string version_in(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos) {
            return word;
        }
    }
    return "";
}

}  // namespace

GpuFacts read_gpu(std::string_view root) {
    GpuFacts facts;
    const std::string begin(root);
    std::error_code error;
    std::ifstream file(begin + "/proc/driver/nvidia/version");
    std::stringstream text;
    text << file.rdbuf();
    facts.kernel_driver = version_in(text.str());
    for (const auto& entry : fs::directory_iterator(begin + "/dev", error)) {
        const std::string name = entry.path().filename().string();
        facts.has_devices |= name.size() > 6 && name.starts_with("nvidia") &&
                             name.find_first_not_of("0123456789", 6) == name.npos;
    }
    facts.has_amd = fs::exists(begin + "/dev/kfd", error);
    if (void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
        facts.has_library = true;
        using Version = int (*)(int*);
        if (auto version = reinterpret_cast<Version>(dlsym(library, "cuDriverGetVersion"))) {
            if (version(&facts.cuda) != 0) facts.cuda = 0;
        }
        dlclose(library);
    }
    return facts;
}

Finding judge_gpu(const GpuFacts& facts) {
    const bool has_driver =
        facts.has_library && (facts.has_devices || !facts.kernel_driver.empty());
    if (!has_driver && (facts.has_devices || !facts.kernel_driver.empty())) {
        return {"gpu", State::no, "there is an NVIDIA GPU, but the loader finds no libcuda.so.1",
                "In a container: start it with --gpus all, and with "
                "NVIDIA_DRIVER_CAPABILITIES=compute,utility."};
    }
    if (!has_driver && facts.has_amd) {
        return {"gpu", State::no, "an AMD GPU; memtrace records NVIDIA's only", ""};
    }
    if (!has_driver) return {"gpu", State::no, "no NVIDIA driver; the host is recorded", ""};
    const std::string driver =
        fmt::format("NVIDIA driver{}{} for CUDA {}", facts.kernel_driver.empty() ? "" : " ",
                    facts.kernel_driver, facts.cuda ? cuda_text(facts.cuda) : "of unknown version");
    if (facts.cuda > known_cuda) {
        return {"gpu", State::limited,
                fmt::format("{}: functions that are newer than CUDA {} are seen only if a known "
                            "one stands behind them; the report counts the others",
                            driver, cuda_text(known_cuda)),
                ""};
    }
    return {"gpu", State::ok, driver + ": device, pinned and managed memory are recorded", ""};
}

}  // namespace memtrace::launcher
