// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_array_size.h"

namespace memtrace::preload::cuda {
namespace {

struct Format {
    int first;
    int last;
    unsigned bytes;     // of one element of one channel, or of a block
    bool is_of_blocks;  // a block is 4 by 4 elements, all channels together
    bool is_whole;      // all channels together
};

// Values of CUarray_format. The formats that are missing here are video formats with one byte in
// each channel.
constexpr Format formats[] = {
    {0x01, 0x01, 1, false, false}, {0x02, 0x02, 2, false, false}, {0x03, 0x03, 4, false, false},
    {0x08, 0x08, 1, false, false}, {0x09, 0x09, 2, false, false}, {0x0a, 0x0a, 4, false, false},
    {0x10, 0x10, 2, false, false}, {0x20, 0x20, 4, false, false}, {0x50, 0x50, 4, false, true},
    {0x91, 0x92, 8, true, true},   {0x93, 0x96, 16, true, true},  {0x97, 0x98, 8, true, true},
    {0x99, 0x9e, 16, true, true},  {0xc0, 0xc0, 1, false, true},  {0xc1, 0xc1, 2, false, true},
    {0xc2, 0xc2, 4, false, true},  {0xc3, 0xc3, 2, false, true},  {0xc4, 0xc4, 4, false, true},
    {0xc5, 0xc5, 8, false, true},  {0xc6, 0xc6, 1, false, true},  {0xc7, 0xc7, 2, false, true},
    {0xc8, 0xc8, 4, false, true},  {0xc9, 0xc9, 2, false, true},  {0xca, 0xca, 4, false, true},
    {0xcb, 0xcb, 8, false, true},
};

Format format_of(int number) {
    for (const Format& format : formats) {
        if (number >= format.first && number <= format.last) return format;
    }
    return {number, number, 1, false, false};
}

uint64_t at_least_one(uint64_t number) { return number == 0 ? 1 : number; }

}  // namespace

uint64_t bytes_of(const ArrayShape& shape) {
    return bytes_of(Array3DShape{shape.width, shape.height, 0, shape.format, shape.channels, 0});
}

uint64_t bytes_of(const Array3DShape& shape) {
    if ((shape.flags & (array_is_sparse | array_is_deferred)) != 0) return 0;
    const Format format = format_of(shape.format);
    uint64_t width = at_least_one(shape.width);
    uint64_t height = at_least_one(shape.height);
    if (format.is_of_blocks) {
        width = (width + 3) / 4;
        height = (height + 3) / 4;
    }
    const uint64_t channels = format.is_whole ? 1 : at_least_one(shape.channels);
    return width * height * at_least_one(shape.depth) * channels * format.bytes;
}

uint64_t bytes_of(const Array3DShape& shape, unsigned levels) {
    uint64_t total = 0;
    Array3DShape level = shape;
    for (unsigned i = 0; i < levels; ++i) {
        total += bytes_of(level);
        if (level.width <= 1 && level.height <= 1 && level.depth <= 1) break;
        level.width = at_least_one(level.width / 2);
        if (level.height != 0) level.height = at_least_one(level.height / 2);
        // The depth of a layered array is the number of its layers.
        const bool is_layered = (level.flags & array_is_layered) != 0;
        if (level.depth != 0 && !is_layered) level.depth = at_least_one(level.depth / 2);
    }
    return total;
}

}  // namespace memtrace::preload::cuda
