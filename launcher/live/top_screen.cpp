// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/top_screen.h"

#include <signal.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <string>

// Its macros would take names of others.
#define NCURSES_NOMACROS
#include <ncurses.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::launcher {
namespace {

using analyzer::TopKey;
using analyzer::TopLine;

enum Colour : short { title_colour = 1, alarm_colour };

constexpr int escape_key = 27;

volatile sig_atomic_t was_ended = 0;

attr_t attributes_of(TopLine::Look look) {
    switch (look) {
        case TopLine::Look::title: return A_BOLD | COLOR_PAIR(title_colour);
        case TopLine::Look::head: return A_UNDERLINE;
        case TopLine::Look::faint: return A_DIM;
        case TopLine::Look::alarm: return A_BOLD | COLOR_PAIR(alarm_colour);
        case TopLine::Look::selected: return A_REVERSE;
        case TopLine::Look::plain: break;
    }
    return A_NORMAL;
}

// Returns false if the key ends the program.
bool press(int key, analyzer::TopView& view) {
    switch (key) {
        case 'q': return false;
        case KEY_UP:
        case 'k': view.press(TopKey::up); break;
        case KEY_DOWN:
        case 'j': view.press(TopKey::down); break;
        case KEY_PPAGE: view.press(TopKey::page_up); break;
        case KEY_NPAGE:
        case ' ': view.press(TopKey::page_down); break;
        case KEY_HOME:
        case 'g': view.press(TopKey::first); break;
        case KEY_END:
        case 'G': view.press(TopKey::last); break;
        case 's': view.press(TopKey::sort); break;
        case '\t': view.press(TopKey::next_space); break;
        case 'f':
        case '/': view.press(TopKey::filter); break;
        case '\n':
        case '\r':
        case KEY_ENTER: view.press(TopKey::open); break;
        case escape_key: view.press(TopKey::back); break;
        default: break;
    }
    return true;
}

void type(int key, analyzer::TopView& view) {
    if (key == '\n' || key == '\r' || key == KEY_ENTER) view.type('\n');
    else if (key == KEY_BACKSPACE || key == 127 || key == 8) view.type('\b');
    else if (key == escape_key) {
        view.type('\n');
        view.press(TopKey::back);
    } else if (key >= ' ' && key < 256) view.type(static_cast<char>(key));
}

}  // namespace

TopScreen::TopScreen() {
    std::setlocale(LC_ALL, "");
    if (newterm(nullptr, stdout, stdin) == nullptr) {
        const char* const name = std::getenv("TERM");
        throw analyzer::Error(std::string("top cannot draw on this terminal (TERM=") +
                              (name != nullptr ? name : "") +
                              "); --once prints one screen as text");
    }
    // ncurses leaves these to the program if it has handlers of its own.
    struct sigaction action {};
    action.sa_handler = [](int) { was_ended = 1; };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    if (analyzer::wants_colour(1) && has_colors()) {
        start_color();
        use_default_colors();
        init_pair(title_colour, COLOR_CYAN, -1);
        init_pair(alarm_colour, COLOR_RED, -1);
    }
}

TopScreen::~TopScreen() { endwin(); }
void TopScreen::leave() { endwin(); }

size_t TopScreen::width() const { return static_cast<size_t>(std::max(1, getmaxx(stdscr))); }
size_t TopScreen::height() const { return static_cast<size_t>(std::max(1, getmaxy(stdscr))); }

void TopScreen::draw(const std::vector<TopLine>& lines) {
    werase(stdscr);
    for (size_t row = 0; row < std::min(lines.size(), height()); ++row) {
        const attr_t look = attributes_of(lines[row].look);
        std::string text = lines[row].text;
        if (lines[row].look == TopLine::Look::selected) {
            text += std::string(width() - std::min(width(), analyzer::display_width(text)), ' ');
        }
        wattron(stdscr, static_cast<int>(look));
        mvwaddstr(stdscr, static_cast<int>(row), 0, text.c_str());
        wattroff(stdscr, static_cast<int>(look));
    }
    wrefresh(stdscr);
}

bool TopScreen::wait_for_key(uint64_t time_ns, analyzer::TopView& view) {
    constexpr uint64_t step_ms = 100;  // so that a signal that comes between two waits is seen
    for (uint64_t left = time_ns / 1'000'000 + 1; left > 0; left -= std::min(left, step_ms)) {
        if (was_ended != 0) return false;
        wtimeout(stdscr, static_cast<int>(std::min(left, step_ms)));
        const int key = wgetch(stdscr);
        if (key == ERR) continue;
        if (view.is_typing()) type(key, view);
        else if (!press(key, view)) return false;
        return true;
    }
    return was_ended == 0;
}

}  // namespace memtrace::launcher
