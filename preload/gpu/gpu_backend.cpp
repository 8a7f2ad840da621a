// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/gpu_backend.h"

#include <atomic>

#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/cuda/cupti_subscription.h"
#include "preload/gpu/gpu_crosscheck.h"
#include "preload/gpu/look_times.h"
#include "preload/recording/record.h"
#include "preload/recording/record_gpu.h"

namespace memtrace::preload {
namespace {

using Sentence = FixedText<400>;

std::atomic<bool> source_is_known{false};
std::atomic<GpuBackend> source{GpuBackend::driver};
std::atomic<bool> cupti_was_tried{false};
std::atomic<bool> came_in{false};
std::atomic<bool> slept_through{false};  // the initialisation of the driver, past the hooks
std::atomic<uint64_t> known_devices{0};

constexpr int devices_max = 64;  // bits of known_devices; devices beyond are announced each time

GpuChoice choice() { return static_cast<GpuChoice>(options.gpu); }

void write_source(GpuBackend backend, std::string_view why) {
    GpuSource record;
    record.backend = backend;
    record.driver_version = cuda::driver_version();
    record.why = why;
    record_gpu(record, nullptr);
    source_is_known.store(true, std::memory_order_release);
}

// CUPTI is tried once in a process. What failed would fail again, and what was given away is not
// taken back.
bool is_first_try() { return !cupti_was_tried.exchange(true, std::memory_order_acq_rel); }

// Returns true if CUPTI calls `callback` from now on. Otherwise the dump records the reason.
bool turn_to_cupti(std::string_view wanted_because, cupti::Callback callback) {
    cuda::ask_about_devices();
    cupti::Why why;
    if (cupti::subscribe(why, callback)) return true;
    Sentence text(wanted_because);
    text << ", but " << why.view() << ": the hooks of the driver's functions stay the source.";
    record_note("gpu source", text.view());
    return false;
}

void change_source(GpuBackend backend, std::string_view why) {
    source.store(backend, std::memory_order_release);
    write_source(backend, why);
}

}  // namespace

bool driver_hooks_are_wanted() {
    return choice() != GpuChoice::off && choice() != GpuChoice::runtime;
}

bool source_writes(GpuBackend backend) {
    if (choice() == GpuChoice::runtime) return backend == GpuBackend::runtime;
    return driver_hooks_are_wanted() && source.load(std::memory_order_acquire) == backend;
}

bool is_crosscheck() { return choice() == GpuChoice::crosscheck && cupti::is_open(); }

void driver_is_ready(cupti::Callback callback) {
    if (!is_recording()) return;
    if (choice() == GpuChoice::cupti && is_first_try() && turn_to_cupti("gpu=cupti", callback)) {
        change_source(GpuBackend::cupti, "gpu=cupti");
    }
    if (choice() == GpuChoice::crosscheck && is_first_try())
        turn_to_cupti("gpu=crosscheck", callback);
    announce_gpu_backend();
}

void note_cuinit_by_program() { came_in.store(true, std::memory_order_relaxed); }

void driver_is_initialised(cupti::Callback callback) {
    const bool may_turn = choice() == GpuChoice::automatic || choice() == GpuChoice::cupti;
    if (came_in.load(std::memory_order_relaxed) || !may_turn) return;
    if (!is_recording()) {
        slept_through.store(recording() == Recording::asleep);
        return;
    }
    if (cuda::callback_place() != 0 || cuda::take_callback_place() == 0) return;
    {
        const cuda::CallbackScope nothing{cuda::CallbackContext{}};  // This runs inside cuInit().
        const std::string_view why = "the program calls the driver past our hooks";
        if (is_first_try() && turn_to_cupti(why, callback)) change_source(GpuBackend::cupti, why);
    }
    cuda::give_callback_place();
}

void note_gpu_after_sleep() {
    if (!slept_through.exchange(false)) return;
    record_note("gpu source",
                "The program initialised the driver past our hooks before the recording began, and "
                "CUPTI was not asked then: calls of the driver may be missing.");
}

void cupti_was_given_away(std::string_view why) {
    if (choice() == GpuChoice::crosscheck) {
        forget_crosscheck();
        record_note("gpu crosscheck", why);
    }
    if (source.load(std::memory_order_acquire) == GpuBackend::cupti) {
        change_source(GpuBackend::driver, why);
    }
}

void announce_gpu_backend() {
    if (source_is_known.load(std::memory_order_acquire) || !is_recording()) return;
    switch (choice()) {
        case GpuChoice::automatic:
            write_source(GpuBackend::driver, "hooks of the driver's functions come first");
            break;
        case GpuChoice::driver: write_source(GpuBackend::driver, "gpu=driver"); break;
        case GpuChoice::cupti:
            write_source(GpuBackend::driver, "gpu=cupti, but there is no CUPTI for us");
            break;
        case GpuChoice::crosscheck: write_source(GpuBackend::driver, "gpu=crosscheck"); break;
        case GpuChoice::runtime:
            write_source(GpuBackend::runtime,
                         "gpu=runtime: only calls of a shared libcudart that come by its symbols");
            break;
        case GpuChoice::off: break;  // The option is in the dump and already states this.
    }
}

void announce_gpu_device(int device) {
    const uint64_t bit = device >= 0 && device < devices_max ? uint64_t{1} << device : 0;
    if (device < 0 || (known_devices.load(std::memory_order_acquire) & bit) != 0) return;
    const cuda::DeviceAnswer answer = cuda::about_device(device);
    GpuDevice record;
    record.device = static_cast<uint32_t>(device);
    record.memory = answer.memory;
    record.pci = answer.pci;
    record.model = answer.model;
    record_gpu(record, nullptr);
    // Set only now, so that no thread names the device earlier. Two threads may both announce it.
    known_devices.fetch_or(bit, std::memory_order_release);
}

void forget_gpu_announcements() {
    cuda::forget_looks();
    source_is_known.store(false);
    known_devices.store(0);
    source.store(GpuBackend::driver);
    came_in.store(false);
    slept_through.store(false);
    cupti_was_tried.store(cupti::forget());
    forget_crosscheck();
}

}  // namespace memtrace::preload
