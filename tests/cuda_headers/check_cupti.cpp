// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's own headers against what the shim says of it: each structure, and the arguments of each
// function of the driver as CUPTI shows them. What does not agree does not compile. And the real
// library, where it is: it names every function that the shim wants to follow. That needs no
// driver.
//
// Ours come first: CUDA's header makes macros of names that ours use.
#include "preload/cuda/cupti_callback_ids.h"
#include "preload/cuda/cupti_parameters.h"
#include "preload/cuda/cupti_types.h"

#include <cupti.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

namespace memtrace::preload::cupti {
namespace {

#define CHECK_FIELD(ours, our_field, theirs, their_field)                       \
    static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                  sizeof(ours::our_field) == sizeof(theirs::their_field))

CHECK_FIELD(CallData, site, CUpti_CallbackData, callbackSite);
CHECK_FIELD(CallData, parameters, CUpti_CallbackData, functionParams);
CHECK_FIELD(CallData, result, CUpti_CallbackData, functionReturnValue);
CHECK_FIELD(CallData, context, CUpti_CallbackData, context);
CHECK_FIELD(CallData, kept, CUpti_CallbackData, correlationData);
CHECK_FIELD(ResourceData, context, CUpti_ResourceData, context);
CHECK_FIELD(ResourceData, about, CUpti_ResourceData, resourceDescriptor);
CHECK_FIELD(GraphData, node, CUpti_GraphData, node);
CHECK_FIELD(GraphData, node_type, CUpti_GraphData, nodeType);
CHECK_FIELD(SubscriberParameters, size, CUpti_SubscriberParams, structSize);
CHECK_FIELD(SubscriberParameters, name, CUpti_SubscriberParams, subscriberName);
CHECK_FIELD(SubscriberParameters, holder, CUpti_SubscriberParams, oldSubscriberName);
CHECK_FIELD(SubscriberParameters, holder_size, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(CUpti_SubscriberParams) == (CUPTI_API_VERSION < first_with_long_parameters
                                                     ? short_parameters
                                                     : sizeof(SubscriberParameters)));

static_assert(success == CUPTI_SUCCESS && invalid_parameter == CUPTI_ERROR_INVALID_PARAMETER);
static_assert(not_initialized == CUPTI_ERROR_NOT_INITIALIZED);
static_assert(other_subscriber == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(driver_calls == CUPTI_CB_DOMAIN_DRIVER_API && resources == CUPTI_CB_DOMAIN_RESOURCE);
static_assert(context_created == CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
static_assert(context_ends == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
static_assert(graph_node_created == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(call_begins == CUPTI_API_ENTER);

// The places of the members of a structure, without their names.
struct Places {
    size_t count = 0;
    size_t of[10] = {};
};
#define PLACES_OF(members, ...)                                                                    \
    [](const auto& it) {                                                                           \
        const auto& [__VA_ARGS__] = it;                                                            \
        const auto* begin = reinterpret_cast<const char*>(&it);                                    \
        Places result{members, {}};                                                                \
        size_t i = 0;                                                                              \
        auto note = [&](const auto&... each) {                                                     \
            ((result.of[i++] = static_cast<size_t>(reinterpret_cast<const char*>(&each) - begin)), \
             ...);                                                                                 \
        };                                                                                         \
        note(__VA_ARGS__);                                                                         \
        return result;                                                                             \
    }

template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 1>) {
    return PLACES_OF(1, a)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 2>) {
    return PLACES_OF(2, a, b)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 3>) {
    return PLACES_OF(3, a, b, c)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 4>) {
    return PLACES_OF(4, a, b, c, d)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 5>) {
    return PLACES_OF(5, a, b, c, d, e)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 6>) {
    return PLACES_OF(6, a, b, c, d, e, f)(it);
}
template <class Structure>
Places places_of(const Structure& it, std::integral_constant<size_t, 8>) {
    return PLACES_OF(8, a, b, c, d, e, f, g, h)(it);
}

template <class Function>
struct OurPlaces;
template <class... Parameters>
struct OurPlaces<cuda::Result(Parameters...)> {
    static constexpr size_t count = sizeof...(Parameters);
    static constexpr auto places = Layout<Parameters...>::places;
};

int differences = 0;
int compared = 0;

template <class Function, class Structure>
void compare(const char* name) {
    using Ours = OurPlaces<Function>;
    static_assert(Ours::places.of[Ours::count] == sizeof(Structure));
    static const Structure structure{};
    const Places theirs = places_of(structure, std::integral_constant<size_t, Ours::count>{});
    ++compared;
    for (size_t i = 0; i < Ours::count; ++i) {
        if (theirs.of[i] == Ours::places.of[i]) continue;
        std::printf("%s: argument %zu lies at %zu, not at %zu\n", name, i, theirs.of[i],
                    Ours::places.of[i]);
        ++differences;
    }
}

using namespace cuda;

void compare_all() {
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    compare<cuda::Result parameters, spelling##_params>(#spelling);
#include "preload/cuda/cuda_entries.def"
}

int look_into_library(const char* path) {
    void* const library = dlopen(path, RTLD_LAZY);
    auto* const name_of = library == nullptr
                              ? nullptr
                              : reinterpret_cast<GetName>(dlsym(library, "cuptiGetCallbackName"));
    if (name_of == nullptr) {
        std::printf("skipped: there is no libcupti at %s\n", path);
        return 0;
    }
    static Ids ids;
    ids.resolve(name_of);
    int missing = 0, found = 0;
    for (unsigned i = 0; i < entries_count; ++i) {
        const auto entry = static_cast<Entry>(i);
        if (!is_followed(entry)) continue;
        bool is_named = false;
        for (uint32_t id = 0; id < Ids::ids_max; ++id) is_named |= ids.entry_of(id) == entry;
        ++found;
        if (is_named) continue;
        ++missing;
        std::printf("the library does not name %s\n", spelling_of(entry).data());
    }
    std::printf("%s names %d functions, as the shim spells them\n", path, found);
    // And its numbers are those of these headers: the names are what we think they are.
    const bool is_same =
        ids.entry_of(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) == Entry::cuMemAlloc_v2 &&
        ids.entry_of(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2) == Entry::cuMemHostAlloc &&
        ids.entry_of(CUPTI_DRIVER_TRACE_CBID_cuMemCreate) == Entry::cuMemCreate;
    if (!is_same) std::printf("and they have other numbers than in its headers\n");
    return missing + !is_same;
}

}  // namespace
}  // namespace memtrace::preload::cupti

int main(int, char** arguments) {
    using namespace memtrace::preload::cupti;
    compare_all();
    std::printf("%d functions show their arguments as the shim reads them\n", compared);
    return differences + look_into_library(arguments[1]) == 0 && compared > 0 ? 0 : 1;
}
