// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/demangle.h"

#include <cxxabi.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "analyzer/frames/demangle_rust.h"

// libstdc++'s demangler, which hands out its text piece by piece and allocates nothing. Only the
// static library has it under this name.
extern "C" [[gnu::weak]] int __gcclibcxx_demangle_callback(const char* mangled,
                                                           void (*take)(const char*, size_t, void*),
                                                           void* opaque);

namespace memtrace::analyzer {

namespace {

constexpr size_t length_max = 1 << 16;    // The demangler is slow on longer names.
constexpr size_t readable_max = 1 << 15;  // of the readable name, in bytes
// With so few references to earlier parts, a name is at most 4,096 times as long as it is mangled.
constexpr size_t few_references = 12;
constexpr size_t bearable_references = 24;  // without a demangler that can be stopped
constexpr size_t short_length = 1 << 12;
constexpr long cpu_ns_max = 50'000'000;  // for one name
constexpr int slow_max = 40;  // After so many slow names, none with many references is tried.

// Returns how many parts of the name may stand for an earlier part: S_, S0_, T_, T12_.
size_t count_references(std::string_view name) {
    size_t count = 0;
    for (size_t i = 0; i + 1 < name.size(); ++i) {
        if (name[i] != 'S' && name[i] != 'T') continue;
        size_t end = i + 1;
        while (end < name.size() &&
               ((name[end] >= '0' && name[end] <= '9') || (name[end] >= 'A' && name[end] <= 'Z'))) {
            ++end;
        }
        count += end < name.size() && name[end] == '_';
    }
    return count;
}

// One name that may take too long. The demangler prints each reference in full, so a name of 200
// bytes may have gigabytes, and some searches inside it take as long without printing a byte.
//
// It is left by a jump when the text is too long or the thread's time for it is over. This is safe
// because the demangler is a pure computation: it allocates nothing and locks nothing, and writes
// only to the stack and, here, to `text`.
class BoundedDemangler {
public:
    std::optional<std::string> run(const std::string& name) {
        timer_t timer{};
        if (!start(timer)) return std::nullopt;
        int status = -1;
        current_ = this;
        const int why = sigsetjmp(way_out_, 1);
        if (why == 0) {
            is_armed_ = 1;
            status = __gcclibcxx_demangle_callback(name.c_str(), take, this);
        }
        is_armed_ = 0;
        timer_delete(timer);
        is_slow_ = why == too_slow;
        if (why != 0) return std::nullopt;
        return status == 0 ? std::string(text_.get(), size_) : name;
    }

    bool is_slow() const { return is_slow_; }

private:
    enum Why { too_long = 1, too_slow };

    static bool start(timer_t& timer) {
        static std::once_flag once;
        std::call_once(once, [] {
            struct sigaction action {};
            action.sa_handler = end;
            sigaction(SIGVTALRM, &action, nullptr);
        });
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGVTALRM;
        event._sigev_un._tid = gettid();
        if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return false;
        itimerspec when{};
        when.it_value.tv_nsec = cpu_ns_max;
        if (timer_settime(timer, 0, &when, nullptr) == 0) return true;
        timer_delete(timer);
        return false;
    }

    // The handler of the signal.
    static void end(int) { leave(too_slow); }

    static void leave(Why why) {
        if (is_armed_ == 0) return;
        is_armed_ = 0;
        siglongjmp(current_->way_out_, why);
    }

    static void take(const char* text, size_t size, void* opaque) {
        auto* const self = static_cast<BoundedDemangler*>(opaque);
        if (size > readable_max - self->size_) leave(too_long);
        std::memcpy(self->text_.get() + self->size_, text, size);
        self->size_ += size;
    }

    static thread_local BoundedDemangler* current_;
    static thread_local volatile sig_atomic_t is_armed_;

    sigjmp_buf way_out_;
    std::unique_ptr<char[]> text_{new char[readable_max]};
    size_t size_ = 0;
    bool is_slow_ = false;
};

thread_local BoundedDemangler* BoundedDemangler::current_ = nullptr;
thread_local volatile sig_atomic_t BoundedDemangler::is_armed_ = 0;

std::string demangle_short(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text != nullptr ? text.get() : name;
}

// Returns nothing if the readable name is too long, or takes too long to find.
std::optional<std::string> demangle_cpp(const std::string& name) {
    if (name.size() > length_max) return std::nullopt;
    const bool can_stop = __gcclibcxx_demangle_callback != nullptr;
    const size_t references = can_stop ? few_references : bearable_references;
    if (name.size() <= short_length && count_references(name) <= references) {
        std::string readable = demangle_short(name);
        return readable.size() > std::max(readable_max, name.size()) ? std::nullopt
                                                                     : std::optional(readable);
    }
    static std::atomic<int> slow{0};
    if (!can_stop || slow >= slow_max) return std::nullopt;
    BoundedDemangler demangler;
    std::optional<std::string> readable = demangler.run(name);
    if (demangler.is_slow()) ++slow;
    return readable;
}

}  // namespace

std::string demangle(const std::string& name, bool* is_too_long) {
    if (is_too_long != nullptr) *is_too_long = false;
    if (name.starts_with("_R")) return demangle_rust(name);
    if (!name.starts_with("_Z") && !name.starts_with("___Z")) return name;
    const std::optional<std::string> readable = demangle_cpp(name);
    if (!readable) {
        if (is_too_long != nullptr) *is_too_long = true;
        return name;
    }
    return is_old_rust(*readable) ? clean_old_rust(*readable) : *readable;
}

}  // namespace memtrace::analyzer
