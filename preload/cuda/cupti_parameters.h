// SPDX-License-Identifier: Apache-2.0
//
// Reads the arguments that CUPTI passes for a call. They form a structure with one member for each
// parameter, in order, in C layout. So the parameters of cuda_entries.def describe it, and no
// further declaration is needed.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

namespace memtrace::preload::cupti {

template <class... Parameters>
struct Layout {
    static constexpr size_t count = sizeof...(Parameters);
    struct Places {
        size_t of[count + 1];  // offset of each parameter; the last is the size of the whole
    };
    static constexpr Places places = [] {
        constexpr size_t sizes[] = {sizeof(Parameters)...};
        constexpr size_t units[] = {alignof(Parameters)...};
        Places result{};
        size_t at = 0;
        size_t unit_max = 1;
        for (size_t i = 0; i < count; ++i) {
            at = (at + units[i] - 1) / units[i] * units[i];
            result.of[i] = at;
            at += sizes[i];
            if (units[i] > unit_max) unit_max = units[i];
        }
        result.of[count] = (at + unit_max - 1) / unit_max * unit_max;
        return result;
    }();

    template <size_t index, class Parameter>
    static Parameter read(const void* structure) {
        Parameter value;
        std::memcpy(&value, static_cast<const char*>(structure) + places.of[index], sizeof value);
        return value;
    }
};

// Calls `use` with the arguments stored in the structure.
template <class... Parameters, class Use>
auto with_arguments(const void* structure, Use&& use) {
    using L = Layout<Parameters...>;
    return [&]<size_t... index>(std::index_sequence<index...>) {
        return use(L::template read<index, Parameters>(structure)...);
    }
    (std::index_sequence_for<Parameters...>{});
}

}  // namespace memtrace::preload::cupti
