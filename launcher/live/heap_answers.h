// SPDX-License-Identifier: Apache-2.0
//
// The answers of /debug/pprof/heap. Each profile is made in a process of its own (child_job.h), so
// the server goes on to answer others meanwhile. What happens within some seconds takes two: one
// when the client asks, and one when the time is over.
//
//   asked ─► in line ─► being made ─► sent
//   asked ─► in line ─► being made ─► waits ─► in line ─► being made ─► sent      (seconds=N)
#pragma once

#include <event2/event.h>
#include <event2/http.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "analyzer/live/child_job.h"
#include "launcher/live/heap_query.h"

namespace memtrace::launcher {

struct FreeEvent {
    void operator()(event_base* base) const { event_base_free(base); }
    void operator()(evhttp* http) const { evhttp_free(http); }
    void operator()(event* one) const { event_free(one); }
};

class HeapAnswers {
public:
    // What is made: the file of pprof as the heap is now, the same as text, or what has changed
    // since an earlier file.
    enum class Form : uint8_t { file, text, difference };
    // Returns it. Called in a process of its own.
    using Make = std::function<std::string(Form form, const std::string& earlier)>;

    // `base` must outlive the object. `prepare`: called before each child is started.
    HeapAnswers(event_base* base, std::function<void()> prepare, Make make);
    ~HeapAnswers();
    HeapAnswers(const HeapAnswers&) = delete;
    HeapAnswers& operator=(const HeapAnswers&) = delete;

    // Takes the request over.
    void take(evhttp_request* request);
    // The program has ended: who waits gets what has happened until now.
    void end_waits();
    // True if no request is left. Replies may still be on their way.
    bool is_done() const { return answers_.empty(); }

private:
    struct Answer;

    size_t running() const;
    void start_jobs();
    void start(Answer& answer);
    void on_output(Answer& answer);
    void go_on(Answer& answer, std::string file);
    void fail(Answer& answer, int code, const char* why);
    void remove(Answer& answer);

    event_base* base_;
    std::function<void()> prepare_;
    Make make_;
    std::list<std::unique_ptr<Answer>> answers_;  // in the order in which they came
    bool has_ended_ = false;
};

}  // namespace memtrace::launcher
