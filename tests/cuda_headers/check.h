// SPDX-License-Identifier: Apache-2.0
//
// Comparing a declaration of ours with one of CUDA's headers, which are included before. What does
// not agree does not compile.
#pragma once

#include <cstddef>
#include <type_traits>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

extern const int runtime_functions;  // how many were compared

// Two types that a call passes in the same way: both pointers, or both as many bytes of a number,
// or of a structure.
template <class Ours, class Theirs>
constexpr bool is_like = (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) ||
                         (!std::is_pointer_v<Ours> && !std::is_pointer_v<Theirs> &&
                          sizeof(Ours) == sizeof(Theirs) &&
                          std::is_class_v<Ours> == std::is_class_v<Theirs>);

template <class Ours, class Theirs>
constexpr bool is_called_like = false;
template <class... Ours, class Answer, class... Theirs>
constexpr bool is_called_like<Result (*)(Ours...), Answer (*)(Theirs...)> = [] {
    if constexpr (sizeof...(Ours) != sizeof...(Theirs)) return false;
    else return is_like<Result, Answer> && (is_like<Ours, Theirs> && ...);
}();

#define CHECK_FUNCTION(name, parameters) \
    static_assert(is_called_like<Result(*) parameters, decltype(&::name)>, #name)
#define CHECK_FIELD(ours, our_field, theirs, their_field)                       \
    static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                  sizeof(ours::our_field) == sizeof(theirs::their_field))
#define CHECK_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))

}  // namespace memtrace::preload::cuda
