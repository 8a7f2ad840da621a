// SPDX-License-Identifier: Apache-2.0
#include "preload/host/own_pages.h"

#include <algorithm>
#include <atomic>

#include "memtrace/dump/format.h"
#include "preload/base/own_memory.h"
#include "preload/base/sys.h"

// The linker defines them: where the library begins, and where its variables end.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
extern "C" const char _end[] __attribute__((visibility("hidden")));

namespace memtrace::preload {
namespace {

constexpr uint64_t is_present = uint64_t{1} << 63;
constexpr uint64_t is_of_file = uint64_t{1} << 61;  // or shared
constexpr uint64_t is_exclusive = uint64_t{1} << 56;

// Too large for the stack of a thread that may be the program's.
constexpr size_t words_max = 4096;
uint64_t words[words_max];
std::atomic<bool> is_counting;

class Counter {
public:
    explicit Counter(int pagemap) : pagemap_(pagemap) {}

    void count(uint64_t begin, uint64_t end) {
        uint64_t page = begin / page_bytes;
        const uint64_t last = (end + page_bytes - 1) / page_bytes;
        while (page < last) {
            const size_t wanted = std::min<uint64_t>(last - page, words_max);
            const long got = sys::call(SYS_pread64, pagemap_, sys::address_of(words),
                                       static_cast<long>(wanted * sizeof *words),
                                       static_cast<long>(page * sizeof *words));
            if (sys::failed(got) || got == 0) return;
            const size_t read = static_cast<size_t>(got) / sizeof *words;
            for (size_t i = 0; i < read; ++i) pages_ += is_resident(words[i]);
            page += read;
        }
    }
    uint64_t bytes() const { return pages_ * page_bytes; }

private:
    static bool is_resident(uint64_t word) {
        return (word & is_present) != 0 && (word & (is_of_file | is_exclusive)) != 0;
    }

    int pagemap_;
    uint64_t pages_ = 0;
};

}  // namespace

uint64_t own_resident_bytes() {
    if (is_counting.exchange(true, std::memory_order_acquire)) return 0;
    uint64_t bytes = 0;
    const int pagemap = sys::open("/proc/self/pagemap", O_RDONLY);
    if (!sys::failed(pagemap)) {
        Counter counter(pagemap);
        own_memory::for_each([&](uint64_t begin, uint64_t end) { counter.count(begin, end); });
        counter.count(reinterpret_cast<uint64_t>(__ehdr_start), reinterpret_cast<uint64_t>(_end));
        sys::close(pagemap);
        bytes = counter.bytes();
    }
    is_counting.store(false, std::memory_order_release);
    return bytes;
}

}  // namespace memtrace::preload
