// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/heap_answers.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/http_struct.h>
#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace memtrace::launcher {
namespace {

// Each profile that is being made has a copy of what the server has read, as far as they differ.
constexpr size_t jobs_max = 4, answers_max = 64;
// The first profile of a difference cannot wait: it is of the moment when it is asked for.
constexpr size_t first_jobs_max = 16;
constexpr int too_many = 503;

std::string query_of(evhttp_request* request) {
    const char* const query = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
    return query == nullptr ? "" : query;
}

void send_text(evhttp_request* request, int code, const char* reason, std::string_view text) {
    evkeyvalq* const headers = evhttp_request_get_output_headers(request);
    evhttp_add_header(headers, "Content-Type", "text/plain; charset=utf-8");
    evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
    evbuffer_add(evhttp_request_get_output_buffer(request), text.data(), text.size());
    evhttp_send_reply(request, code, reason, nullptr);
}

// True if the client has closed the connection. Nobody reads from it while an answer is made.
bool has_gone(evhttp_request* request) {
    char byte;
    const int fd = static_cast<int>(bufferevent_getfd(
        evhttp_connection_get_bufferevent(evhttp_request_get_connection(request))));
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void leave_connection(evhttp_request* request) {
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), nullptr, nullptr);
}

}  // namespace

struct HeapAnswers::Answer {
    enum class State : uint8_t { in_line, being_made, waits };

    HeapAnswers* owner;
    evhttp_request* request;
    HeapQuery query;
    State state = State::in_line;
    std::string earlier;  // of a difference: the file of when it was asked for; empty: not yet
    analyzer::ChildJob job;
    std::unique_ptr<event, FreeEvent> output;  // there is something to take
    std::unique_ptr<event, FreeEvent> timer;   // the time is over
};

HeapAnswers::HeapAnswers(event_base* base, std::function<void()> prepare, Make make)
    : base_(base), prepare_(std::move(prepare)), make_(std::move(make)) {}

// The connections live longer.
HeapAnswers::~HeapAnswers() {
    for (const auto& answer : answers_) leave_connection(answer->request);
}

void HeapAnswers::take(evhttp_request* request) {
    HeapQuery query = parse_heap_query(query_of(request));
    if (!query.error.empty()) {
        return send_text(request, HTTP_BADREQUEST, "Bad Request", query.error + "\n");
    }
    if (answers_.size() >= answers_max || (query.seconds != 0 && running() >= first_jobs_max)) {
        return send_text(request, too_many, "Service Unavailable",
                         "too many profiles are being made; ask again later\n");
    }
    auto answer = std::make_unique<Answer>();
    answer->owner = this;
    answer->request = request;
    answer->query = std::move(query);
    // If the client goes, nobody needs its profile any more, and its request is gone.
    evhttp_connection_set_closecb(
        evhttp_request_get_connection(request),
        [](evhttp_connection*, void* given) {
            Answer& one = *static_cast<Answer*>(given);
            HeapAnswers& owner = *one.owner;
            owner.remove(one);
            owner.start_jobs();
        },
        answer.get());
    answers_.push_back(std::move(answer));
    if (answers_.back()->query.seconds != 0) start(*answers_.back());
    start_jobs();
}

size_t HeapAnswers::running() const {
    return static_cast<size_t>(std::count_if(answers_.begin(), answers_.end(), [](const auto& one) {
        return one->state == Answer::State::being_made;
    }));
}

void HeapAnswers::start_jobs() {
    // Starting one may remove it.
    while (running() < jobs_max) {
        const auto next = std::find_if(answers_.begin(), answers_.end(), [](const auto& one) {
            return one->state == Answer::State::in_line;
        });
        if (next == answers_.end()) return;
        Answer& answer = **next;
        if (!has_gone(answer.request)) {
            start(answer);
            continue;
        }
        evhttp_connection* const connection = evhttp_request_get_connection(answer.request);
        leave_connection(answer.request);
        remove(answer);
        evhttp_connection_free(connection);  // and the request
    }
}

void HeapAnswers::start(Answer& answer) {
    answer.state = Answer::State::being_made;
    try {
        prepare_();
        const Form form = !answer.earlier.empty()   ? Form::difference
                          : answer.query.wants_text ? Form::text
                                                    : Form::file;
        answer.job.start([this, &answer, form] { return make_(form, answer.earlier); });
        answer.output.reset(event_new(
            base_, answer.job.descriptor(), EV_READ,
            [](evutil_socket_t, short, void* given) {
                Answer& one = *static_cast<Answer*>(given);
                one.owner->on_output(one);
            },
            &answer));
        event_add(answer.output.get(), nullptr);
    } catch (const std::exception& error) {
        fail(answer, HTTP_INTERNAL, error.what());
    }
}

void HeapAnswers::on_output(Answer& answer) {
    std::optional<std::string> file = answer.job.poll();
    if (answer.job.is_running()) {
        event_add(answer.output.get(), nullptr);
        return;
    }
    answer.output.reset();
    if (file) go_on(answer, std::move(*file));
    else fail(answer, HTTP_INTERNAL, "the heap could not be read");
    start_jobs();
}

void HeapAnswers::go_on(Answer& answer, std::string file) {
    const HeapQuery& query = answer.query;
    if (query.seconds != 0 && answer.earlier.empty()) {
        answer.earlier = std::move(file);
        if (has_ended_) {
            answer.state = Answer::State::in_line;
            return;
        }
        answer.state = Answer::State::waits;
        answer.timer.reset(event_new(
            base_, -1, 0,
            [](evutil_socket_t, short, void* given) {
                Answer& one = *static_cast<Answer*>(given);
                one.state = Answer::State::in_line;
                one.owner->start_jobs();
            },
            &answer));
        const timeval time{static_cast<time_t>(query.seconds), 0};
        event_add(answer.timer.get(), &time);
        return;
    }
    leave_connection(answer.request);
    evkeyvalq* const headers = evhttp_request_get_output_headers(answer.request);
    if (query.wants_text) {
        send_text(answer.request, HTTP_OK, "OK", file);
        return remove(answer);
    }
    const char* const name = query.seconds != 0 ? "attachment; filename=\"heap-delta\""
                                                : "attachment; filename=\"heap\"";
    evhttp_add_header(headers, "Content-Type", "application/octet-stream");
    evhttp_add_header(headers, "Content-Disposition", name);
    evhttp_add_header(headers, "X-Content-Type-Options", "nosniff");
    evbuffer_add(evhttp_request_get_output_buffer(answer.request), file.data(), file.size());
    evhttp_send_reply(answer.request, HTTP_OK, "OK", nullptr);
    remove(answer);
}

void HeapAnswers::fail(Answer& answer, int code, const char* why) {
    leave_connection(answer.request);
    send_text(answer.request, code, "Error", std::string(why) + "\n");
    remove(answer);
}

void HeapAnswers::remove(Answer& answer) {
    answers_.remove_if([&](const auto& one) { return one.get() == &answer; });
}

void HeapAnswers::end_waits() {
    has_ended_ = true;
    for (const auto& answer : answers_) {
        if (answer->state != Answer::State::waits) continue;
        answer->timer.reset();
        answer->state = Answer::State::in_line;
    }
    start_jobs();
}

}  // namespace memtrace::launcher
