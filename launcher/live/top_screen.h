// SPDX-License-Identifier: Apache-2.0
//
// The terminal of `memtrace top`, drawn by ncurses. It is left as it was found: at the end, after
// an error, and after a signal that ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/live/top_view.h"

namespace memtrace::launcher {

class TopScreen {
public:
    // Throws Error if the terminal cannot be drawn on.
    TopScreen();
    ~TopScreen();
    TopScreen(const TopScreen&) = delete;
    TopScreen& operator=(const TopScreen&) = delete;

    // Leaves the terminal as it was found, before the object ends. Nothing else may follow.
    void leave();

    size_t width() const;
    size_t height() const;
    void draw(const std::vector<analyzer::TopLine>& lines);

    // Waits for a key, at most this long, and gives it to the view. Returns false if the user quits
    // or a signal ends the program.
    bool wait_for_key(uint64_t time_ns, analyzer::TopView& view);
};

}  // namespace memtrace::launcher
