// SPDX-License-Identifier: Apache-2.0
//
// Which call sites make arrays of JAX or tensors of TensorFlow, and what their stacks say of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"
#include "analyzer/watch/tensor_request.h"

namespace memtrace::analyzer {

// Where an array comes from. A step runs as one compiled program, often in a thread that has no
// Python functions, so most stacks tell no more than `program`.
enum class ArrayOrigin : uint8_t {
    none,       // no array
    program,    // computed
    host,       // copied from the program's own memory, as that of a NumPy array
    optimiser,  // made by a library of optimisers
    layer,      // made by a library of layers
};

class ArraySites {
public:
    ArraySites(const Model& model, const Symbols& symbols);

    // False if no array was met.
    bool has_arrays() const { return has_arrays_; }
    // True if each step makes its results in the same order, as XLA does. TensorFlow's threads make
    // them as they come.
    bool is_ordered() const { return is_ordered_; }
    // By index of the space in the model and number of the site in the replay.
    ArrayOrigin of(size_t space, uint32_t number) const;
    // Bytes at the host's peak in arenas of TensorFlow's own allocator. Which tensors lie in there
    // is not recorded.
    uint64_t arena_bytes() const { return arena_bytes_; }
    TensorRequest request(const Model& model) const;

private:
    std::vector<std::vector<ArrayOrigin>> origins_;
    bool has_arrays_ = false;
    bool is_ordered_ = true;
    uint64_t arena_bytes_ = 0;
};

}  // namespace memtrace::analyzer
