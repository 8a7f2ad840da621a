// SPDX-License-Identifier: Apache-2.0
//
// Collapsed stacks, one a line: the frames from the outermost inwards, and a value.
//
//   host;<module> (src/train.py:90);train_step (src/train.py:41) 209715200
//
// The first frame is the space. The form has no escapes, so what would end a frame or a line is
// replaced.
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "analyzer/export/export_format.h"
#include "analyzer/export/export_names.h"
#include "analyzer/export/export_stacks.h"
#include "analyzer/sites/site_columns.h"

namespace memtrace::analyzer {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Readers take a number behind a space at the end of a stack for its value.
void hide_number(std::string& text) {
    size_t begin = text.size();
    while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    if (begin > 0 && begin < text.size() && text[begin - 1] == ' ') text[begin - 1] = '_';
}

std::string field(std::string text) {
    std::replace(text.begin(), text.end(), ';', ':');
    hide_number(text);
    return text.empty() ? "[no name]" : text;
}

std::string frame_text(const ExportName& name) {
    std::string text = name.name;
    if (!name.file.empty()) {
        text += " (" + short_path(name.file);
        if (name.line != 0) text += ":" + std::to_string(name.line);
        text += ")";
    }
    return field(text);
}

}  // namespace

void write_collapsed(const Recording& recording, const ExportOptions& options,
                     const ExportWrite& write) {
    std::unordered_map<FrameId, std::string> texts;
    const auto text_of = [&](FrameId frame) -> const std::string& {
        const auto [entry, is_new] = texts.try_emplace(frame);
        if (is_new) entry->second = frame_text(export_name(recording.symbols, frame));
        return entry->second;
    };
    for (const Space* space : exported_spaces(recording, options.text)) {
        const Measure measure = measure_of(options.measure, recording.model, *space);
        const ExportStacks stacks(recording, *space, options.text, {&options.measure, 1});
        const std::string first = field(exported_text(space->name));
        std::string line;
        stacks.each_stack([&](std::span<const FrameId> frames, const Totals& totals) {
            const uint64_t value = value_of(totals, measure);
            if (value == 0) return;
            line = first;
            for (const FrameId frame : frames) line += ";" + text_of(frame);
            write(line + " " + std::to_string(value) + "\n");
        });
    }
}

}  // namespace memtrace::analyzer
