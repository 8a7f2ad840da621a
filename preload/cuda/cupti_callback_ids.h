// SPDX-License-Identifier: Apache-2.0
//
// Maps CUPTI's callback numbers to functions of the driver. The loaded library is queried for the
// name of each number, because the numbers in a header belong to that header's version.
#pragma once

#include "preload/cuda/cuda_entry_names.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

using GetName = Result (*)(int domain, uint32_t id, const char** name);

class Ids {
public:
    static constexpr uint32_t ids_max = 4096;

    // Returns the number of functions found. Functions that this version of CUPTI lacks have no
    // number.
    unsigned resolve(GetName name_of);

    cuda::Entry entry_of(uint32_t id) const {
        return id < ids_max ? entries_[id] : cuda::Entry::none;
    }

private:
    cuda::Entry entries_[ids_max];
};

// True if callbacks of this function are requested. These are all functions that leave something in
// the dump and need no query to the driver.
bool is_followed(cuda::Entry entry);

}  // namespace memtrace::preload::cupti
