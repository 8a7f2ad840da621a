// SPDX-License-Identifier: Apache-2.0
//
// The structures of CUDA's runtime library that differ from the driver's (cuda_types.h). If the
// real headers are installed, tests/cuda_headers compares each function and each structure with
// them.
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

// Bits of each channel, and the kind of the channels.
struct ChannelBits {
    int channels[4];
    int kind;
};

// The shape of an array in the driver's form.
class Shape {
public:
    // A call without `bits` fails, so its shape does not matter.
    Shape(const ChannelBits* bits, Extent extent, unsigned flags)
        : Shape(bits == nullptr ? ChannelBits{} : *bits, extent, flags) {}

    // Valid during the lifetime of the Shape.
    const Array3DShape* pointer() const { return &shape_; }

private:
    Shape(const ChannelBits& bits, Extent extent, unsigned flags)
        : shape_{extent.width, extent.height, extent.depth, format_of(bits), count(bits), flags} {}

    // Only the size matters here. Unsigned formats stand for all formats of the same size.
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
