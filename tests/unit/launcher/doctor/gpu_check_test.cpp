// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/gpu_check.h"

#include <filesystem>
#include <fstream>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("a GPU is judged by its driver", "[launcher]") {
    CHECK(judge_gpu({}).state == State::no);
    CHECK(judge_gpu({"550.54.14", true, true, 12040, false}).state == State::ok);
    CHECK(judge_gpu({"550.54.14", true, true, 12040, false}).found.find("CUDA 12.4") !=
          std::string::npos);
    CHECK(judge_gpu({"590.1", true, true, 13020, false}).state == State::limited);
    CHECK(judge_gpu({"", false, false, 0, true}).found.find("AMD") != std::string::npos);
    const Finding no_library = judge_gpu({"550.54.14", true, false, 0, false});
    CHECK(no_library.state == State::no);
    CHECK_FALSE(no_library.advice.empty());
    // A library without a device is left by a package, or by a build machine.
    CHECK(judge_gpu({"", false, true, 12040, false}).state == State::no);
}

TEST_CASE("the driver's version and devices are read", "[launcher]") {
    char pattern[] = "/tmp/memtrace-doctor-XXXXXX";
    const std::string root = mkdtemp(pattern);
    std::filesystem::create_directories(root + "/proc/driver/nvidia");
    std::filesystem::create_directories(root + "/dev");
    std::ofstream(root + "/dev/nvidiactl");
    CHECK_FALSE(read_gpu(root).has_devices);
    std::ofstream(root + "/dev/nvidia3");
    std::ofstream(root + "/proc/driver/nvidia/version")
        << "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\n";
    CHECK(read_gpu(root).has_devices);
    CHECK(read_gpu(root).kernel_driver == "550.54.14");
    std::filesystem::remove_all(root);
}
