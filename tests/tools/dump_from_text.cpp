// SPDX-License-Identifier: Apache-2.0
//
// Turns the lines of `memtrace-report text` into a dump: dump-from-text [--chunk N] [--ring N]
// [--slots N] TEXT DUMP. The lines are described in dump_text.h.
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/tools/dump_text.h"
#include "tests/tools/files.h"

int main(int count, char** arguments) {
    using namespace memtrace::test;
    TextOptions options;
    options.settings.ring_slots = 1u << 14;
    int at = 1;
    for (; at + 1 < count && arguments[at][0] == '-'; at += 2) {
        const size_t number = std::strtoull(arguments[at + 1], nullptr, 0);
        if (std::strcmp(arguments[at], "--chunk") == 0) options.chunk_records = number;
        else if (std::strcmp(arguments[at], "--ring") == 0) options.ring_records = number;
        else if (std::strcmp(arguments[at], "--slots") == 0)
            options.settings.ring_slots = static_cast<uint32_t>(number);
        else break;
    }
    if (count - at != 2) {
        std::cerr << "usage: dump-from-text [--chunk RECORDS] [--ring RECORDS] [--slots SLOTS] "
                     "TEXT DUMP\n";
        return 2;
    }
    std::ifstream in(arguments[at]);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
        std::cerr << "dump-from-text: cannot read " << arguments[at] << "\n";
        return 2;
    }
    try {
        write_file(arguments[at + 1], dump_from_text(text.str(), options));
    } catch (const std::exception& error) {
        std::cerr << "dump-from-text: " << error.what() << "\n";
        return 2;
    }
    return 0;
}
