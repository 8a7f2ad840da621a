// SPDX-License-Identifier: Apache-2.0
//
// Checks that the shim's declarations of NVTX are those of NVIDIA's header: fields, numbers,
// functions.
#include <nvtx3/nvToolsExt.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "preload/nvtx/nvtx_types.h"

namespace ours = memtrace::preload::nvtx;

#define SAME_FIELD(mine, theirs) \
    static_assert(offsetof(ours::Attributes, mine) == offsetof(nvtxEventAttributes_t, theirs))
SAME_FIELD(version, version);
SAME_FIELD(size, size);
SAME_FIELD(payload, payload);
SAME_FIELD(message_type, messageType);
SAME_FIELD(message, message);
static_assert(sizeof(ours::Attributes) == sizeof(nvtxEventAttributes_t));
static_assert(int(ours::MessageType::ascii) == NVTX_MESSAGE_TYPE_ASCII);
static_assert(int(ours::MessageType::wide) == NVTX_MESSAGE_TYPE_UNICODE);
static_assert(int(ours::MessageType::registered) == NVTX_MESSAGE_TYPE_REGISTERED);
static_assert(ours::no_tracking == NVTX_NO_PUSH_POP_TRACKING);
static_assert(int(ours::core) == NVTX_CB_MODULE_CORE);
static_assert(int(ours::core2) == NVTX_CB_MODULE_CORE2);
static_assert(ours::callbacks_table == NVTX_ETID_CALLBACKS);
static_assert(sizeof(ours::Callbacks) == sizeof(NvtxExportTableCallbacks));

#define ID_core(name) NVTX_CBID_CORE_##name
#define ID_core2(name) NVTX_CBID_CORE2_##name
template <class... Types>
constexpr size_t size_of_all = (size_t{0} + ... + sizeof(Types));
template <class Function>
struct Shape;
template <class Result, class... Arguments>
struct Shape<Result(Arguments...)> {
    static constexpr size_t arguments = sizeof...(Arguments);
    static constexpr size_t bytes = size_of_all<Arguments...>;
    static constexpr bool is_void = std::is_void_v<Result>;
};
template <class Result, class... Arguments>
struct Shape<Result(Arguments...) noexcept> : Shape<Result(Arguments...)> {};

namespace memtrace::preload::nvtx {
#define MEMTRACE_NVTX(module, id, name, result, parameters, args)                           \
    static_assert(id == ID_##module(name));                                                 \
    static_assert(Shape<result parameters>::arguments ==                                    \
                  Shape<decltype(::nvtx##name)>::arguments);                                \
    static_assert(Shape<result parameters>::bytes == Shape<decltype(::nvtx##name)>::bytes); \
    static_assert(Shape<result parameters>::is_void == Shape<decltype(::nvtx##name)>::is_void);
#include "preload/nvtx/nvtx_functions.def"
}  // namespace memtrace::preload::nvtx

int main() {
    std::puts("the same as in NVIDIA's header");
    return 0;
}
