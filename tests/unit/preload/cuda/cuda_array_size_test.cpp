// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_array_size.h"

#include "tests/unit/test.h"

using namespace memtrace::preload::cuda;

namespace {

constexpr int bytes_1 = 0x01, half = 0x10, number = 0x20, blocks_of_8 = 0x91, blocks_of_16 = 0x99;

}  // namespace

TEST_CASE("an array has as many bytes as its elements have", "[cuda]") {
    CHECK(bytes_of(ArrayShape{100, 0, number, 1}) == 400);
    CHECK(bytes_of(ArrayShape{100, 50, half, 2}) == 20'000);
    CHECK(bytes_of(Array3DShape{10, 10, 10, bytes_1, 4, 0}) == 4000);
    CHECK(bytes_of(Array3DShape{10, 0, 6, number, 1, array_is_layered}) == 240);
}

TEST_CASE("compressed arrays have blocks of four by four elements", "[cuda]") {
    CHECK(bytes_of(Array3DShape{16, 16, 0, blocks_of_8, 4, 0}) == 16 * 8);
    CHECK(bytes_of(Array3DShape{17, 16, 0, blocks_of_16, 4, 0}) == 20 * 16);
}

TEST_CASE("an array that is given its memory later has none", "[cuda]") {
    CHECK(bytes_of(Array3DShape{16, 16, 0, number, 4, array_is_sparse}) == 0);
    CHECK(bytes_of(Array3DShape{16, 16, 0, number, 4, array_is_deferred}) == 0);
}

TEST_CASE("levels of a mipmap are halved, layers are not", "[cuda]") {
    CHECK(bytes_of(Array3DShape{8, 8, 0, bytes_1, 1, 0}, 4) == 64 + 16 + 4 + 1);
    CHECK(bytes_of(Array3DShape{8, 8, 0, bytes_1, 1, 0}, 9) == 64 + 16 + 4 + 1);
    CHECK(bytes_of(Array3DShape{8, 8, 8, bytes_1, 1, 0}, 2) == 512 + 64);
    CHECK(bytes_of(Array3DShape{8, 8, 6, bytes_1, 1, array_is_layered}, 2) == 384 + 96);
}
