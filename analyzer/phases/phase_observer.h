// SPDX-License-Identifier: Apache-2.0
//
// Whoever goes along with the replay to know what belongs to which phase: `phase_list.h` for the
// list of all of them, `single_phase.h` for the one that was asked for. Without one of them a
// replay does nothing for phases.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

// What a reader of the dump asks for.
struct PhaseRequest {
    bool list = false;  // all of them
    std::string only;   // a Model of this one (phase_names.h); empty: of the recording
    bool each = false;  // in the list, those too that differ only in their numbers
};

class PhaseObserver {
public:
    virtual ~PhaseObserver() = default;

    // To be told of everything that happens in this space, from its first event on. Lives as long
    // as this.
    virtual SpaceObserver* observe(const std::string& space) = 0;
    virtual void on(const Mark& mark, uint32_t thread) = 0;
    // The recording ends, and with it what is open. Before the spaces are finished.
    virtual void end(uint64_t time) = 0;
    // After they were. Throws Error where the answer does not exist.
    virtual void finish(Model& model, const TickClock& clock, Problems& problems) = 0;
};

// nullptr: nothing was asked.
std::unique_ptr<PhaseObserver> make_phase_observer(const PhaseRequest& request);

}  // namespace memtrace::analyzer
