// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/root_regions.h"

#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "analyzer/lost/glibc_regions.h"
#include "analyzer/lost/mappings.h"
#include "analyzer/lost/range_set.h"
#include "analyzer/lost/thread_stacks.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t mapped_block_min = 4096;  // A smaller block has no mapping of its own.

bool is_kernel_page(const Mapping& mapping) {
    return mapping.path == "[vvar]" || mapping.path == "[vdso]" || mapping.path == "[vsyscall]" ||
           mapping.path == "[vvar_vclock]";
}

// Of a device nobody knows what reading it does. But files may lie below /dev, too: that is where
// large pages are mounted often. A file that was deleted since is no device, which stays.
bool is_device(const std::string& path) {
    if (!path.starts_with("/dev/") || is_nameless_memory(path)) return false;
    struct stat found;
    if (stat(path.c_str(), &found) != 0) return !path.ends_with(" (deleted)");
    return !S_ISREG(found.st_mode);
}

// Memory that the program cannot read now may still hold what it wrote there (mprotect).
bool can_have_pointers(const Mapping& mapping) {
    if (is_kernel_page(mapping) || is_device(mapping.path)) return false;
    // Of a private file, only pages that the program has changed count (for_each_own_part).
    if (!mapping.is_shared) return true;
    return is_nameless_memory(mapping.path) || (mapping.write && mapping.path.starts_with('/'));
}

bool is_loader(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("ld-") || name.starts_with("ld.so");
}

class RootFinder {
public:
    RootFinder(Memory& memory, const RootFacts& facts) : memory_(memory), facts_(facts) {
        const LostRequest& request = facts.request;
        for (uint32_t i = 0; i < request.own_count; ++i) own_.add(request.own[i]);
        for (const LostRange& range : facts.mapped) mapped_.add(range);
        find_dead_part(memory);
        find_main_arena_of_process();
        for (uint32_t i = 0; i < request.thread_count; ++i) {
            const LostThread& thread = request.threads[i];
            if (thread.stack == 0) continue;
            (thread.is_gone != 0 ? gone_ : alive_).push_back(thread.stack);
        }
        alive_.push_back(request.stack_pointer);
        alive_.push_back(request.thread_pointer);
        find_mapped_blocks();
    }

    Roots run() {
        for (const Mapping& mapping : memory_.mappings()) {
            if (can_have_pointers(mapping) && (mapping.read || has_pages(mapping)))
                add_mapping(mapping);
            is_guarded_ = !mapping.read && !mapping.write && !mapping.execute;
            last_end_ = mapping.end;
        }
        for (const LostRange& range : left_out_) remove(range);
        remove(dead_);
        const LostRequest& request = facts_.request;
        for (uint32_t i = 0; i < request.root_count; ++i) roots_.add(request.roots[i]);
        return {roots_.ranges(), heaps_.ranges(), loader_.ranges()};
    }

private:
    // Most of what cannot be read is reserved, or guards a stack.
    bool has_pages(const Mapping& mapping) const {
        bool has = false;
        memory_.for_each_own_part({mapping.begin, mapping.end}, [&](LostRange) { has = true; });
        return has;
    }

    void find_mapped_blocks() {
        for (uint32_t i = 0; i < facts_.blocks.size(); ++i) {
            const SearchedBlock& block = facts_.blocks[i];
            if (block.size + 32 < mapped_block_min) continue;
            if (const auto pages = own_mapping_of(memory_, block)) allocators_.add(*pages);
        }
    }

    void add_mapping(const Mapping& mapping) {
        LostRange whole{mapping.begin, mapping.end};
        const bool is_guarded = is_guarded_ && last_end_ == mapping.begin;
        if (mapping.path.starts_with('/') && !mapping.is_shared) {
            is_loaders_ = is_loader(mapping.path);
            if (is_loaders_) loader_.add(whole);
            if (!is_left_out(lost_root_data)) add_but_own(whole);
            data_end_ = mapping.end;
            return;
        }
        // What a module has beyond its file is mapped behind that.
        const bool is_data = mapping.begin == data_end_ && mapping.path.empty();
        if (is_data && is_loaders_) loader_.add(whole);
        if (is_data && is_left_out(lost_root_data)) return;
        if (is_left_out(lost_root_stacks) && is_stack(mapping, is_guarded)) {
            if (is_left_out(lost_root_tls)) return;
            return add_thread_data(whole);
        }
        if (is_left_out(lost_root_tls) && contains(whole, facts_.request.thread_pointer)) return;
        for (const LostRange& part : parts_mapped_in(whole)) {
            if (is_allocators(part)) add_heap(part);
            else if (!is_left_out(lost_root_mappings)) add_but_own(part);
        }
        const bool is_allocators_heap = mapping.path == "[heap]"
                                            ? facts_.blocks.begins_in(whole.begin, whole.end)
                                            : is_arena_heap(memory_, mapping);
        if (is_allocators_heap) {
            if (whole.begin <= top_ && top_ < whole.end) add_parts_of_others(whole);
            return add_heap(whole);
        }
        // glibc keeps such a stack for the next thread, and with it the vector of thread-local
        // storage. The next thread may be one that has recorded nothing.
        if (is_guarded && is_stack_of_gone_thread(whole)) {
            const auto thread = thread_of_stack(memory_, whole);
            if (thread && has_thread_ended(memory_, *thread, facts_.request))
                return add_thread_data(whole);
        }
        for (const LostRange& part : mapped_.missing(whole)) add_unknown(part);
    }

