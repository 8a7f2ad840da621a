// SPDX-License-Identifier: Apache-2.0
#include "analyzer/arrays/array_sites.h"

#include <algorithm>
#include <string>

namespace memtrace::analyzer {
namespace {

enum class Says : uint8_t {
    nothing,
    memory,
    array,
    tensor,
    arena,
    host,
    // From here on: of Python's functions, by file.
    host_file,
    optimiser_file,
    layer_file,
};

struct KnownFrame {
    Says says;
    std::string_view text;
};

constexpr KnownFrame known_frames[] = {
#define MEMTRACE_ARRAY_FRAME(what, text, why) {Says::what, text},
#include "analyzer/arrays/array_frames.def"
};

Says look_at(const Frame& frame) {
    const bool is_python = frame.kind == FrameKind::python;
    for (const KnownFrame& known : known_frames) {
        const bool is_file = known.says >= Says::host_file;
        if (is_file != is_python) continue;
        const bool fits = is_file ? frame.file.find(known.text) != std::string::npos
                                  : frame.function.starts_with(known.text);
        if (fits) return known.says;
    }
    return Says::nothing;
}

// The innermost function of a library decides: a layer that an optimiser calls is none of it.
ArrayOrigin origin_of(const Symbols& symbols, const std::vector<Says>& says, uint32_t stack,
                      bool* is_arena) {
    bool is_memory = false, is_array = false;
    ArrayOrigin origin = ArrayOrigin::program;
    *is_arena = false;
    symbols.walk(stack, [&](FrameId id) {
        const bool is_open = origin == ArrayOrigin::program;
        switch (says[id]) {
            case Says::nothing: break;
            case Says::memory: is_memory = true; break;
            case Says::array:
            case Says::tensor: is_array = true; break;
            case Says::arena: *is_arena = true; break;
            case Says::host: origin = ArrayOrigin::host; break;
            case Says::host_file:
                if (is_open) origin = ArrayOrigin::host;
                break;
            case Says::optimiser_file:
                if (is_open) origin = ArrayOrigin::optimiser;
                break;
            case Says::layer_file:
                if (is_open) origin = ArrayOrigin::layer;
                break;
        }
    });
    *is_arena &= is_memory;
    return is_memory && is_array && !*is_arena ? origin : ArrayOrigin::none;
}

}  // namespace

ArraySites::ArraySites(const Model& model, const Symbols& symbols) : origins_(model.spaces.size()) {
    std::vector<Says> says(symbols.frames.size());
    std::transform(symbols.frames.begin(), symbols.frames.end(), says.begin(), look_at);
    const auto is_met = [&](Says what) {
        return std::find(says.begin(), says.end(), what) != says.end();
    };
    if (!is_met(Says::memory)) return;
    is_ordered_ = !is_met(Says::tensor);
    for (size_t s = 0; s < model.spaces.size(); ++s) {
        const Space& space = model.spaces[s];
        for (size_t i = 0; i < space.sites.size() && i < space.numbers.size(); ++i) {
            const uint32_t number = space.numbers[i];
            if (number >= origins_[s].size()) origins_[s].resize(number + 1);
            bool is_arena = false;
            origins_[s][number] = origin_of(symbols, says, space.sites.stack(i), &is_arena);
            has_arrays_ |= origins_[s][number] != ArrayOrigin::none;
            if (is_arena) arena_bytes_ += space.sites.totals(i).at_peak_bytes;
        }
    }
}

ArrayOrigin ArraySites::of(size_t space, uint32_t number) const {
    return space < origins_.size() && number < origins_[space].size() ? origins_[space][number]
                                                                      : ArrayOrigin::none;
}

TensorRequest ArraySites::request(const Model& model) const {
    TensorRequest request;
    for (size_t s = 0; s < origins_.size(); ++s) {
        std::vector<SiteRole>& roles = request.sites[model.spaces[s].name];
        for (const ArrayOrigin origin : origins_[s]) {
            roles.push_back({.is_tensor = origin != ArrayOrigin::none});
        }
    }
    return request;
}

}  // namespace memtrace::analyzer
