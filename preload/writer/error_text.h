// SPDX-License-Identifier: Apache-2.0
//
// What an error number of the kernel means, for a person.
#pragma once

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

using ErrorText = FixedText<64>;

// Returns "No space left on device". Numbers without a name become "error 123".
ErrorText error_text(int error);

}  // namespace memtrace::preload
