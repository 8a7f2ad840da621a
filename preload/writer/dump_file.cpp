// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/dump_file.h"

#include <errno.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "memtrace/dump/control.h"
#include "memtrace/dump/hash.h"
#include "preload/base/fixed_text.h"
#include "preload/base/held_signals.h"
#include "preload/base/options.h"
#include "preload/base/sys.h"
#include "preload/base/thread_state.h"
#include "preload/writer/dump_header.h"
#include "preload/writer/dump_limit.h"
#include "preload/writer/file_system.h"
#include "preload/writer/high_descriptor.h"

namespace memtrace::preload::dump_file {
namespace {

struct File {
    int fd = -1;
    bool mapped = false;
    dev_t device = 0;
    ino_t inode = 0;
    FileHeader* header = nullptr;
    Path path;
    FixedText<256> why_private;              // a clause, if rings lie in private memory
    std::atomic<uint64_t> length{0};         // the length that we gave the file
    std::atomic<uint64_t> private_rings{0};  // bytes
    std::atomic<uint64_t> coming{0};         // bytes that will be given back
    std::atomic<int> error{0};
    std::atomic<bool> is_full{false};  // as max_dump says
    std::atomic<uint32_t> users{0};    // of the descriptor, at this moment
};
File file;

bool fail(long error) {
    file.error.store(static_cast<int>(error < 0 ? -error : error));
    return false;
}

bool is_our_file(int fd) {
    struct stat status;
    return sys::fstat(fd, &status) == 0 && status.st_dev == file.device &&
           status.st_ino == file.inode;
}

// Returns a descriptor of the dump, or -1.
int find_descriptor() {
    const int fd = __atomic_load_n(&file.fd, __ATOMIC_ACQUIRE);
    if (fd >= 0 && is_our_file(fd)) return fd;
    const int again = sys::open(file.path.c_str(), O_RDWR | O_NOFOLLOW);
    if (again < 0) {
        fail(again);
        return -1;
    }
    if (!is_our_file(again)) {
        sys::close(again);
        fail(ESTALE);
        return -1;
    }
    const int high = to_high_number(again);
    sys::lock_now(high, LOCK_SH);
    __atomic_store_n(&file.fd, high, __ATOMIC_RELEASE);
    return high;
}

// The dump's descriptor for one job. Whoever wants its number waits until the job is done.
class Descriptor {
public:
    Descriptor() {
        file.users.fetch_add(1, std::memory_order_seq_cst);
        fd_ = find_descriptor();
    }
    ~Descriptor() { file.users.fetch_sub(1, std::memory_order_release); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    explicit operator bool() const { return fd_ >= 0; }
    int number() const { return fd_; }

private:
    int fd_;
};

bool write_zeros(int fd, uint64_t from, uint64_t to) {
    static constexpr char zeros[page_bytes] = {};
    while (from < to) {
        const uint64_t part = to - from < sizeof zeros ? to - from : sizeof zeros;
        const long written = sys::pwrite(fd, zeros, part, from);
        if (written == -EINTR) continue;
        if (written <= 0) return fail(written == 0 ? ENOSPC : written);
        from += static_cast<uint64_t>(written);
    }
    return true;
}

// Bytes of the file that are holes, because its past was compacted.
uint64_t given_back() {
    if (!file.mapped) return 0;
    const auto* const page = reinterpret_cast<const char*>(file.header);
    const auto& control = *reinterpret_cast<const Control*>(page + control_offset);
    return std::min(asked_now(control.pages_given_back) * uint64_t{page_bytes},
                    __atomic_load_n(&file.header->file_end, __ATOMIC_ACQUIRE));
}

// Makes the file at least `needed` bytes long, with disk blocks behind every byte.
bool make_room(int fd, uint64_t needed) {
    uint64_t length = file.length.load(std::memory_order_acquire);
    if (needed <= length) return true;
    const HeldSignals held;  // The program may lower the limit at any moment.
    const uint64_t holes = given_back();
    uint64_t target = dump_limit::grown(length, needed, holes);
    if (target == 0) {
        if (dump_limit::forbids(needed - holes, holes)) file.is_full.store(true);
        return fail(EFBIG);
    }
    long result = sys::fallocate(fd, length, target - length);
    if (result == -ENOSPC || result == -EDQUOT) {
        target = needed;  // Without the spare room it may still fit.
        result = sys::fallocate(fd, length, target - length);
    }
    if (result == -EOPNOTSUPP || result == -ENOSYS) {
        if (!write_zeros(fd, length, target)) return false;
        result = 0;
    }
    if (sys::failed(result)) return fail(result);
    while (length < target && !file.length.compare_exchange_weak(length, target)) {
    }
    return true;
}

// Returns the offset of `bytes` bytes that now belong to the caller, or 0. The file is long enough
// for them before they are taken.
uint64_t reserve(int fd, uint64_t bytes) {
    uint64_t& end = file.header->file_end;
    uint64_t seen = __atomic_load_n(&end, __ATOMIC_ACQUIRE);
    do {
        if (!make_room(fd, seen + bytes)) return 0;
    } while (!__atomic_compare_exchange_n(&end, &seen, seen + bytes, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return seen;
}

// Gives bytes back that could not be written, unless others follow: a gap would look like damage.
void give_back(uint64_t offset, uint64_t bytes) {
    uint64_t end = offset + bytes;
    __atomic_compare_exchange_n(&file.header->file_end, &end, offset, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

bool write_all(int fd, const void* bytes, size_t size, uint64_t offset) {
    const char* next = static_cast<const char*>(bytes);
    const HeldSignals held;
    while (size > 0) {
        const long written = sys::pwrite(fd, next, size, offset);
        if (written == -EINTR) continue;
        if (written <= 0) return fail(written == 0 ? ENOSPC : written);
        next += written;
        size -= static_cast<size_t>(written);
        offset += static_cast<uint64_t>(written);
    }
    return true;
}

void write_unmapped_header() {
    if (file.mapped || file.header == nullptr) return;
    const Descriptor fd;
    if (fd) write_all(fd.number(), file.header, sizeof(FileHeader), 0);
}

void count_section(const SectionHeader& section) {
    if (section.kind == SectionKind::ring || section.lane == lane_none) {
        add_one(file.header->rings_and_process);
    }
    add_one(file.header->sections);
}

// Maps the header page, shared with the file where rings may lie in the file, too. Returns nullptr
// if there is no memory.
void* map_header() {
    FileSystemName file_system;
    if (static_cast<Rings>(options.rings) == Rings::private_memory) {
        file.why_private << "the option rings=private says so";
    } else if (!has_safe_pages(file.fd, file_system)) {
        file.why_private << "its file system (" << file_system.view()
                         << ") could end the program when the disk is full";
    } else if (void* page = sys::map_file(file.fd, 0, page_bytes)) {
        file.mapped = true;
        return page;
    } else {
        file.why_private << "its file system cannot map files";
    }
    file.mapped = false;
    return sys::map_private(page_bytes);
}

void begin_sums(RingHeader& ring) { ring.head_sum = ring.tail_sum = ring_sums_begin; }

}  // namespace

bool create(const char* path, uint64_t process_start) {
    const int low = sys::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (low < 0) return fail(low);
    // A process that looks for old dumps to put away sees by the lock that this one is in use.
    sys::lock_now(low, LOCK_SH);
    struct stat status;
    if (const long result = sys::fstat(low, &status); result != 0) {
        sys::unlink(path);
        return fail(result);
    }
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.path.clear();
    file.path << path;
    file.fd = to_high_number(low);
    if (!make_room(file.fd, page_bytes)) {
        sys::unlink(path);
        return false;
    }
    void* page = map_header();
    if (page == nullptr) {
        sys::unlink(path);
        return fail(ENOMEM);
    }
    sys::advise(page, page_bytes, MADV_DONTFORK);
    file.header = static_cast<FileHeader*>(page);
    fill_header(*file.header, file.mapped, process_start);
    write_unmapped_header();
    return true;
}

const char* path() { return file.path.c_str(); }
bool is_open() { return file.header != nullptr; }
bool is_mapped() { return file.mapped; }
std::string_view why_not_mapped() { return file.why_private.view(); }

bool is_at_its_path() {
    struct stat there;
    return is_open() && sys::lstat(file.path.c_str(), &there) == 0 && there.st_dev == file.device &&
           there.st_ino == file.inode;
}

int last_error() { return file.error.load(); }
bool is_full() { return file.is_full.load(); }
void expect_room(uint64_t bytes) { file.coming.store(bytes); }
unsigned halvings_of_room() {
    if (!is_open()) return 0;
    const uint64_t used = used_bytes();
    return dump_limit::halvings_of_room(used - std::min(used, file.coming.load()));
}
unsigned halvings_of_length() {
    return is_open() ? dump_limit::halvings_of_length(
                           __atomic_load_n(&file.header->file_end, __ATOMIC_ACQUIRE))
                     : 0;
}
bool has_room_for_ring(uint64_t slots) {
    return dump_limit::has_room_for_ring(used_bytes(), slots * sizeof(Slot));
}
FileHeader& header() { return *file.header; }

uint64_t stored_bytes() {
    return __atomic_load_n(&file.header->file_end, __ATOMIC_ACQUIRE) - given_back();
}

uint64_t used_bytes() {
    constexpr uint64_t packed_part = 4;  // A chunk takes about a quarter of its slots.
    return stored_bytes() + file.private_rings.load(std::memory_order_relaxed) / packed_part;
}

void set_state(State state) {
    if (!is_open()) return;
    auto& stored = file.header->state;
    __atomic_store_n(&stored.word, stored.of(static_cast<uint32_t>(state)).word, __ATOMIC_RELEASE);
    write_unmapped_header();
}

void count_lost_events(uint64_t count) {
    if (!is_open()) return;
    __atomic_fetch_add(&file.header->lost_events, count, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&file.header->lost_events_left, count, __ATOMIC_RELAXED);
}

void count_child() {
    if (!is_open()) return;
    add_one(file.header->children);
}

bool append_chunk(SectionHeader header, const void* payload) {
    const Descriptor descriptor;
    if (!descriptor) return false;
    const int fd = descriptor.number();
    header.magic = section_magic;
    header.kind = SectionKind::chunk;
    header.payload_checksum = static_cast<uint32_t>(hash_bytes(payload, header.stored_bytes));
    const uint64_t bytes = align_section(sizeof(StoredSectionHeader) + header.stored_bytes);
    const uint64_t offset = reserve(fd, bytes);
    if (offset == 0) return false;
    // The payload first, because a header without its payload would look like damage.
    const StoredSectionHeader start = stored(header);
    const bool written =
        write_all(fd, payload, header.stored_bytes, offset + sizeof(StoredSectionHeader)) &&
        write_all(fd, &start, sizeof start, offset);
    if (written) count_section(header);
    else give_back(offset, bytes);
    write_unmapped_header();
    return written;
}

void* add_ring(uint32_t lane, uint32_t slots) {
    const size_t payload = sizeof(RingHeader) + slots * sizeof(Slot);
    if (!file.mapped) {
        file.private_rings.fetch_add(payload, std::memory_order_relaxed);
        void* const ring = sys::map_private(payload);
        if (ring != nullptr) begin_sums(*static_cast<RingHeader*>(ring));
        return ring;
    }
    const Descriptor descriptor;
    if (!descriptor) return nullptr;
    const int fd = descriptor.number();
    const size_t bytes = sizeof(StoredSectionHeader) + payload;
    const uint64_t offset = reserve(fd, align_section(bytes));
    if (offset == 0) return nullptr;
    const uint64_t first_page = offset & ~uint64_t{page_bytes - 1};
    const uint64_t mapped_bytes =
        (offset + bytes - first_page + page_bytes - 1) & ~uint64_t{page_bytes - 1};
    char* pages = static_cast<char*>(sys::map_file(fd, first_page, mapped_bytes));
    if (pages == nullptr) {
        fail(ENOMEM);
        return nullptr;
    }
    sys::advise(pages, mapped_bytes, MADV_DONTFORK);
    char* const ring = pages + (offset - first_page) + sizeof(StoredSectionHeader);
    begin_sums(*reinterpret_cast<RingHeader*>(ring));
    SectionHeader header{};
    header.magic = section_magic;
    header.kind = SectionKind::ring;
    header.stored_bytes = static_cast<uint32_t>(payload);
    header.lane = lane;
    header.slot_count = slots;
    const StoredSectionHeader start = stored(header);
    if (!write_all(fd, &start, sizeof start, offset)) {
        sys::unmap(pages, mapped_bytes);
        give_back(offset, align_section(bytes));
        return nullptr;
    }
    count_section(header);
    return ring;
}

void trim() {
    if (!is_open()) return;
    const Descriptor descriptor;
    if (!descriptor) return;
    const uint64_t end = __atomic_load_n(&file.header->file_end, __ATOMIC_ACQUIRE);
    uint64_t length = file.length.load();
    if (length > end && file.length.compare_exchange_strong(length, end)) {
        sys::ftruncate(descriptor.number(), end);
    }
    write_unmapped_header();
}

int descriptor() { return __atomic_load_n(&file.fd, __ATOMIC_ACQUIRE); }

void leave_descriptor() {
    constexpr int turns_max = 10'000;
    const int before = descriptor();
    if (before < 0) return;
    const int fresh = duplicate_above(before, before + 1);
    if (fresh < 0) return;
    __atomic_store_n(&file.fd, fresh, __ATOMIC_SEQ_CST);
    // A signal handler that interrupted the writer cannot wait for it.
    if (thread_state.inside != ThreadMode::program) return;
    for (int turn = 0; turn < turns_max && file.users.load(std::memory_order_seq_cst) != 0;
         ++turn) {
        sys::call(SYS_sched_yield);
    }
}

void forget() {
    const int fd = file.fd;
    if (fd >= 0 && is_our_file(fd)) sys::close(fd);
    file.fd = -1;
    file.header = nullptr;
    file.mapped = false;
    file.path.clear();
    file.why_private.clear();
    file.length.store(0);
    file.private_rings.store(0);
    file.coming.store(0);
    file.error.store(0);
    file.is_full.store(false);
}

}  // namespace memtrace::preload::dump_file
