// SPDX-License-Identifier: Apache-2.0
#include "preload/host/resident_pages.h"

#include <algorithm>

#include "memtrace/dump/format.h"
#include "memtrace/dump/varint.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t is_present = uint64_t{1} << 63;
constexpr uint64_t is_exclusive = uint64_t{1} << 56;

}  // namespace

ResidentPages::~ResidentPages() {
    if (fd_ >= 0) sys::close(fd_);
}

bool ResidentPages::open(const char* path) {
    fd_ = sys::open(path, O_RDONLY);
    return fd_ >= 0;
}

size_t ResidentPages::pack(uint64_t& at, uint64_t end, uint8_t* out, size_t size, Pages which) {
    const uint64_t wanted = which == Pages::own ? is_present | is_exclusive : is_present;
    uint8_t* const start = out;
    const uint8_t* const out_end = out + size;
    bool run_is_resident = true;
    uint64_t run = 0;  // pages
    // The last run needs room, and an empty one before it if the first page is not resident.
    const auto has_room = [&] {
        return static_cast<size_t>(out_end - out) >= 3 * varint_bytes_max;
    };
    while (at < end && has_room()) {
        const size_t pages = std::min<uint64_t>((end - at) / page_bytes, words_max_);
        const long got = sys::call(SYS_pread64, fd_, sys::address_of(words_),
                                   static_cast<long>(pages * sizeof *words_),
                                   static_cast<long>(at / page_bytes * sizeof *words_));
        if (sys::failed(got) || got == 0) break;
        const size_t count = static_cast<size_t>(got) / sizeof *words_;
        for (size_t i = 0; i < count && has_room(); ++i) {
            const bool is_resident = (words_[i] & wanted) == wanted;
            if (is_resident != run_is_resident) {
                out = write_varint(out, run);
                run = 0;
                run_is_resident = is_resident;
            }
            run += 1;
            at += page_bytes;
        }
    }
    if (run > 0) out = write_varint(out, run);
    return static_cast<size_t>(out - start);
}

}  // namespace memtrace::preload