    void find_main_arena_of_process() {
        for (const Mapping& mapping : memory_.mappings()) {
            if (!mapping.write || mapping.is_shared || !mapping.path.starts_with('/')) continue;
            if (mapping.path.find("libc") == std::string::npos) continue;
            const auto arena = find_main_arena(memory_, {mapping.begin, mapping.end});
            if (!arena) continue;
            left_out_.push_back(*arena);
            top_ = top_of(memory_, *arena);
        }
    }

    void add_parts_of_others(LostRange heap) {
        if (is_left_out(lost_root_mappings)) return;
        for (const LostRange& part : parts_of_others(memory_, heap, top_, facts_.blocks))
            add_but_own(part);
    }

    // Below what is in use of the stack of the thread that makes the copy lie the shim's frames and
    // what earlier calls left there. That stack ends where libc says so: other threads' may lie in
    // the same mapping.
    void find_dead_part(Memory& memory) {
        const LostRequest& request = facts_.request;
        if (request.used_from == 0) return;
        std::optional<LostRange> own;
        for (const Mapping& mapping : memory.mappings()) {
            if (mapping.path == "[stack]") own = LostRange{mapping.begin, mapping.end};
        }
        if (!own || !contains(*own, request.stack_pointer))
            own = stack_of_thread(memory, request.thread_pointer);
        if (!own || !contains(*own, request.stack_pointer)) return;
        dead_ = {own->begin, std::min(request.used_from, request.stack_pointer) / 8 * 8};
    }

    // Each mapping that the program made is judged by itself: the kernel joins neighbours, and one
    // may be the allocator's and the next one the program's own.
    std::vector<LostRange> parts_mapped_in(LostRange range) const {
        std::vector<LostRange> parts;
        auto next =
            std::partition_point(facts_.mapped.begin(), facts_.mapped.end(),
                                 [&](const LostRange& each) { return each.end <= range.begin; });
        for (; next != facts_.mapped.end() && next->begin < range.end; ++next)
            parts.push_back({std::max(next->begin, range.begin), std::min(next->end, range.end)});
        return parts;
    }

    bool is_left_out(LostRoot kind) const { return (facts_.request.without & kind) != 0; }

    bool is_stack(const Mapping& mapping, bool is_guarded) const {
        const LostRange range{mapping.begin, mapping.end};
        return mapping.path == "[stack]" ||
               (is_guarded && (contains_one(range, alive_) || contains_one(range, gone_)) &&
                mapped_.common(range).empty());
    }

    // At the top of a thread's stack lies what libc knows of it (struct pthread), and below that
    // its thread-local variables begin.
    void add_thread_data(LostRange stack) {
        constexpr uint64_t thread_data_bytes = 2560;
        if (stack.end - stack.begin > thread_data_bytes &&
            !contains(stack, facts_.request.stack_pointer)) {
            add_but_own({stack.end - thread_data_bytes, stack.end});
        }
    }

    // Nobody recorded who mapped this: the loader, libc, or a system call without libc.
    void add_unknown(LostRange range) {
        for (const LostRange& part : allocators_.missing(range)) {
            if (!is_allocators(part) || is_of_live_thread(part)) add_but_own(part);
            else add_heap(part);
        }
    }

    void add_heap(LostRange range) {
        if (!facts_.has_older_blocks) return;
        for (const LostRange& part : own_.missing(range)) heaps_.add(part);
    }

    void add_but_own(LostRange range) {
        for (const LostRange& part : own_.missing(range)) roots_.add(part);
    }

    // Blocks come from an allocator, and so does what lies between them, or holds the end of one.
    bool is_allocators(LostRange range) const {
        return facts_.blocks.begins_in(range.begin, range.end) ||
               facts_.blocks.find(range.begin) != BlockIndex::none;
    }

    static bool contains(LostRange range, uint64_t address) {
        return range.begin <= address && address < range.end;
    }
    static bool contains_one(LostRange range, const std::vector<uint64_t>& addresses) {
        return std::any_of(addresses.begin(), addresses.end(),
                           [&](uint64_t address) { return contains(range, address); });
    }
    bool is_of_live_thread(LostRange range) const { return contains_one(range, alive_); }
    bool is_stack_of_gone_thread(LostRange range) const {
        return !is_of_live_thread(range) && contains_one(range, gone_);
    }

    void remove(LostRange range) {
        RangeSet rest;
        RangeSet gone;
        gone.add(range);
        if (range.begin >= range.end) return;
        for (const LostRange& root : roots_.ranges()) {
            for (const LostRange& part : gone.missing(root)) rest.add(part);
        }
        roots_ = std::move(rest);
    }

    Memory& memory_;
    const RootFacts& facts_;
    RangeSet own_;
    RangeSet mapped_;      // that the program mapped
    RangeSet allocators_;  // pages of blocks that have a mapping of their own
    RangeSet roots_;
    RangeSet heaps_;
    RangeSet loader_;
    std::vector<LostRange> left_out_;
    uint64_t top_ = 0;             // of libc's main arena
    LostRange dead_;               // of the stack of the thread that makes the copy
    std::vector<uint64_t> alive_;  // addresses in stacks of live threads
    std::vector<uint64_t> gone_;   // and of threads that have ended
    uint64_t data_end_ = 0;        // of the last module's file,
    bool is_loaders_ = false;      // which is the loader's
    bool is_guarded_ = false;      // The last mapping cannot be accessed,
    uint64_t last_end_ = 0;        // and ends here.
};

}  // namespace

Roots find_roots(Memory& memory, const RootFacts& facts) { return RootFinder(memory, facts).run(); }

}  // namespace memtrace::analyzer
