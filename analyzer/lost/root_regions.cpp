// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/root_regions.h"

#include <algorithm>
#include <string_view>

#include "analyzer/lost/glibc_regions.h"
#include "analyzer/lost/range_set.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t mapped_block_min = 4096;  // A smaller block has no mapping of its own.

bool is_kernel_page(const Mapping& mapping) {
    return mapping.path == "[vvar]" || mapping.path == "[vdso]" || mapping.path == "[vsyscall]" ||
           mapping.path == "[vvar_vclock]";
}

// Shared memory that no file has: it is the memory of this program and its children.
bool is_nameless_memory(const std::string& path) {
    return path.empty() || path.starts_with("/dev/zero") || path.starts_with("/memfd:") ||
           path.starts_with("/dev/shm/") || path.starts_with("/SYSV") || path.starts_with("[anon");
}

// Of a device nobody knows what reading it does.
bool is_file(const std::string& path) {
    return path.starts_with('/') && !path.starts_with("/dev/");
}

bool can_have_pointers(const Mapping& mapping) {
    if (!mapping.read || is_kernel_page(mapping)) return false;
    if (mapping.is_shared)
        return mapping.write && (is_nameless_memory(mapping.path) || is_file(mapping.path));
    // Of a private file, only pages that were written to count (for_each_own_part).
    return !mapping.path.starts_with("/dev/") || is_nameless_memory(mapping.path);
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
            if (can_have_pointers(mapping)) add_mapping(mapping);
            is_guarded_ = !mapping.read && !mapping.write && !mapping.execute;
            last_end_ = mapping.end;
        }
        for (const LostRange& range : left_out_) remove(range);
        const LostRequest& request = facts_.request;
        for (uint32_t i = 0; i < request.root_count; ++i) roots_.add(request.roots[i]);
        return {roots_.ranges(), heaps_.ranges(), loader_.ranges()};
    }

private:
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
            if (mapping.write && mapping.path.find("libc") != std::string::npos) {
                if (const auto arena = find_main_arena(memory_, whole)) left_out_.push_back(*arena);
            }
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
        // The shim's frames lie below, and what earlier calls left there. But below a stack that
        // the program made itself, there may be anything, also in one mapping with the main
        // thread's data, which have no guard.
        const bool is_own_stack = mapping.path == "[stack]" ||
                                  (is_guarded && contains(whole, facts_.request.thread_pointer));
        if (is_own_stack && contains(whole, facts_.request.stack_pointer)) {
            whole.begin = facts_.request.stack_pointer / 8 * 8;
        }
        for (const LostRange& part : mapped_.common(whole)) {
            if (is_allocators(part)) add_heap(part);
            else if (!is_left_out(lost_root_mappings)) add_but_own(part);
        }
        const bool is_allocators_heap = mapping.path == "[heap]"
                                            ? facts_.blocks.begins_in(whole.begin, whole.end)
                                            : is_arena_heap(memory_, mapping);
        if (is_allocators_heap) return add_heap(whole);
        // glibc keeps such a stack for the next thread, and with it the vector of thread-local
        // storage.
        if (is_guarded && is_stack_of_gone_thread(whole)) return add_thread_data(whole);
        for (const LostRange& part : mapped_.missing(whole)) add_unknown(part);
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

    // Blocks come from an allocator, and so does what lies between them.
    bool is_allocators(LostRange range) const {
        return facts_.blocks.begins_in(range.begin, range.end);
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
