// SPDX-License-Identifier: Apache-2.0
//
// Which of CUPTI's numbers means which function of the driver: asked of the loaded library by name,
// since numbers that a header says are those of its own version.
#pragma once

#include "preload/cuda/cuda_entry_names.h"
#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

using GetName = Result (*)(int domain, uint32_t id, const char** name);

class Ids {
public:
    static constexpr uint32_t ids_max = 4096;

    // Returns how many functions were found. What a version does not know has no number.
    unsigned resolve(GetName name_of);

    cuda::Entry entry_of(uint32_t id) const {
        return id < ids_max ? entries_[id] : cuda::Entry::none;
    }

private:
    cuda::Entry entries_[ids_max];
};

// Whether callbacks of this function are asked for: all that leave something in the dump which can
// be told without asking the driver.
bool is_followed(cuda::Entry entry);

}  // namespace memtrace::preload::cupti
