// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/search_lost.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/lost/held_at.h"
#include "analyzer/lost/interior_pointers.h"
#include "analyzer/lost/pointer_search.h"
#include "analyzer/lost/python_garbage.h"
#include "analyzer/lost/range_set.h"
#include "analyzer/lost/root_regions.h"
#include "analyzer/lost/thread_registers.h"

namespace memtrace::analyzer {
namespace {

using State = PointerSearch::State;

// The request, mapped.
class SharedRequest {
public:
    explicit SharedRequest(int descriptor) : descriptor_(descriptor) {
        struct stat status;
        if (fstat(descriptor, &status) != 0 ||
            static_cast<uint64_t>(status.st_size) < sizeof(LostRequest)) {
            throw Error("There is no request.");
        }
        void* const pages =
            mmap(nullptr, sizeof(LostRequest), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        if (pages == MAP_FAILED) throw Error("The request cannot be read.");
        request_ = static_cast<LostRequest*>(pages);
        if (request_->magic != LostRequest::sound) throw Error("The request makes no sense.");
    }
    ~SharedRequest() {
        if (request_ != nullptr) munmap(request_, sizeof(LostRequest));
    }
    SharedRequest(const SharedRequest&) = delete;
    SharedRequest& operator=(const SharedRequest&) = delete;

    LostRequest& operator*() { return *request_; }
    LostRequest* operator->() { return request_; }

    std::vector<LostAnswer> answers() const {
        std::vector<LostAnswer> answers(request_->answers);
        const size_t bytes = answers.size() * sizeof(LostAnswer);
        if (pread(descriptor_, answers.data(), bytes, answer_offset) !=
            static_cast<ssize_t>(bytes)) {
            throw Error("The answer of the first copy cannot be read.");
        }
        return answers;
    }

    void answer(const std::vector<LostAnswer>& answers) {
        const auto* next = reinterpret_cast<const uint8_t*>(answers.data());
        const size_t bytes = answers.size() * sizeof(LostAnswer);
        for (size_t done = 0; done < bytes;) {
            const ssize_t count = pwrite(descriptor_, next + done, bytes - done,
                                         static_cast<off_t>(answer_offset + done));
            if (count <= 0) throw Error("The answer cannot be written: there is no memory.");
            done += static_cast<size_t>(count);
        }
        request_->answers = answers.size();
    }

    // Adds a sentence.
    void say(std::string_view text) {
        const size_t before = strnlen(request_->text, sizeof request_->text - 1);
        const std::string more = before == 0 ? std::string(text) : fmt::format(" {}", text);
        const size_t size = std::min(more.size(), sizeof request_->text - 1 - before);
        std::memcpy(request_->text + before, more.data(), size);
        request_->text[before + size] = 0;
    }

private:
    int descriptor_;
    LostRequest* request_ = nullptr;
};

// True if pointers are looked for in memory that the program shares, and there is any of it.
bool has_shared_roots(ProcessMemory& memory, const Roots& roots) {
    RangeSet ranges;
    for (const LostRange& root : roots.whole) ranges.add(root);
    bool found = false;
    for (const Mapping& mapping : memory.mappings()) {
        // libc's semaphores have no room for a pointer.
        if (!mapping.is_shared || found || mapping.path.starts_with("/dev/shm/sem.")) continue;
        for (const LostRange& part : ranges.common({mapping.begin, mapping.end}))
            memory.for_each_own_part(part, [&](LostRange) { found = true; });
    }
    return found;
}

// Says why nothing is certain of any block: there is memory that nobody sees, or that may have
// changed since the copy was made, because the program goes on. A pointer that is moved from there
// to memory of the copy meanwhile is in neither, however many copies there are.
bool is_all_in_doubt(SharedRequest& request, ProcessMemory& memory, const Roots& roots,
                     bool goes_on) {
    if (memory.bytes_left_out() != 0) return true;
    if (memory.bytes_of_files_not_read() != 0) {
        request.say(
            "Files that the program has mapped have more data than is read (1 GiB), so nothing is "
            "called definitely lost.");
        return true;
    }
    if (goes_on && memory.bytes_of_original() != 0) {
        request.say(
            "Memory that a copy of the process lacks (MADV_DONTFORK, MADV_WIPEONFORK) was read "
            "while the program went on, so nothing is called definitely lost.");
        return true;
    }
    if (goes_on && has_shared_roots(memory, roots)) {
        request.say(
            "Shared memory (MAP_SHARED) was read while the program went on, so nothing is called "
            "definitely lost.");
        return true;
    }
    return false;
}

// Takes back that blocks are lost which may be in use: there are registers and memory that nobody
// sees. After the first of two copies the second one tells.
void doubt(PointerSearch& pointers, SharedRequest& request, const HeldAt& held,
           const BlockIndex& blocks, ProcessMemory& memory, const Roots& roots) {
    const bool has_others = request->other_threads != 0, is_second = request->is_second != 0;
    const std::vector<LostThreadLook> before(
        request->looks, request->looks + (is_second ? request->look_count : 0));
    const std::vector<LostThreadLook> now =
        has_others ? look_at_threads(held.pid, LostRequest::threads_max)
                   : std::vector<LostThreadLook>();
    // What waited in the kernel from the first look to the second one has changed nothing since the
    // second copy was made.
    const bool others_go_on =
        is_second && !have_all_waited(before, now, request->thread, request->other_threads);
    const auto all = [](uint32_t) { return 0u; };
    const Doubt lost = doubtful(pointers.states(), UINT64_MAX / 16, all);
    if (!lost.blocks.empty() &&
        is_all_in_doubt(request, memory, roots, request->goes_on != 0 || others_go_on))
        pointers.doubt(lost.blocks);
    if (has_others && !is_second) {
        std::copy(now.begin(), now.end(), request->looks);
        request->look_count = now.size();
    }
    if ((request->without & lost_root_registers) != 0 || !has_others || !is_second) return;
    std::unordered_map<uint64_t, uint32_t> stacks;  // by address
    for (const HeldBlock& block : held.memory.heap) stacks[block.address] = block.stack;
    const Doubt doubt = doubtful(
        pointers.states(), words_in_registers(before, now, request->thread, request->other_threads),
        [&](uint32_t block) { return stacks.at(blocks[block].address); });
    pointers.doubt(doubt.blocks);
    if (doubt.lost_of_them != 0) {
        request.say(fmt::format(
            "At least {} of the possibly lost blocks {} lost: registers of threads can hold {}.",
            doubt.lost_of_them, doubt.lost_of_them == 1 ? "is" : "are",
            doubt.blocks.size() - doubt.lost_of_them));
    }
}

// `garbage`: addresses of blocks that only garbage of Python holds, sorted.
std::vector<LostAnswer> answers_of(const BlockIndex& blocks, const std::vector<State>& states,
                                   const std::unordered_set<uint64_t>& ignored,
                                   const std::vector<uint64_t>& garbage) {
    std::vector<LostAnswer> answers;
    for (uint32_t block = 0; block < blocks.size(); ++block) {
        const uint64_t address = blocks[block].address;
        if (ignored.contains(address)) {
            answers.push_back({address, LostKind::ignored});
            continue;
        }
        switch (states[block]) {
            case State::definitely: answers.push_back({address, LostKind::definitely}); break;
            case State::indirectly: answers.push_back({address, LostKind::indirectly}); break;
            case State::possibly: answers.push_back({address, LostKind::possibly}); break;
            case State::reachable:
                if (std::binary_search(garbage.begin(), garbage.end(), address))
                    answers.push_back({address, LostKind::garbage});
                break;
            case State::unreached: break;
        }
    }
    return answers;
}

// Keeps what both copies agree on: a block that the first one had not lost is held.
std::vector<LostAnswer> common_answers(const std::vector<LostAnswer>& first,
                                       const std::vector<LostAnswer>& second) {
    const auto is_before = [](const LostAnswer& a, const LostAnswer& b) {
        return a.address < b.address;
    };
    std::vector<LostAnswer> common;
    for (const LostAnswer& answer : second) {
        const auto old = std::lower_bound(first.begin(), first.end(), answer, is_before);
        if (old == first.end() || old->address != answer.address) continue;
        // What was lost is no garbage a second later, nor the other way round.
        const bool is_garbage = answer.kind == LostKind::garbage;
        if (is_garbage != (old->kind == LostKind::garbage)) continue;
        // The weaker of the two verdicts.
        const bool is_weak = old->kind == LostKind::possibly || answer.kind == LostKind::possibly;
        common.push_back({answer.address, is_weak ? LostKind::possibly : answer.kind});
    }
    return common;
}

// Everything that leads into the heap from outside.
struct HeapRoots {
    Roots memory;
    std::vector<uint64_t> registers;
    std::unordered_set<uint64_t> held;  // addresses of blocks that count as held

