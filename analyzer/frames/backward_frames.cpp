// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/backward_frames.h"

namespace memtrace::analyzer {

std::string backward_function(const Frame& frame) {
    const std::string of = frame.function.empty() ? forward_not_recorded : frame.function;
    return of + " (" + frame.operation + ")";
}

}  // namespace memtrace::analyzer
