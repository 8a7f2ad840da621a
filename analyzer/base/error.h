// SPDX-License-Identifier: Apache-2.0
//
// The one exception of memtrace-report, for failures after which it cannot continue. what() is the
// whole sentence for the user: what happened, to which file, and what to do about it. main() prints
// it and exits with code 2. A failure that reading survives is a Problem (problems.h) instead.
#pragma once

#include <stdexcept>

namespace memtrace::analyzer {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace memtrace::analyzer