    // `without`: addresses where no roots are.
    void add_to(PointerSearch& pointers, const BlockIndex& blocks, const RangeSet& without) const {
        for (const LostRange& root : memory.whole) {
            for (const LostRange& part : without.missing(root)) pointers.add_root(part);
        }
        for (const LostRange& root : memory.of_loader) {
            for (const LostRange& part : without.missing(root)) pointers.add_root_by_any(part);
        }
        for (const LostRange& root : memory.around_blocks) pointers.add_root_around_blocks(root);
        for (const uint64_t word : registers) pointers.add_word(word);
        for (const uint64_t address : held) {
            const uint32_t block = blocks.find(address);
            if (block != BlockIndex::none) pointers.add_held(block);
        }
    }
};

// A block in which a thread runs, on a stack of its own, is in use as a whole.
void add_stacks_in_blocks(HeapRoots& roots, const LostRequest& request, const BlockIndex& blocks) {
    const auto add = [&](uint64_t stack) {
        const uint32_t block = blocks.find(stack);
        if (block != BlockIndex::none) roots.registers.push_back(blocks[block].address);
    };
    add(request.stack_pointer);
    for (uint32_t i = 0; i < request.thread_count; ++i) {
        if (request.threads[i].is_gone == 0) add(request.threads[i].stack);
    }
}

HeapRoots find_heap_roots(Memory& memory, const LostRequest& request, const HeldAt& held,
                          const BlockIndex& blocks) {
    std::vector<LostRange> mapped;
    for (const HeldMapping& mapping : held.memory.mappings) {
        mapped.push_back({mapping.begin, mapping.end});
    }
    HeapRoots roots;
    roots.memory = find_roots(memory, {request, mapped, blocks, held.has_older_blocks});
    if ((request.without & lost_root_registers) == 0) {
        roots.registers.assign(std::begin(request.registers), std::end(request.registers));
        roots.registers.push_back(request.signal_stack);
    }
    if ((request.without & lost_root_stacks) == 0) add_stacks_in_blocks(roots, request, blocks);
    roots.held = held.left_out;
    for (uint32_t i = 0; i < request.ignored_count; ++i) {
        const uint32_t block = blocks.find(request.ignored[i]);
        if (block != BlockIndex::none) roots.held.insert(blocks[block].address);
    }
    return roots;
}

// The search for garbage takes about as much memory as Python's objects.
constexpr uint64_t arena_bytes_max = 256 << 20;

// Returns the addresses of blocks that only garbage of Python holds, sorted.
std::vector<uint64_t> find_garbage(SharedRequest& request, Memory& memory, const HeldAt& held,
                                   const BlockIndex& blocks, const HeapRoots& roots,
                                   const PointerSearch::IsAsGood& is_as_good) {
    std::vector<LostRange> arenas;
    for (const HeldMapping& mapping : held.memory.mappings) {
        if (mapping.part == HostPart::python_arenas) arenas.push_back({mapping.begin, mapping.end});
    }
    if (!has_python(memory, arenas)) return {};
    uint64_t bytes = 0;
    for (const LostRange& arena : arenas) bytes += arena.end - arena.begin;
    if (bytes > arena_bytes_max) {
        request.say("Python has so many objects that garbage was not looked for.");
        return {};
    }
    const auto add_roots = [&](PointerSearch& search, const BlockIndex& all,
                               const RangeSet& without) { roots.add_to(search, all, without); };
    return find_python_garbage(memory, {blocks, arenas, is_as_good, add_roots});
}

void search(uint64_t pid, const std::string& dump, SharedRequest& request) {
    const std::vector<LostAnswer> first =
        request->is_second != 0 ? request.answers() : std::vector<LostAnswer>();
    const HeldAt held = held_at(dump, request->at);
    const auto begin = std::chrono::steady_clock::now();
    if (held.is_sample) {
        throw Error("Of the heap only a sample is recorded; a search needs every block.");
    }
    if (held.has_pause) {
        throw Error("The recording was stopped for a while, so blocks may have been freed unseen.");
    }
    std::vector<SearchedBlock> searched;
    searched.reserve(held.memory.heap.size());
    uint64_t bytes = 0;
    for (const HeldBlock& block : held.memory.heap) {
        searched.push_back({block.address, block.size});
        bytes += block.size;
    }
    const BlockIndex blocks(std::move(searched));
    ProcessMemory memory(pid, held.pid, {request->own, request->own_count});
    InteriorPointers interior(memory);
    const auto is_as_good = [&](const SearchedBlock& block, uint64_t address) {
        return interior.is_as_good(block, address);
    };
    const HeapRoots roots = find_heap_roots(memory, *request, held, blocks);
    PointerSearch pointers(blocks, memory, is_as_good);
    roots.add_to(pointers, blocks, {});
    pointers.finish();
    doubt(pointers, request, held, blocks, memory, roots.memory);
    std::vector<LostAnswer> answers =
        answers_of(blocks, pointers.states(), roots.held,
                   find_garbage(request, memory, held, blocks, roots, is_as_good));
    memory.check_is_there();
    if (request->is_second != 0) answers = common_answers(first, answers);
    request->not_copied = memory.bytes_left_out();
    request->blocks = blocks.size();
    request->bytes = bytes;
    const auto work = std::chrono::steady_clock::now() - begin;
    request->work_us =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(work).count());
    request.answer(answers);
    if (held.has_older_blocks) {
        request.say(
            "The program has blocks from before this recording, so all of the heap counts as a "
            "place where pointers may be, and less is called lost.");
    }
    if (held.is_damaged) request.say("The dump is damaged, so blocks may be missing.");
}

}  // namespace

int search_lost(uint64_t pid, const std::string& dump, int descriptor) {
    SharedRequest request(descriptor);
    request->text[0] = 0;
    const auto fail = [&](std::string_view why) {
        request->text[0] = 0;
        request.say(why);
        request->state = LostAnswerState::failed;
        return 1;
    };
    try {
        search(pid, dump, request);
        request->state = LostAnswerState::done;
        return 0;
    } catch (const std::bad_alloc&) {
        return fail(
            "There is not enough memory for memtrace-report, or not as much as it may take.");
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}

int run_search_lost(int count, const char* const* words) {
    if (count != 3) return 2;
    try {
        return search_lost(std::strtoull(words[0], nullptr, 10), words[1],
                           static_cast<int>(std::strtol(words[2], nullptr, 10)));
    } catch (const std::exception&) {
        return 2;
    }
}

}  // namespace memtrace::analyzer
