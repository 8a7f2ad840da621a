// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/serve.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/commands/command.h"
#include "analyzer/live/find_program.h"
#include "analyzer/live/live_dump.h"
#include "analyzer/live/live_heap.h"
#include "analyzer/live/metrics_text.h"
#include "analyzer/live/program_facts.h"
#include "analyzer/live/shown_path.h"
#include "launcher/live/growth_job.h"
#include "launcher/live/heap_answers.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

using namespace analyzer;

constexpr timeval look_interval{1, 0};
constexpr int request_bytes_max = 16 << 10;

// How long replies that are on their way may take when the program has ended.
constexpr timeval last_replies{2, 0};

constexpr const char* index_text =
    "memtrace serves here what a running program holds:\n"
    "    /debug/pprof/heap              the heap as pprof reads it\n"
    "    /debug/pprof/heap?seconds=30   what happens within 30 seconds\n"
    "    /metrics                       OpenMetrics for Prometheus\n";

class Server {
public:
    Server(const ServeRequest& request, RecordedProgram program)
        : program_(std::move(program)),
          dump_(program_.dump),
          growth_(program_.dump, dump_.now_ns()),
          base_(event_base_new()),
          http_(base_ ? evhttp_new(base_.get()) : nullptr),
          heaps_(
              base_.get(), [this] { dump_.look(); },
              [this](HeapAnswers::Form form, const std::string& earlier) {
                  return make_heap(form, earlier);
              }) {
        if (!dump_.is_running()) {
            throw Error(
                fmt::format("serve: the program has ended; memtrace-report {} shows what "
                            "it held",
                            program_.dump_name));
        }
        if (!http_) throw Error("serve: there is not enough memory for a server");
        evhttp_set_allowed_methods(http_.get(), EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
        evhttp_set_max_headers_size(http_.get(), request_bytes_max);
        evhttp_set_max_body_size(http_.get(), request_bytes_max);
        route("/", &Server::send_index);
        route("/metrics", &Server::send_metrics);
        route("/debug/pprof/heap", &Server::send_heap);
        listen(request);
        timer_.reset(event_new(base_.get(), -1, EV_PERSIST, on_time, this));
        event_add(timer_.get(), &look_interval);
        for (const int signal : {SIGINT, SIGTERM}) {
            signals_.emplace_back(evsignal_new(base_.get(), signal, on_signal, this));
            event_add(signals_.back().get(), nullptr);
        }
    }

    void run() {
        event_base_dispatch(base_.get());
        if (failure_) std::rethrow_exception(failure_);
        if (!dump_.is_running()) {
            say(fmt::format("the program has ended; its dump is {}", program_.dump_name));
        }
    }

private:
    using Send = void (Server::*)(evhttp_request*);
    struct Route {
        Server* server;
        Send handler;
    };

    void route(const char* path, Send handler) {
        routes_.push_back(std::make_unique<Route>(Route{this, handler}));
        evhttp_set_cb(
            http_.get(), path,
            [](evhttp_request* request, void* given) {
                const Route& route = *static_cast<Route*>(given);
                try {
                    (route.server->*route.handler)(request);
                } catch (const std::exception& error) {
                    evhttp_send_error(request, HTTP_INTERNAL, error.what());
                }
            },
            routes_.back().get());
    }

    void listen(const ServeRequest& request) {
        const auto port = static_cast<uint16_t>(request.port);
        evhttp_bound_socket* const bound =
            evhttp_bind_socket_with_handle(http_.get(), request.address.c_str(), port);
        if (bound == nullptr) {
            throw Error(
                fmt::format("serve: cannot listen on {} port {}: {}; choose another --port "
                            "or --address",
                            request.address, request.port, std::strerror(errno)));
        }
        sockaddr_storage name{};
        socklen_t length = sizeof name;
        getsockname(evhttp_bound_socket_get_fd(bound), reinterpret_cast<sockaddr*>(&name), &length);
        const uint16_t taken = name.ss_family == AF_INET6
                                   ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                                   : reinterpret_cast<sockaddr_in*>(&name)->sin_port;
        const bool is_v6 = name.ss_family == AF_INET6;
        const TopProgram facts = facts_of(program_, dump_);
        say(fmt::format("serving {} (pid {}) on http://{}{}{}:{}/", facts.command, facts.pid,
                        is_v6 ? "[" : "", request.address, is_v6 ? "]" : "", ntohs(taken)));
    }

    static void on_time(evutil_socket_t, short, void* given) {
        Server& server = *static_cast<Server*>(given);
        try {
            server.look();
        } catch (...) {  // No exception may pass the loop, which is written in C.
            server.failure_ = std::current_exception();
            event_base_loopbreak(server.base_.get());
        }
    }
    void look() {
        if (dump_.is_running()) dump_.look();
        if (!dump_.is_running()) return end();
        try {
            if (auto verdicts = growth_.poll()) verdicts_ = std::move(*verdicts);
        } catch (const Error&) {
            // There can be no process for the report now. It is asked again.
        }
    }
    static void on_signal(evutil_socket_t, short, void* given) {
        event_base_loopbreak(static_cast<Server*>(given)->base_.get());
    }

    // The program has ended. Who waits for a difference gets that of until now.
    void end() {
        const bool nobody_waits = heaps_.is_done() && !has_last_replies_;
        if (nobody_waits) {
            event_base_loopbreak(base_.get());
            return;
        }
        has_last_replies_ = true;
        heaps_.end_waits();
        if (!heaps_.is_done() || is_ending_) return;
        is_ending_ = true;
        event_base_loopexit(base_.get(), &last_replies);
    }

    static void send(evhttp_request* request, const char* type, std::string_view bytes) {
        evkeyvalq* const headers = evhttp_request_get_output_headers(request);
        evhttp_add_header(headers, "Content-Type", type);
        evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
        evbuffer_add(evhttp_request_get_output_buffer(request), bytes.data(), bytes.size());
        evhttp_send_reply(request, HTTP_OK, "OK", nullptr);
    }

    void send_index(evhttp_request* request) { send(request, "text/plain", index_text); }

    void send_metrics(evhttp_request* request) {
        dump_.look();
        Metrics metrics;
        dump_.for_each_space([&](const SpaceCounter& counter, bool is_estimate) {
            metrics.spaces.push_back(
                {counter.name(), counter.totals(), counter.peak_bytes(), is_estimate});
        });
        metrics.resident_bytes = resident_now(program_, dump_);
        metrics.own_resident_bytes = own_resident_now(dump_);
        metrics.dump_bytes = dump_.dump_bytes();
        metrics.seconds = static_cast<double>(dump_.now_ns()) / 1e9;
        for (const RecordingGap& gap : dump_.gaps()) {
            metrics.is_on = gap.end_ns.has_value();
            const uint64_t end = std::max(gap.end_ns.value_or(dump_.now_ns()), gap.begin_ns);
            metrics.unrecorded_seconds += static_cast<double>(end - gap.begin_ns) / 1e9;
        }
        metrics.verdicts = verdicts_;
        send(request, metrics_type, metrics_text(metrics));
    }

    std::string make_heap(HeapAnswers::Form form, const std::string& earlier) {
        switch (form) {
            case HeapAnswers::Form::text: return live_heap_text(dump_.finish());
            case HeapAnswers::Form::difference: return live_heap_since(earlier, dump_.finish());
            case HeapAnswers::Form::file: break;
        }
        return live_heap(dump_.finish());
    }

    void send_heap(evhttp_request* request) { heaps_.take(request); }

    RecordedProgram program_;
    LiveDump dump_;
    GrowthJob growth_;
    LiveVerdicts verdicts_;
    bool has_last_replies_ = false;  // Somebody waited for a profile when the program ended.
    bool is_ending_ = false;
    std::exception_ptr failure_;  // of what the loop has called
    std::unique_ptr<event_base, FreeEvent> base_;
    std::unique_ptr<evhttp, FreeEvent> http_;
    HeapAnswers heaps_;
    std::vector<std::unique_ptr<Route>> routes_;
    std::unique_ptr<event, FreeEvent> timer_;
    std::vector<std::unique_ptr<event, FreeEvent>> signals_;
};

}  // namespace

int run_serve(const ServeRequest& request) {
    signal(SIGPIPE, SIG_IGN);  // A client may go at any moment.
    const RecordedProgram program = find_program(request.program);
    try {
        Server(request, program).run();
    } catch (const Error& error) {
        throw Error(shown_path(error.what(), program.dump, program.dump_name));
    }
    return exit_fine;
}

}  // namespace memtrace::launcher
