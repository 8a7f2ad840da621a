// SPDX-License-Identifier: Apache-2.0
//
// System calls without libc: no errno, no cancellation point, no lock, nothing that could be
// interposed. Each returns the kernel's result, or -errno.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "preload/base/own_memory.h"

namespace memtrace::preload::sys {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                 long f = 0) {
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

inline bool failed(long result) { return result < 0 && result > -4096; }

inline long address_of(const void* pointer) { return reinterpret_cast<long>(pointer); }

inline int open(const char* path, int flags, unsigned mode = 0) {
    return static_cast<int>(call(SYS_openat, AT_FDCWD, address_of(path), flags | O_CLOEXEC, mode));
}
inline int close(int fd) { return static_cast<int>(call(SYS_close, fd)); }
inline long read(int fd, void* buffer, size_t size) {
    return call(SYS_read, fd, address_of(buffer), static_cast<long>(size));
}
inline long write(int fd, const void* buffer, size_t size) {
    return call(SYS_write, fd, address_of(buffer), static_cast<long>(size));
}
// Returns true if a write of up to PIPE_BUF bytes does not have to wait.
inline bool is_writable_now(int fd) {
    struct pollfd wanted = {fd, POLLOUT, 0};
    const timespec at_once = {};
    const long ready = call(SYS_ppoll, address_of(&wanted), 1, address_of(&at_once));
    return ready > 0 && (wanted.revents & POLLOUT) != 0;
}
// The same as write(), but a socket that is full refuses at once.
inline long send_now(int fd, const void* buffer, size_t size) {
    const long sent = call(SYS_sendto, fd, address_of(buffer), static_cast<long>(size),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent == -ENOTSOCK ? write(fd, buffer, size) : sent;
}
inline long pwrite(int fd, const void* buffer, size_t size, uint64_t offset) {
    return call(SYS_pwrite64, fd, address_of(buffer), static_cast<long>(size),
                static_cast<long>(offset));
}
inline long fallocate(int fd, uint64_t offset, uint64_t size) {
    long result;
    do {
        result = call(SYS_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(size));
    } while (result == -EINTR);
    return result;
}
inline long ftruncate(int fd, uint64_t size) {
    return call(SYS_ftruncate, fd, static_cast<long>(size));
}
inline long fstatfs(int fd, struct statfs* out) { return call(SYS_fstatfs, fd, address_of(out)); }
inline long fstat(int fd, struct stat* out) { return call(SYS_fstat, fd, address_of(out)); }
inline long stat(const char* path, struct stat* out) {
    return call(SYS_stat, address_of(path), address_of(out));
}
// The same, but a symbolic link is not followed.
inline long lstat(const char* path, struct stat* out) {
    return call(SYS_lstat, address_of(path), address_of(out));
}
inline long readlink(const char* path, char* buffer, size_t size) {
    return call(SYS_readlink, address_of(path), address_of(buffer), static_cast<long>(size));
}
inline long getcwd(char* buffer, size_t size) {
    return call(SYS_getcwd, address_of(buffer), static_cast<long>(size));
}
// Renames a file, unless `to` exists already (-EEXIST).
inline long rename_to_new(const char* from, const char* to) {
    return call(SYS_renameat2, AT_FDCWD, address_of(from), AT_FDCWD, address_of(to),
                RENAME_NOREPLACE);
}
// Takes or gives back a lock of the file, without waiting. The lock belongs to the open file, so
// duplicates of the descriptor hold it, too.
inline long lock_now(int fd, int how) { return call(SYS_flock, fd, how | LOCK_NB); }
inline long unlink(const char* path) { return call(SYS_unlink, address_of(path)); }
inline long fcntl(int fd, int command, long argument) {
    return call(SYS_fcntl, fd, command, argument);
}
inline void clock_now(clockid_t clock, timespec* out) {
    call(SYS_clock_gettime, clock, address_of(out));
}
inline int pid() { return static_cast<int>(call(SYS_getpid)); }
inline int parent_pid() { return static_cast<int>(call(SYS_getppid)); }
inline int tid() { return static_cast<int>(call(SYS_gettid)); }
// Sets of signals have a bit for each, the first one for signal 1.
inline void signal_mask(int how, const uint64_t* set, uint64_t* before) {
    call(SYS_rt_sigprocmask, how, address_of(set), address_of(before), sizeof *set);
}
inline void pending_signals(uint64_t* set) {
    call(SYS_rt_sigpending, address_of(set), sizeof *set);
}
// Takes a pending signal of the set away. Returns its number, or -EAGAIN if none is pending.
inline long take_signal(const uint64_t* set) {
    const timespec at_once = {};
    return call(SYS_rt_sigtimedwait, address_of(set), 0, address_of(&at_once), sizeof *set);
}
// Copies memory of this process that may not be there. Returns 0, -EFAULT if it is not there, or
// another error if the system does not let memory be copied.
long copy_memory(void* to, const void* from, size_t bytes);
inline bool thread_exists(int process, int thread) {
    return call(SYS_tgkill, process, thread, 0) == 0;
}

// Returns zeroed private pages, or nullptr.
inline void* map_private(size_t bytes) {
    const long result = call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (failed(result)) return nullptr;
    own_memory::add(static_cast<uint64_t>(result), bytes);
    return reinterpret_cast<void*>(result);
}
// The same for large tables, with huge pages if the kernel has them. Random accesses to small pages
// would each miss the TLB as well.
inline void* map_private_huge(size_t bytes) {
    void* pages = map_private(bytes);
    constexpr size_t huge_page_bytes = size_t{2} << 20;
    if (pages != nullptr && bytes >= huge_page_bytes) {
        call(SYS_madvise, address_of(pages), static_cast<long>(bytes), MADV_HUGEPAGE);
    }
    return pages;
}
// Returns pages of a file, shared with it, or nullptr.
inline void* map_file(int fd, uint64_t offset, size_t bytes) {
    const long result = call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                             MAP_SHARED, fd, static_cast<long>(offset));
    if (failed(result)) return nullptr;
    own_memory::add(static_cast<uint64_t>(result), bytes);
    return reinterpret_cast<void*>(result);
}
inline void unmap(void* address, size_t bytes) {
    own_memory::remove(reinterpret_cast<uint64_t>(address));
#ifdef __SANITIZE_THREAD__
    // Accesses to these pages are unrelated to pages that are mapped here next. The sanitizer sees
    // only libc's call. No hook of the shim is in front of it, because the shim is not built with
    // sanitizers.
    munmap(address, bytes);
    return;
#endif
    call(SYS_munmap, address_of(address), static_cast<long>(bytes));
}
inline bool advise(void* address, size_t bytes, int advice) {
    return call(SYS_madvise, address_of(address), static_cast<long>(bytes), advice) == 0;
}

// Returns pages that are mapped at first use, or nullptr if there is no memory. The first thread
// publishes its mapping. Threads that mapped pages at the same moment unmap theirs.
template <class Item>
Item* map_once(std::atomic<Item*>& place, size_t bytes,
               void* (*map)(size_t bytes) = map_private_huge) {
    Item* items = place.load(std::memory_order_acquire);
    if (items != nullptr) return items;
    void* fresh = map(bytes);
    if (fresh == nullptr) return nullptr;
    if (place.compare_exchange_strong(items, static_cast<Item*>(fresh))) {
        return static_cast<Item*>(fresh);
    }
    unmap(fresh, bytes);
    return items;
}

// Memory for one job of a rare path: texts and buffers that are too large for the program's stack.
// A thread may have 16 KiB, a coroutine less, and beyond them lies a page that ends the program, or
// its data. The pages belong to the job alone, so a signal handler, another thread or a forked
// child that does the same disturbs nothing.
template <class Item>
class MappedItem {
public:
    MappedItem() {
        void* const pages = map_private(sizeof(Item));
        if (pages != nullptr) item_ = new (pages) Item;
    }
    ~MappedItem() {
        if (item_ != nullptr) unmap(item_, sizeof(Item));
    }
    MappedItem(const MappedItem&) = delete;
    MappedItem& operator=(const MappedItem&) = delete;

    // False if there is no memory: the job must do without.
    explicit operator bool() const { return item_ != nullptr; }
    Item& operator*() const { return *item_; }
    Item* operator->() const { return item_; }

private:
    Item* item_ = nullptr;
};

// Reads a small file, such as those of /proc, into `buffer` and appends a zero byte. Returns its
// length, or 0 if it cannot be read.
size_t read_file(const char* path, char* buffer, size_t size);

}  // namespace memtrace::preload::sys
