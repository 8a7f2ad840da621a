// SPDX-License-Identifier: Apache-2.0
//
// Stories of GPUs, in shorter lines. A line without a lane belongs to lane 0. A block of PyTorch
// is on a CUDA device unless the line names another type.
#pragma once

#include <sstream>
#include <string>

#include "tests/tools/story.h"

namespace memtrace::test {

inline std::string gpu_text(const std::string& story) {
    std::istringstream in(story);
    std::string line, result;
    while (std::getline(in, line)) {
        const size_t first = line.find_first_not_of(' ');
        if (first == std::string::npos) continue;
        const size_t end = std::min(line.find(' ', first), line.size());
        std::string more;
        if (line.find(" lane=") == std::string::npos) more += " lane=0";
        const bool is_tensor = line.compare(first, 7, "tensor_") == 0;
        if (is_tensor && line.find(" device_type=") == std::string::npos) more += " device_type=1";
        result += line.insert(end, more) + "\n";
    }
    return result;
}

inline analyzer::Model load_gpu(const std::string& story) { return load_story(gpu_text(story)); }

}  // namespace memtrace::test
