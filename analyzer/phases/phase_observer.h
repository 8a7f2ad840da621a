// SPDX-License-Identifier: Apache-2.0
//
// Follows the replay to find which changes belong to which phase. `phase_list.h` serves the list
// of all phases, `single_phase.h` the one phase that was requested. Without an observer a replay
// does nothing for phases.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

// The phases that a reader of the dump requests.
struct PhaseRequest {
    bool list = false;  // all phases
    std::string only;   // a Model of this phase only (phase_names.h); empty: of the whole recording
    bool each = false;  // the list also separates names that differ only in their numbers
    // The part of the recording that counts, as typed (range_text.h); both empty: all of it.
    std::string from = {};
    std::string to = {};
    std::string step = {};  // the mark that "step N" counts; empty: found automatically
    // For the list: only memory of these sites counts, by space and number of the site in the
    // replay; empty: all memory. A space that is not in it has no such site.
    std::map<std::string, std::vector<bool>> sites = {};

    bool has_range() const { return !from.empty() || !to.empty(); }
};

// Where the replay is. Valid while an observer is told of a change.
class ReplayPosition {
public:
    virtual uint64_t time() const = 0;     // of the current event, in ticks
    virtual uint64_t events() const = 0;   // number of events so far, the current one included
    virtual uint32_t thread() = 0;         // of the current event; index into Model::threads
    virtual uint64_t address() const = 0;  // of the block of the current event; 0: it has none

protected:
    ~ReplayPosition() = default;
};

// Is told when what counts of a recording begins and ends, in ticks, and when the program's work
// ends, if that tells what was held: if what counts lasts until the recording ends.
struct PhaseListener {
    std::function<void(uint64_t time)> opened, closed;
    std::function<void()> work_ended = {};
};

class PhasesBefore;

class PhaseObserver {
public:
    virtual ~PhaseObserver() = default;

    // The phases of before this moment, for an observer that begins to follow now. Called before
    // everything else but follow().
    virtual void go_on_after(const PhasesBefore& /*before*/) {}

    // False: it needs changes alone, and nobody looks at the Model's figures.
    virtual bool needs_figures() const { return true; }

    // Called once, before everything else. `position` outlives this object.
    virtual void follow(ReplayPosition& /*position*/) {}
    // Called before the first event. Of a list of phases, nothing is told.
    virtual void listen(PhaseListener /*listener*/) {}
    // The program's work ends here. The last call counts.
    virtual void end_work() {}

    // Returns the observer that must receive every change of this space, from its first event on.
    // It lives as long as this object.
    virtual SpaceObserver* observe(const std::string& space) = 0;
    virtual void on(const Mark& mark, uint32_t thread) = 0;
    // The number of this thread, which has ended, is that of another one from here on.
    virtual void forget_thread(uint32_t /*thread*/) {}
    // What the steps are called that the requested range begins and ends with; empty: no steps.
    virtual void name_steps(const std::string& /*from*/, const std::string& /*to*/) {}
    // The requested range begins and ends at these times, in ticks. Called only if there is one.
    virtual void begin_range(uint64_t time) = 0;
    virtual void end_range(uint64_t time) = 0;
    // Called at the end of the recording, before the spaces are finished. Closes all open phases,
    // and the range.
    virtual void end(uint64_t time) = 0;
    // Called after the spaces are finished. Throws Error if the requested phase does not exist.
    virtual void finish(Model& model, const TickClock& clock, Problems& problems) = 0;
};

// Returns nullptr if nothing was requested.
std::unique_ptr<PhaseObserver> make_phase_observer(const PhaseRequest& request);

}  // namespace memtrace::analyzer
