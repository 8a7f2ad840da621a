// SPDX-License-Identifier: Apache-2.0
//
// How the fields of records are packed into columns. A coding never changes the meaning of a field.
#pragma once

namespace memtrace {

namespace coding {
struct Plain {};     // varint of the value
struct Delta {};     // zigzag varint of the difference to the last value of the same column
struct Text {};      // varint length, then the bytes
struct Acquired {};  // an address that an allocator just returned: predicted, see predict.h
struct Released {};  // an address that is released: given by its distance to its acquisition
struct Stack {};     // a stack id: often the one that followed the last two before
struct Size {};      // the size of a block: mostly what the same stack requested before
inline constexpr Plain plain;
inline constexpr Delta delta;
inline constexpr Text text;
inline constexpr Acquired acquired;
inline constexpr Released released;
inline constexpr Stack stack;
inline constexpr Size size;
}  // namespace coding

}  // namespace memtrace
