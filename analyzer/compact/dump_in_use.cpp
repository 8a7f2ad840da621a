// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compact/dump_in_use.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {
namespace {

uint64_t page_above(uint64_t offset) { return (offset + page_bytes - 1) & ~(page_bytes - 1); }
uint64_t page_below(uint64_t offset) { return offset & ~(page_bytes - 1); }

template <class Call>
int repeated(Call&& call) {
    int result;
    do {
        result = call();
    } while (result != 0 && errno == EINTR);
    return result;
}

}  // namespace

DumpInUse::DumpInUse(const std::string& path) : path_(path) {
    fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0) fail("cannot be opened for writing");
    void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (page == MAP_FAILED) {
        const int error = errno;
        close(fd_);
        errno = error;
        fail("cannot be mapped");
    }
    header_ = static_cast<FileHeader*>(page);
    control_ = reinterpret_cast<Control*>(static_cast<char*>(page) + control_offset);
}

DumpInUse::~DumpInUse() {
    munmap(header_, page_bytes);
    close(fd_);
}

void DumpInUse::fail(const char* what) const {
    throw Error(fmt::format("{} {}: {}", printable(path_), what, std::strerror(errno)));
}

void DumpInUse::require_holes(uint64_t offset, uint64_t bytes) const {
    const auto punch = [&] {
        return fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         static_cast<off_t>(offset), static_cast<off_t>(bytes));
    };
    if (repeated(punch) != 0) fail("is on a file system that cannot give back a part of a file");
}

uint64_t DumpInUse::bytes() const {
    const uint64_t end = __atomic_load_n(&header_->file_end, __ATOMIC_ACQUIRE);
    return end - std::min(end, uint64_t{asked_now(control_->pages_given_back)} * page_bytes);
}

bool DumpInUse::is_read() const {
    struct flock lock = lock_of_byte(F_WRLCK, reader_lock_offset);
    return fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

uint64_t DumpInUse::append(std::string_view section) {
    const uint64_t told = asked_now(control_->pages_given_back);
    tell_given_back(told + page_above(section.size()) / page_bytes + 1);
    try {
        return append_now(section);
    } catch (const Error&) {
        tell_given_back(told);
        throw;
    }
}

uint64_t DumpInUse::append_now(std::string_view section) {
    uint64_t& end = header_->file_end;
    uint64_t seen = __atomic_load_n(&end, __ATOMIC_ACQUIRE);
    uint64_t offset = 0, after = 0;
    do {
        offset = page_above(seen);
        after = offset + align_section(section.size());
        const auto extend = [&] {
            return fallocate(fd_, 0, static_cast<off_t>(seen), static_cast<off_t>(after - seen));
        };
        if (repeated(extend) != 0) fail("has no room for what it amounts to");
    } while (!__atomic_compare_exchange_n(&end, &seen, after, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    require_holes(offset, page_bytes);  // It is there for nobody yet.
    for (size_t written = 0; written < section.size();) {
        const ssize_t part = pwrite(fd_, section.data() + written, section.size() - written,
                                    static_cast<off_t>(offset + written));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) fail("could not be written to");
        written += static_cast<size_t>(part);
    }
    __atomic_fetch_add(&header_->sections.word, decltype(header_->sections)::one, __ATOMIC_RELEASE);
    return offset;
}

bool DumpInUse::become_helper() {
    struct flock lock = lock_of_byte(F_WRLCK, helper_lock_offset);
    return fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

uint32_t DumpInUse::compaction_asked() const {
    const uint32_t newest = asked_now(control_->compactions_asked);
    return newest == asked_now(control_->compactions_ended) ? 0 : newest;
}

void DumpInUse::end_compaction(uint32_t number) {
    __atomic_store_n(&control_->compactions_ended.word,
                     decltype(control_->compactions_ended)::of(number).word, __ATOMIC_RELEASE);
}

void DumpInUse::count_failure(uint32_t why) {
    const uint32_t count = asked_now(control_->compactions_failed) + 1;
    __atomic_store_n(&control_->compaction_failure.word,
                     decltype(control_->compaction_failure)::of(why).word, __ATOMIC_RELEASE);
    __atomic_store_n(&control_->compactions_failed.word,
                     decltype(control_->compactions_failed)::of(count).word, __ATOMIC_RELEASE);
}

void DumpInUse::wait_for_request(long milliseconds) const {
    const auto* const low = reinterpret_cast<const uint32_t*>(&control_->compactions_asked.word);
    const uint32_t seen = __atomic_load_n(low, __ATOMIC_ACQUIRE);
    if (compaction_asked() != 0) return;
    const timespec longest{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
    syscall(SYS_futex, low, FUTEX_WAIT, seen, &longest, nullptr, 0);
}

bool DumpInUse::announce(uint64_t offset, uint64_t before) {
    uint64_t& word = control_->newest_past.word;
    uint64_t seen = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    if (uint64_t{asked(decltype(control_->newest_past){seen})} * page_bytes != before) return false;
    const uint64_t wanted =
        decltype(control_->newest_past)::of(static_cast<uint32_t>(offset / page_bytes)).word;
    return __atomic_compare_exchange_n(&word, &seen, wanted, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void DumpInUse::give_back(std::span<const PastGone> gone) {
    uint64_t pages = 0;
    for (const PastGone& range : gone) {
        const uint64_t begin = page_above(range.begin), end = page_below(range.end);
        if (begin >= end) continue;
        require_holes(begin, end - begin);
        pages += (end - begin) / page_bytes;
    }
    tell_given_back(pages);
}

void DumpInUse::tell_given_back(uint64_t pages) {
    __atomic_store_n(&control_->pages_given_back.word,
                     decltype(control_->pages_given_back)::of(static_cast<uint32_t>(pages)).word,
                     __ATOMIC_RELEASE);
}

}  // namespace memtrace::analyzer
