// SPDX-License-Identifier: Apache-2.0
//
// Work that takes a while, in a thread, so that its starter can go on to wait for keys. It touches
// what the starter leaves alone meanwhile. While it runs there must be no fork (child_job.h).
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace memtrace::launcher {

class BackgroundWork {
public:
    BackgroundWork() = default;
    ~BackgroundWork() {
        if (thread_.joinable()) thread_.join();
    }
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    // Must be called only if no work runs.
    void start(std::function<void()> work) {
        is_done_.store(false);
        failure_ = nullptr;
        thread_ = std::thread([this, work = std::move(work)] {
            try {
                work();
            } catch (...) {
                failure_ = std::current_exception();
            }
            is_done_.store(true);
        });
    }

    // True from start() until end() has returned true.
    bool is_running() const { return thread_.joinable(); }

    // Returns true, once, if the work is done. Throws what the work has thrown.
    bool end() {
        if (!thread_.joinable() || !is_done_.load()) return false;
        thread_.join();
        if (failure_) std::rethrow_exception(failure_);
        return true;
    }

private:
    std::thread thread_;
    std::atomic<bool> is_done_ = false;
    std::exception_ptr failure_;
};

}  // namespace memtrace::launcher
