// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/top.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/live/child_job.h"
#include "analyzer/live/find_program.h"
#include "analyzer/live/live_dump.h"
#include "analyzer/live/program_facts.h"
#include "analyzer/live/shown_path.h"
#include "analyzer/live/top_view.h"
#include "launcher/live/background_work.h"
#include "launcher/live/growth_job.h"
#include "launcher/live/now.h"
#include "launcher/live/top_screen.h"

namespace memtrace::launcher {
namespace {

using namespace analyzer;

constexpr size_t rows_once = 40;  // of a screen that is printed
// A look leaves the newest events for the next one (live_dump.h).
constexpr std::chrono::milliseconds newest_left{250};

// Everything that is shown, kept up to date.
class Top {
public:
    // Reads all that was recorded so far.
    Top(const TopRequest& request, RecordedProgram program)
        : program_(std::move(program)),
          dump_(program_.dump),
          growth_(program_.dump, dump_.now_ns()) {
        view_.show_space(request.space);
        if (request.space != TopRequest().space) asked_space_ = request.space;
        view_.set_filter(request.filter);
        view_.set_sort(request.sort == "growth"  ? TopSort::growth
                       : request.sort == "calls" ? TopSort::calls
                                                 : TopSort::held);
    }

    TopView& view() { return view_; }

    // Reads what was recorded since the last time. This may take long, and changes nothing that
    // view() has.
    void read() {
        if (dump_.is_running()) dump_.look();
    }

    // Shows what was read. Throws Error if it has no space of the name that was asked for: a report
    // of another one would look like an answer.
    void show() {
        update();
        check_space();
        if (!naming_.is_running() && table_.unnamed_share() > unnamed_max &&
            now_ns() >= next_naming_ns_) {
            name();
        }
        if (!dump_.is_running()) return;
        if (const auto verdicts = growth_.poll()) view_.set_verdicts(*verdicts);
    }

    // Takes the names if they have been found meanwhile. Returns false if there is nothing new.
    bool take_names() {
        if (!naming_.is_running()) return false;
        const std::optional<std::string> text = naming_.poll();
        if (naming_.is_running()) return false;
        finish_naming(text);
        return true;
    }

    void wait_for_names() {
        if (naming_.is_running()) finish_naming(naming_.wait());
    }

private:
    // New call sites are named when they hold this much, or when they are all there is.
    static constexpr double unnamed_max = 0.005;
    static constexpr uint64_t naming_share = 60;  // of one core, at most
    static constexpr uint64_t naming_pause_ns = 5 * second_ns;

    void name() {
        naming_.start([this] { return live_names_text(dump_.finish()); });
    }

    // Before the program has allocated anything, there is no space at all.
    void check_space() {
        const std::string asked = std::exchange(asked_space_, "");
        const std::vector<LiveSpace>& spaces = table_.spaces();
        if (asked.empty()) return;
        if (spaces.empty()) {
            asked_space_ = asked;
            return;
        }
        std::string names;
        for (const LiveSpace& space : spaces) {
            if (space.name == asked) return;
            names += (names.empty() ? "" : ", ") + space.name;
        }
        throw Error(fmt::format("--space {}: {} has no such space; it has: {}", printable(asked),
                                printable(program_.dump_name), names));
    }

    void finish_naming(const std::optional<std::string>& text) {
        next_naming_ns_ = now_ns() + std::max(naming_pause_ns, naming_.cpu_ns() * naming_share);
        if (!text) return;
        table_.set_names(read_live_names(*text));
        update();
    }

    void update() {
        dump_.for_each_space([this](const SpaceCounter& counter, bool is_estimate) {
            table_.take(dump_.now_ns(), counter, is_estimate);
        });
        view_.set_table(table_);
        TopProgram facts = facts_of(program_, dump_);
        facts.is_naming = naming_.is_running();
        view_.set_program(std::move(facts));
    }

    RecordedProgram program_;
    LiveDump dump_;
    LiveTable table_;
    TopView view_;
    std::string asked_space_;  // empty: it was found
    ChildJob naming_;
    uint64_t next_naming_ns_ = 0;
    GrowthJob growth_;
};

int print_once(Top& top) {
    std::this_thread::sleep_for(newest_left);
    top.read();
    top.show();
    top.wait_for_names();
    for (const TopLine& line : top.view().content(terminal_width(1), rows_once)) {
        std::puts(line.text.c_str());
    }
    return exit_fine;
}

std::vector<TopLine> waiting_lines(uint64_t since_ns, const TopScreen& screen) {
    std::vector<TopLine> lines(std::max<size_t>(screen.height(), 2));
    lines.front() = {
        fmt::format("reading what was recorded so far… {} s", (now_ns() - since_ns) / second_ns),
        TopLine::Look::plain};
    lines.back() = {"[q]uit", TopLine::Look::faint};
    return lines;
}

// A dump may take minutes to read, at the beginning and when it has been compacted meanwhile. So a
// thread reads it, and the keys are heard.
int show(const TopRequest& request, const RecordedProgram& program) {
    constexpr uint64_t glance_ns = second_ns / 20;  // at whether the thread is done
    const auto interval_ns = static_cast<uint64_t>(request.seconds * 1e9);
    const uint64_t begin = now_ns();
    std::optional<Top> top;
    TopView nothing;
    TopScreen screen;
    BackgroundWork reading;
    reading.start([&] { top.emplace(request, program); });
    bool is_shown = false;
    for (uint64_t next = 0;;) {
        if (reading.end()) {
            top->show();
            is_shown = true;
            next = now_ns() + interval_ns;
        } else if (!reading.is_running() && now_ns() >= next) {
            reading.start([&] { top->read(); });
        }
        const bool is_reading = reading.is_running();
        if (is_shown && !is_reading) top->take_names();
        screen.draw(is_shown ? top->view().lines(screen.width(), screen.height())
                             : waiting_lines(begin, screen));
        const uint64_t now = now_ns();
        const uint64_t wait = is_reading ? glance_ns : next > now ? next - now : 0;
        if (screen.wait_for_key(wait, is_shown ? top->view() : nothing)) continue;
        if (!reading.is_running()) return exit_fine;
        // Nobody can call the thread back, and it has nothing that must be put in order.
        screen.leave();
        _exit(exit_fine);
    }
}

}  // namespace

int run_top(const TopRequest& request) {
    const RecordedProgram program = find_program(request.program);
    try {
        if (!request.once && isatty(1) != 0 && isatty(0) != 0) return show(request, program);
        Top top(request, program);
        return print_once(top);
    } catch (const Error& error) {
        throw Error(shown_path(error.what(), program.dump, program.dump_name));
    }
}

}  // namespace memtrace::launcher
