// SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of one stack capture, id included. scripts/measure/bench-unwind runs this
// program and makes a table.
//
// Google Benchmark chooses the number of captures and repeats the runs. Its own frames do not
// count: each run has its own threads, and their stacks are exactly as deep as the run's name says.
// The time is the thread's CPU time, because the machine may have other work.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <string>

#include "bench/unwind/unwind_captures.h"
#include "preload/base/options.h"
#include "tests/unit/preload/recording/recording.h"

namespace memtrace::bench {
namespace {

constexpr uint32_t threads_max = 2;
// A walker for each thread, in its own cache lines. A walker's memory belongs to one thread: see
// forget_thread().
struct alignas(128) OwnWalker {
    preload::StackWalker walker;
};
OwnWalker walkers[threads_max];

struct Wanted {
    const Capture& capture;
    const Shape& shape;
    uint32_t depth;
    uint32_t threads;
};

uint64_t thread_time_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

class Worker final : public Capturing {
public:
    Worker(const Wanted& wanted, preload::StackWalker& own, uint64_t turns,
           std::barrier<>& start_line)
        : wanted_(wanted), turns_(turns), start_line_(start_line) {
        walker = &own;
        depth = wanted.depth;
    }

    // Does all of a thread's work. Every thread must reach the barrier, or the others would wait.
    void work() {
        lane = preload::ThreadLane::of_this_thread();
        walker->forget_thread();
        if (lane == nullptr || count_frames(*walker, __builtin_frame_address(0)) == 0) {
            problem = "no lane, or no end of the stack";
        } else {
            measure();
        }
        if (!was_started_) start_line_.arrive_and_drop();
    }

    uint64_t time_ns = 0;
    uint64_t stepped = 0;  // frames that memtrace walked in time_ns
    const char* problem = nullptr;

private:
    enum class Stage { count, reference, compare_id, warm_up, timed };
    // After this many turns the tables are complete: no capture adds a node any more.
    static constexpr uint64_t turns_of_warm_up = 2000;

    void measure() {
        // One run without any nest counts the frames that are always there.
        begin(Stage::count, site_that_counts);
        if (!run_shape(wanted_.shape, *this)) problem = "no memory for fibers";
        const uint32_t depth_wanted = wanted_.depth + wanted_.capture.is_cut;
        if (frames_ == 0 || frames_ > depth_wanted) problem = "the stack is too deep already";
        else if (depth_wanted - frames_ > nests_max) problem = "there are not as many functions";
        if (problem != nullptr) return;
        nests = depth_wanted - frames_;
        const Capture& capture = wanted_.capture;
        begin(Stage::reference, capture.reference == nullptr ? capture.site : capture.reference);
        if (!run_shape(wanted_.shape, *this)) problem = "no memory for fibers";
    }

    void begin(Stage stage, Function* function) {
        stage_ = stage;
        site = function;
        stop = 1;
    }

    static void site_that_counts(Run& run) {
        auto& self = static_cast<Worker&>(run);
        self.frames_ = count_frames(*self.walker, __builtin_frame_address(0));
    }

    // The capture of turn 2 must equal that of turn 0, and have the stated depth. Two threads that
    // meet a frame at the same moment may give it two ids, so ids are compared only with one
    // thread.
    void check_stack() {
        const bool is_compared = wanted_.capture.reference != nullptr && wanted_.threads == 1;
        if (is_compared && id != reference_) problem = "found another stack";
        if (last.length != 0 && last.length != depth) problem = "is not as deep as it should be";
    }

    // Called before the turn `stop`. Turns 0 and 2 have the same stack in every shape.
    bool next_stage(uint64_t turn) override {
        switch (stage_) {
            case Stage::count: return false;
            case Stage::reference:
                reference_ = id;
                site = wanted_.capture.site;
                stage_ = Stage::compare_id;
                stop = 3;
                return true;
            case Stage::compare_id:
                check_stack();
                stage_ = Stage::warm_up;
                stop = turns_of_warm_up;
                return true;
            case Stage::warm_up:
                stage_ = Stage::timed;
                stop = turn + turns_;
                was_started_ = true;
                start_line_.arrive_and_wait();
                stepped = lane->stacks().walker.counts.stepped;
                time_ns = thread_time_ns();
                return true;
            case Stage::timed: break;
        }
        time_ns = thread_time_ns() - time_ns;
        stepped = lane->stacks().walker.counts.stepped - stepped;
        return false;
    }

    const Wanted& wanted_;
    const uint64_t turns_;
    std::barrier<>& start_line_;
    Stage stage_ = Stage::count;
    bool was_started_ = false;
    uint32_t frames_ = 0;
    uint32_t reference_ = 0;
};

void* work(void* worker) {
    static_cast<Worker*>(worker)->work();
    return nullptr;
}

// Runs one batch of `captures_wanted` captures in each thread.
void run_batch(benchmark::State& state, const Wanted& wanted, uint64_t captures_wanted) {
    const uint64_t a_turn = wanted.shape.captures_a_turn;
    const uint64_t turns = (captures_wanted + a_turn - 1) / a_turn;
    std::barrier<> start_line(wanted.threads);
    Worker first(wanted, walkers[0].walker, turns, start_line);
    Worker second(wanted, walkers[1].walker, turns, start_line);
    Worker* const workers[threads_max] = {&first, &second};
    pthread_t threads[threads_max];
    uint32_t started = 0;
    while (started < wanted.threads &&
           pthread_create(&threads[started], nullptr, work, workers[started]) == 0) {
        ++started;
    }
    // Threads that could not be started leave the barrier.
    for (uint32_t i = started; i < wanted.threads; ++i) start_line.arrive_and_drop();
    double time_ns = 0;
    double stepped = 0;
    const char* problem = started == wanted.threads ? nullptr : "a thread could not be started";
    for (uint32_t i = 0; i < started; ++i) {
        pthread_join(threads[i], nullptr);
        if (workers[i]->problem != nullptr) problem = workers[i]->problem;
        time_ns += static_cast<double>(workers[i]->time_ns);
        stepped += static_cast<double>(workers[i]->stepped);
    }
    if (problem != nullptr) return state.SkipWithError(problem);
    const double captured = static_cast<double>(turns * a_turn) * wanted.threads;
    state.SetIterationTime(time_ns / captured * static_cast<double>(captures_wanted) * 1e-9);
    state.counters["stepped"] = stepped / captured;
}

void run_benchmark(benchmark::State& state, const Wanted& wanted) {
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(state.max_iterations))) {
        run_batch(state, wanted, state.max_iterations);
    }
}

void add_benchmark(const Wanted& wanted) {
    const std::string name =
        std::string(wanted.shape.name) + "/depth:" + std::to_string(wanted.depth) +
        "/threads:" + std::to_string(wanted.threads) + "/" + wanted.capture.name;
    benchmark::RegisterBenchmark(name.c_str(), run_benchmark, wanted)->UseManualTime();
}

void add_benchmarks(bool has_libunwind) {
    for (const Shape& shape : shapes) {
        for (const uint32_t depth : {10, 30, 60}) {
            if (shape.fresh_frames >= depth) continue;  // no frames would be left outside them
            for (const uint32_t threads : {1, 2}) {
                for (const Capture& capture : captures) {
                    if (&capture == &captures[libunwind] && !has_libunwind) continue;
                    add_benchmark({capture, shape, depth, threads});
                }
            }
        }
    }
}

}  // namespace
}  // namespace memtrace::bench

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    const memtrace::test::TestRecording recording;
    if (!recording.created()) return 1;
    memtrace::bench::add_benchmarks(memtrace::bench::open_libunwind());
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
