// SPDX-License-Identifier: Apache-2.0
//
// What CUDA's runtime library says in other words than the driver (cuda_types.h). Where the real
// headers are, tests/cuda_headers compares each function and each structure with them.
#pragma once

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

struct Pitched {
    void* address;
    size_t pitch;
    size_t width;
    size_t height;
};

struct Extent {
    size_t width;
    size_t height;
    size_t depth;
};

// How many bits each channel has, and of what kind they are.
struct ChannelBits {
    int channels[4];
    int kind;
};

// An array's shape in the driver's words.
class Shape {
public:
    // A call without `bits` does not succeed, and its shape is of no interest.
    Shape(const ChannelBits* bits, Extent extent, unsigned flags)
        : Shape(bits == nullptr ? ChannelBits{} : *bits, extent, flags) {}

    // Of use as long as the Shape is.
    const Array3DShape* pointer() const { return &shape_; }

private:
    Shape(const ChannelBits& bits, Extent extent, unsigned flags)
        : shape_{extent.width, extent.height, extent.depth, format_of(bits), count(bits), flags} {}

    // Only the size counts here: the unsigned formats stand for all of one size.
    static constexpr int format_of(const ChannelBits& bits) {
        return bits.channels[0] <= 8 ? 0x01 : bits.channels[0] <= 16 ? 0x02 : 0x03;
    }
    static constexpr unsigned count(const ChannelBits& bits) {
        unsigned used = 0;
        for (const int channel : bits.channels) used += channel != 0;
        return used;
    }

    Array3DShape shape_;
};

}  // namespace memtrace::preload::cuda
