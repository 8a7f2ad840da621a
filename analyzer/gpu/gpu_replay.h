// SPDX-License-Identifier: Apache-2.0
//
// Turns the GPU records into parts of the Model: the driver's layer (gpu_ledger.h), the blocks of
// PyTorch's allocator inside it, and the refused requests. The blocks form a space per device, for
// example "tensors:cuda:0". It is a breakdown of the device's space and is added to no total.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "analyzer/base/tick_clock.h"
#include "analyzer/gpu/gpu_allocator_check.h"
#include "analyzer/gpu/gpu_ledger.h"
#include "analyzer/gpu/gpu_owners.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/phases/phase_observer.h"

namespace memtrace::analyzer {

class GpuReplay {
public:
    using Fault = HeapSpace::Fault;

    // Both lists grow while the dump is being read.
    GpuReplay(const StackNodes& nodes, const std::map<uint32_t, ModuleInfo>& modules);

    // Call before the first record. Every space gets an observer when it first appears.
    void observe(PhaseObserver& phases);

    Fault on(const GpuAcquire& record, const GpuCaller& by);
    Fault on(const GpuRelease& record, const GpuCaller& by);
    Fault on(const GpuRetain& record, const GpuCaller& by);
    Fault on(const GpuMap& record, const GpuCaller& by);
    Fault on(const GpuUnmap& record, const GpuCaller& by);
    Fault on(const TensorAcquire& record, const GpuCaller& by);
    Fault on(const TensorRelease& record, const GpuCaller& by);
    void on(const GpuContext& record, const GpuCaller& by);
    void on(const GpuRefused& record);
    void on(const TensorRefused& record, const GpuCaller& by);
    void on(const GpuSource& record);
    void on(const GpuDevice& record);
    void on(const GpuOverhead& record) { ledger_.add_overhead(record); }
    void on(const GpuPool& record) { ledger_.set_pool(record); }
    void on(const GpuUsage& record);
    void on(const Mark& record, uint32_t lane);
    // Nothing was recorded for a while.
    void pass_gap() { ledger_.pass_gap(); }

    // Calls each(address, time, lane) for acquisitions of live memory that no release has
    // explained.
    template <class Each>
    void for_each_overtaken(Each&& each) const {
        ledger_.for_each_overtaken(each);
    }

    void end_work();
    void pass_half();
    // Calls each(counter) for the counter of each space that has appeared.
    template <class Each>
    void for_each_counter(Each&& each) {
        for_each_space([&](GpuSpace& space) { each(space.counter()); });
    }
    // The number of this thread is that of another one from here on.
    void forget_thread(uint32_t thread) {
        for_each_space([&](GpuSpace& space) { space.forget_thread(thread); });
    }
    // Calls each(space) for all spaces.
    template <class Each>
    void for_each_space(Each&& each) {
        ledger_.for_each_space(each);
        for (auto& [key, tensors] : tensors_) each(tensors.space);
    }
    // Keeps the histories of all spaces, also of those that appear later.
    void keep_history(RunHistory& run);
    // Adds everything that is held to the histories (SpaceCounter::add_birth).
    void count_births();

    // Appends the spaces that have events, and fills in model.gpu.
    void finish(Model& model, const TickClock& clock, uint64_t end_time, Problems& problems);

    // Returns the name of the space with the blocks of this device.
    static std::string tensors_name(uint32_t device_type, uint32_t device);

    // False if memory in it belongs to no call site.
    bool is_sound() {
        bool is_sound = ledger_.is_sound();
        for (auto& [key, tensors] : tensors_) {
            is_sound &= tensors.space.is_sound();
            for (const auto& [address, holding] : tensors.blocks)
                is_sound &= tensors.space.is_sound(holding);
        }
        return is_sound;
    }

    // archive.h
    static void state(auto& self, auto& each) {
        self.state_of_spaces(each);
        each(self.ledger_);
        for (auto& [key, tensors] : self.tensors_) each(tensors);
        each(self.info_, self.devices_, self.open_, self.mark_, self.mark_time_);
    }

private:
    struct Tensors {
        explicit Tensors(std::string name) : space(std::move(name)) {}
        static void state(auto& self, auto& each) {
            each(self.space, self.blocks, self.agreement, self.segments_seen);
        }
        GpuSpace space;
        tsl::robin_map<uint64_t, GpuHolding> blocks;  // by address
        GpuAllocatorCheck agreement;
        uint64_t segments_seen = 0;  // bytes of segments at the last update of `agreement`
    };
    static constexpr uint32_t cuda = 1;  // value of c10::DeviceType

    // A space that appeared during the run.
    struct Appeared {
        uint32_t history = 0;  // its place among the histories of the run
        uint8_t is_card = 0;   // 1: it is; no bool, whose bytes in a state could be anything
        uint32_t device_type = 0;
        uint32_t device = 0;
    };
    std::vector<Appeared> appeared();
    // Makes the spaces in the order in which they appeared.
    void state_of_spaces(auto& each) {
        if constexpr (std::remove_reference_t<decltype(each)>::reads) {
            std::vector<Appeared> all;
            each(all);
            for (const Appeared& one : all) {
                if (one.is_card != 0) ledger_.card(one.device);
                else tensors_of(one.device_type, one.device);
            }
        } else {
            each(appeared());
        }
    }

    bool is_allocator(uint32_t stack);
    Tensors& tensors_of(uint32_t device_type, uint32_t device);
    GpuCard* card_of(uint32_t device_type, uint32_t device);
    void tell_agreements(uint32_t lane);
    template <class Record>
    void compare(const Record& record, const GpuCaller& by);
    void refuse(const GpuRefusal& refusal);
    void add_holders(const GpuRefusal& refusal, GpuHolders& holders);
    void judge_agreements(Model& model, const TickClock& clock, Problems& problems);
    void finish_devices(Model& model, const TickClock& clock, uint64_t end_time);
    void finish_holders(const TickClock& clock);

    StackNodes nodes_;
    GpuOwners owners_;
    GpuLedger ledger_;
    std::map<std::pair<uint32_t, uint32_t>, Tensors> tensors_;  // by type and number of the device
    GpuInfo info_;
    std::map<uint32_t, GpuDeviceInfo> devices_;
    PhaseObserver* phases_ = nullptr;
    RunHistory* history_ = nullptr;
    std::map<uint32_t, std::vector<std::string>> open_;  // open ranges of a lane's thread, by name
    std::string mark_;
    std::optional<uint64_t> mark_time_;
};

}  // namespace memtrace::analyzer
