// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_stack_cache.h"

#include <cstring>

#include "preload/python/python_invalidation.h"
#include "preload/python/python_runtime.h"

namespace memtrace::preload {
namespace {

// Stacks with another status are uncertain, or may be freed while they are used.
bool can_be_recognised(const PythonStack& stack) {
    switch (stack.status) {
        case PythonStackStatus::ok: return FreedCodes::are_watched();
        case PythonStackStatus::off:
        case PythonStackStatus::no_thread_state:
        case PythonStackStatus::empty: return stack.length == 0;
        case PythonStackStatus::none:
        case PythonStackStatus::finalizing:
        case PythonStackStatus::truncated:
        case PythonStackStatus::unsure: break;
    }
    return false;
}

uint64_t hash_of(const CachedPythonStack& one) {
    uint64_t hash = one.frame.instruction ^ one.frame.code << 16;
    hash = (hash ^ one.outer ^ static_cast<uint64_t>(one.status) << 60) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

bool is_same(const CachedPythonStack& one, const CachedPythonStack& other) {
    return one.outer == other.outer && one.length == other.length && one.status == other.status &&
           one.frame.code == other.frame.code && one.frame.instruction == other.frame.instruction &&
           one.frame.anchor == other.frame.anchor;
}

// True if the code object of the frame is still the same.
bool has_its_code(CachedPythonStack& one, uint64_t now) {
    if (one.freed_codes == now) return true;
    if (!FreedCodes::are_few(one.freed_codes, now) ||
        FreedCodes::has(one.frame.code, one.freed_codes, now)) {
        return false;
    }
    one.freed_codes = now;
    return true;
}

}  // namespace

uint16_t PythonStackCache::find_or_add(StackCache& stack_cache, const CachedPythonStack& wanted) {
    BumpArena& arena = stack_cache.arena();
    uint16_t& newest = newest_[hash_of(wanted) % (1u << table_bits)];
    for (uint16_t place = newest; place != BumpArena::no_place;) {
        auto& one = arena.at<CachedPythonStack>(place);
        if (is_same(one, wanted) && has_its_code(one, wanted.freed_codes)) {
            one.frame.frame = wanted.frame.frame;
            return place;
        }
        place = one.older;
    }
    const auto place = static_cast<uint16_t>(stack_cache.take(sizeof wanted));
    if (place == BumpArena::no_place) return place;
    auto& one = arena.at<CachedPythonStack>(place);
    one = wanted;
    one.older = newest;
    newest = place;
    return place;
}

bool PythonStackCache::add(StackCache& stack_cache, const PythonStack& stack, uint32_t& place) {
    BumpArena& arena = stack_cache.arena();
    place = BumpArena::no_place;
    if (stack.status == PythonStackStatus::none) return true;
    if (!can_be_recognised(stack)) return false;
    if (newest_ == nullptr || clears_ != arena.clears()) {
        const size_t bytes = sizeof *newest_ << table_bits;
        const uint32_t table = stack_cache.take(bytes);
        if (table == BumpArena::no_place) return false;
        newest_ = &arena.at<uint16_t>(table);
        std::memset(newest_, 0, bytes);
        clears_ = arena.clears();
    }
    CachedPythonStack wanted = {};
    wanted.status = stack.status;
    wanted.freed_codes = FreedCodes::count();
    if (stack.length == 0) place = wanted.outer = find_or_add(stack_cache, wanted);
    while (wanted.length < stack.length) {
        wanted.frame = stack.frames[wanted.length++];
        wanted.outer = find_or_add(stack_cache, wanted);
        // Entries for frames further outside are void if there is no room.
        if (wanted.outer == BumpArena::no_place) return false;
        place = wanted.outer;
    }
    return place != BumpArena::no_place;
}

[[gnu::hot]] bool PythonStackCache::holds(const BumpArena& arena, uint32_t place,
                                          PythonWalker& walker) {
    if (place == BumpArena::no_place) return python_state() == PythonState::none;
    auto& one = arena.at<CachedPythonStack>(place);
    if (!walker.would_find(arena, one)) return false;
    walker.count({nullptr, one.length, one.length, one.status});
    return true;
}

}  // namespace memtrace::preload
