// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/top.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <thread>

#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/live/child_job.h"
#include "analyzer/live/find_program.h"
#include "analyzer/live/live_dump.h"
#include "analyzer/live/program_facts.h"
#include "analyzer/live/top_view.h"
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
    explicit Top(const TopRequest& request)
        : program_(find_program(request.program)),
          dump_(program_.dump),
          growth_(program_.dump, dump_.now_ns()) {
        view_.show_space(request.space);
        view_.set_filter(request.filter);
        view_.set_sort(request.sort == "growth"  ? TopSort::growth
                       : request.sort == "calls" ? TopSort::calls
                                                 : TopSort::held);
    }

    TopView& view() { return view_; }

    void look() {
        dump_.look();
        update();
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
    ChildJob naming_;
    uint64_t next_naming_ns_ = 0;
    GrowthJob growth_;
};

int print_once(Top& top) {
    std::this_thread::sleep_for(newest_left);
    top.look();
    top.wait_for_names();
    for (const TopLine& line : top.view().content(terminal_width(1), rows_once)) {
        std::puts(line.text.c_str());
    }
    return exit_fine;
}

int show(const TopRequest& request) {
    const auto interval_ns = static_cast<uint64_t>(request.seconds * 1e9);
    TopScreen screen;
    screen.draw({{"reading what was recorded so far…", TopLine::Look::faint}});
    Top top(request);
    uint64_t next = 0;
    for (;;) {
        if (now_ns() >= next) {
            top.look();
            next = now_ns() + interval_ns;
        }
        top.take_names();
        screen.draw(top.view().lines(screen.width(), screen.height()));
        const uint64_t now = now_ns();
        if (!screen.wait_for_key(next > now ? next - now : 0, top.view())) return exit_fine;
    }
}

}  // namespace

int run_top(const TopRequest& request) {
    if (!request.once && isatty(1) != 0 && isatty(0) != 0) return show(request);
    Top top(request);
    return print_once(top);
}

}  // namespace memtrace::launcher
