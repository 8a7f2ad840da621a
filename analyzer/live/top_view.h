// SPDX-License-Identifier: Apache-2.0
//
// The screen of `memtrace top`, as lines of text: what it shows, and what the keys change. It knows
// no terminal.
//
//   train.py  pid 4711  1 h 12 min  resident 3.1 GiB ▁▂▃▄▅▆▇  dump 84.2 MiB
//   [host 2.9 GiB]  mmap 40.1 MiB  python 112.0 MiB  device:0 6.0 GiB
//        HELD      +/MIN  WHERE
//     1.4 GiB   +620 KiB  data.py:204 Cache.put                       leak
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/live/live_table.h"
#include "analyzer/live/live_verdicts.h"

namespace memtrace::analyzer {

struct TopLine {
    enum class Look : uint8_t { plain, title, head, faint, alarm, selected };

    std::string text;  // as wide as the screen at most
    Look look = Look::plain;

    bool operator==(const TopLine&) const = default;
};

// What is known about the program as a whole.
struct TopProgram {
    std::string command;
    uint64_t pid = 0;
    uint64_t time_ns = 0;  // from the start of the recording
    uint64_t dump_bytes = 0;
    std::deque<uint64_t> resident;  // bytes, the newest last; empty: not known
    uint64_t own_resident = 0;      // part of it that is memtrace's; 0: not known
    bool is_running = true;
    bool lags = false;          // The newest events are not in the dump yet (LiveDump::lags()).
    std::string recording_off;  // a clause if the recording is off; empty: it is on
    bool is_naming = false;     // The names of call sites are being found.
};

enum class TopSort : uint8_t { held, growth, calls };

// What the keys do.
enum class TopKey : uint8_t {
    up,
    down,
    page_up,
    page_down,
    first,
    last,
    sort,
    next_space,
    open,    // the stack of the selected row
    back,    // closes the stack, or ends the filter
    filter,  // The characters that follow are a filter.
};

class TopView {
public:
    void set_program(TopProgram program) { program_ = std::move(program); }
    // The verdicts are of the time of the program that was set last.
    void set_verdicts(LiveVerdicts verdicts);
    // `table` is of the newest moment.
    void set_table(const LiveTable& table);

    void press(TopKey key);
    // While a filter is typed (is_typing()): a character of it, '\b' for backspace, '\n' for its
    // end.
    void type(char c);
    bool is_typing() const { return is_typing_; }
    void set_sort(TopSort sort) { sort_ = sort; }
    void set_filter(std::string text) { filter_ = std::move(text); }
    // Shows the space with this name, if there is one.
    void show_space(const std::string& name) { space_ = name; }

    // Returns the screen. The last line has the keys.
    std::vector<TopLine> lines(size_t width, size_t height);
    // Returns the lines above the keys that have something, `height` at most.
    std::vector<TopLine> content(size_t width, size_t height);

private:
    struct Row {
        LiveFigures figures;
        LiveRow names;
        const LiveVerdict* verdict = nullptr;
    };

    const LiveSpace* shown_space() const;
    std::vector<Row> rows() const;
    void add_head(std::vector<TopLine>& lines, size_t width) const;
    void add_table(std::vector<TopLine>& lines, size_t width, size_t height);
    void add_stack(std::vector<TopLine>& lines, size_t width, size_t height);
    std::string columns_text(const std::array<std::string, 4>& values, size_t width) const;
    TopLine row_line(const Row& row, size_t width) const;
    std::string steps_text() const;
    std::string keys() const;

    TopProgram program_;
    LiveVerdicts verdicts_;
    uint64_t verdicts_ns_ = 0;
    double steps_a_second_ = 0;  // since the verdicts before; 0: not known
    std::vector<LiveSpace> spaces_;
    std::vector<LiveRow> names_;
    std::string space_ = "host";
    TopSort sort_ = TopSort::held;
    std::string filter_;
    bool is_typing_ = false;
    std::string selected_;  // the row's `where`
    size_t place_ = 0;      // of the selected row, for when it is gone
    size_t first_shown_ = 0;
    size_t page_ = 1;  // rows on the last screen
    bool is_open_ = false;
    size_t stack_first_ = 0;  // of the open stack
};

}  // namespace memtrace::analyzer
