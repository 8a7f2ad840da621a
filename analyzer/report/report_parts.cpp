// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/problems.h"
#include "analyzer/model/selection.h"
#include "analyzer/sites/recording_times.h"
#include "analyzer/sites/short_notes.h"
#include "analyzer/sites/unwind_gaps.h"

namespace memtrace::analyzer {

namespace {

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string end_sentence(const ProcessInfo& process) {
    if (process.end == "running") return "still running: the figures are those of that moment";
    if (process.end == "unknown")
        return "end not recorded (killed, recording stopped, or still running)";
    return "ended by " + printable(process.end);
}

// Returns what the steps of the range are called, if not what was typed: for a reader who counts
// from 0.
std::string step_names(const AskedRange& range) {
    const auto unless_typed = [](const std::string& name, const std::string& typed) {
        return name == typed ? "" : printable(name);
    };
    const std::string from = unless_typed(range.from_step, range.from);
    const std::string to = unless_typed(range.to_step, range.to);
    if (from.empty() && to.empty()) return "";
    const auto quoted = [](const std::string& name) { return "\"" + name + "\""; };
    if (from == to) return fmt::format(" (of {})", quoted(from));
    if (from.empty() || to.empty()) return fmt::format(" ({})", quoted(from + to));
    return fmt::format(" ({} to {})", quoted(from), quoted(to));
}

std::string range_line(const AskedRange& range) {
    const std::string what =
        "  only of the range " + printable(range_text(range)) + step_names(range) + ": ";
    const std::string begin = human_time(range.begin_ns), end = human_time(range.end_ns);
    if (range.begin_ns == range.end_ns) return what + "the moment after " + begin;
    if (begin != end) return fmt::format("{}{} to {}", what, begin, end);
    return fmt::format("{}{} after {}", what, human_time(range.end_ns - range.begin_ns), begin);
}

std::string filters_line(const FilterInfo& info, const TextOptions& options) {
    std::string kept;
    for (const FilteredSpace& space : info.spaces) {
        if (!options.space.empty() && options.space != space.name) continue;
        const char* const sign = space.is_estimate ? "~" : "";
        kept += fmt::format("{}{}{} of {}{} at the peak of {}", kept.empty() ? "" : ", ", sign,
                            human_bytes(space.kept.at_peak_bytes), sign,
                            human_bytes(space.whole.at_peak_bytes), printable(space.name));
    }
    return fmt::format("  only {}{}{}", printable(filters_text(info.filters)),
                       kept.empty() ? "" : ": ", kept);
}

// Writes what of the recording the report is about, if it is not the whole.
void write_selection(std::string& out, const Model& model, const TextOptions& options) {
    const auto write = [&](const std::string& text) { write_wrapped(out, text, 4, options.width); };
    if (const auto& phase = model.phase; phase && !phase->asked.empty()) {
        write(fmt::format("  only of the phase {}: {}, {} in all{}", printable(phase->asked),
                          counted(phase->occurrences, "occurrence"), human_time(phase->duration_ns),
                          phase->open ? ", the last open until the end" : ""));
    }
    if (model.phase && model.phase->range) write(range_line(*model.phase->range));
    if (model.phases && model.phases->range) write(range_line(*model.phases->range));
    if (model.filters) write(filters_line(*model.filters, options));
}

// Says how many stacks reach the start of their thread. That is told by the names of functions, and
// on another machine than the one of the recording there may be none.
std::string coverage(const Recording& recording) {
    const Capture& capture = recording.model.capture;
    const uint64_t complete = captures_complete(recording);
    const uint64_t rest = capture.captures - complete;
    if (rest == 0) return "all complete";
    const auto& modules = recording.symbols.modules;
    const bool is_named = std::none_of(modules.begin(), modules.end(), [](const auto& module) {
        return module.second == Names::none;
    });
    const uint64_t cut = is_named ? rest : std::min(rest, capture.captures_truncated);
    std::string others = cut == 0 ? "" : fmt::format("{} cut short", exact_count(cut));
    if (cut < rest) {
        others += fmt::format("{}{} unknown: names are missing here", cut == 0 ? "" : ", ",
                              exact_count(rest - cut));
    }
    return fmt::format("{} complete ({})", percent(complete, capture.captures), others);
}

bool has_note(const Model& model, std::string_view subject) {
    return std::any_of(model.notes.begin(), model.notes.end(),
                       [&](const NoteInfo& note) { return note.subject == subject; });
}

// Empty: none were lost.
std::string lost_text(const Model& model) {
    const uint64_t lost = known_to_be_lost(model);
    if (knows_all_that_was_lost(model)) return lost == 0 ? "" : counted(lost, "event") + " LOST";
    return lost == 0 ? "an unknown number LOST"
                     : fmt::format("at least {} LOST", counted(lost, "event"));
}

void write_coverage(std::string& out, const Recording& recording, const TextOptions& options) {
    const Capture& capture = recording.model.capture;
    const Style style(options.colour);
    const double each = capture.events == 0 ? 0.0
                                            : static_cast<double>(capture.dump_bytes) /
                                                  static_cast<double>(capture.events);
    std::string events = fmt::format(
        "  {} in {}{}; ", counted(capture.events, "event"), human_bytes(capture.dump_bytes),
        capture.events == 0 ? "" : fmt::format(" ({:.1f} bytes each)", each));
    const std::string lost = lost_text(recording.model);
    events += lost.empty() ? std::string("none lost") : style.bad(lost);
    if (capture.anomalies != 0) {
        events += "; " + style.bad(counted(capture.anomalies, "contradiction") +
                                   (lost.empty() ? " between events (address reused or unknown)"
                                                 : " between events, as where some are lost"));
    }
    if (capture.inherited_frees != 0) {
        events += fmt::format("; {} of blocks from before the fork",
                              counted(capture.inherited_frees, "free"));
    }
    if (const std::string frees = earlier_frees_text(capture); !frees.empty())
        events += "; " + frees;
    write_wrapped(out, events, 4, options.width);
    if (capture.captures == 0) return;
    std::string stacks =
        fmt::format("  {}, {}", counted(capture.captures, "call stack"), coverage(recording));
    if (const uint64_t guessed = unwind_gaps(recording).guessed; guessed != 0) {
        stacks += fmt::format(", {} with a guessed frame", exact_count(guessed));
    }
    const Space* const host = find_space(recording.model, "host");
    if (host != nullptr && host->is_estimate)
        stacks += "; those of the heap's sample are not counted";
    write_wrapped(out, stacks, 4, options.width);
}

}  // namespace

void write_no_space(std::string& out, const Recording& recording, const TextOptions& options) {
    const Model& model = recording.model;
    if (const std::string why = nothing_passes_text(model); !why.empty()) {
        out += "\n";
        return write_wrapped(out, "Nothing to show: " + printable(why) + ".", 2, options.width);
    }
    if (model.spaces.empty()) {
        out += "\n" + no_space_text(model) + "\n";
        return;
    }
    if (options.space.empty() || find_space(model, options.space) != nullptr) return;
    if (const auto& filters = model.filters; filters && has_space(model, options.space)) {
        out += fmt::format("\nNo call site in space \"{}\" passes {}.\n", options.space,
                           printable(filters_text(filters->filters)));
        return;
    }
    out += fmt::format("\nNo events in space \"{}\"; this dump has: {}.\n", options.space,
                       names_of_spaces(model));
}

void write_title(std::string& out, const TextOptions& options, const std::string& title,
                 const std::string& rest) {
    std::string text;
    write_wrapped(text, title + rest, 2, options.width);
    const size_t end = std::min(title.size(), text.find('\n'));
    out += "\n" + Style(options.colour).heading(text.substr(0, end)) + text.substr(end);
}

bool is_of_gpu(const Space& space) {
    return is_device_space(space.name) || is_tensor_space(space.name) || space.name == "pinned" ||
           space.name == "managed";
}

const char* title_of(Measure measure) {
    switch (measure) {
        case Measure::at_peak: return "by bytes held at the peak";
        case Measure::leaked: return "by bytes still allocated at the end";
        case Measure::allocated: return "by bytes allocated in total";
        case Measure::allocations: return "by number of allocations";
        case Measure::temporary: return "by temporary allocations";
        case Measure::own_peak: return "by the most bytes that they ever held";
        case Measure::held: return "by bytes held when the work ended";
        case Measure::definitely_lost: return "by bytes definitely lost";
        case Measure::indirectly_lost: return "by bytes indirectly lost";
        case Measure::possibly_lost: return "by bytes possibly lost";
        case Measure::garbage: return "by bytes that garbage of Python holds";
        case Measure::lost: return "by bytes lost";
    }
    return "";
}

void write_wrapped(std::string& out, std::string_view text, size_t indent, size_t width) {
    size_t column = std::min(text.find_first_not_of(' '), text.size());
    out += text.substr(0, column);
    text.remove_prefix(column);
    for (bool first = true; !text.empty(); first = false) {
        const size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        if (!first && column + 1 + display_width(word) > width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!first) {
            out += ' ';
            ++column;
        }
        out += word;
        column += display_width(word);
        text.remove_prefix(std::min(space + 1, text.size()));
    }
    out += "\n";
}

bool knows_all_that_was_lost(const Model& model) {
    if (has_note(model, unread_subject)) return false;
    if (model.process.end != "unknown") return true;
    return !has_note(model, "rings");
}

uint64_t known_to_be_lost(const Model& model) {
    return has_note(model, unread_subject) ? 0 : model.capture.lost_events;
}

std::string program_text(const Model& model) {
    const ProcessInfo& process = model.process;
    if (!process.command.empty()) return join(process.command);
    std::string text = process.executable.empty() ? "(unknown program)" : process.executable;
    const auto option = model.options.find("command");
    const bool is_left_out = option != model.options.end() && option->second == "0";
    return is_left_out ? text + ", command not recorded (command=0)" : text;
}

namespace {

// Returns who ran, and how it ended.
std::string process_text(const ProcessInfo& process) {
    std::string line = fmt::format("  process {}, {}, {}", process.pid,
                                   human_time(process.duration_ns), end_sentence(process));
    if (!process.rank.empty()) line += ", " + printable(process.rank);
    if (process.forked_from != 0) line += fmt::format(", forked from {}", process.forked_from);
    if (process.children != 0) {
        line += fmt::format(", started {} process{}", process.children,
                            process.children == 1 ? "" : "es");
    }
    return line;
}

// Returns who ran, of several recordings that are summed.
std::string merged_text(const Recording& recording) {
    constexpr size_t listed_max = 8;
    const std::vector<ProcessPart>& processes = recording.merged.processes;
    std::string numbers;
    for (size_t i = 0; i < std::min(processes.size(), listed_max); ++i)
        numbers += fmt::format("{}{}", i == 0 ? "" : ", ", processes[i].process.pid);
    if (processes.size() > listed_max)
        numbers += fmt::format(" and {} more", processes.size() - listed_max);
    return fmt::format(
        "  {} processes as one ({}), {} from the first start to the last end, {}; each peak is the "
        "sum of their peaks, which came at different times: an upper bound",
        processes.size(), numbers, human_time(recording.model.process.duration_ns),
        end_sentence(recording.model.process));
}

// Returns the command, and how many others there are in a sum of several recordings.
std::string commands_text(const Recording& recording) {
    std::set<std::vector<std::string>> commands;
    for (const ProcessPart& part : recording.merged.processes)
        commands.insert(part.process.command);
    std::string text = printable(program_text(recording.model));
    if (commands.size() > 1)
        text += fmt::format(", and {}", counted(commands.size() - 1, "other command"));
    return text;
}

}  // namespace

void write_program(std::string& out, const Recording& recording, const TextOptions& options) {
    const ProcessInfo& process = recording.model.process;
    const Style style(options.colour);
    std::string command = commands_text(recording);
    if (display_width(command) > options.width) {
        command = cut_to_width(command, options.width - 3) + "...";
    }
    out += style.heading(command) + "\n";
    const bool is_merged = recording.merged.processes.size() > 1;
    if (is_merged) write_wrapped(out, merged_text(recording), 4, options.width);
    else write_wrapped(out, process_text(process), 4, options.width);
    for (const std::string& clause : recording_times(recording.model)) {
        write_wrapped(out, "  " + clause, 4, options.width);
    }
    for (const NoteInfo& note : recording.model.notes) {
        if (note.subject != images_subject) continue;
        write_wrapped(out, "  " + printable(note.text), 4, options.width);
    }
    write_selection(out, recording.model, options);
    write_coverage(out, recording, options);
    const auto write_banner = [&](const std::string& text) {
        std::string banner;
        write_wrapped(banner, text, 4, options.width);
        banner.pop_back();
        out += style.bad(banner) + "\n";
    };
    const auto& python = recording.model.capture.python;
    if (python && python->state == PythonState::off) {
        write_banner("  Python functions are not shown; " +
                     printable(python_state_text(recording.model)));
    }
    const auto& objects = recording.model.capture.python_objects;
    if (objects && objects->state != PythonObjectsState::whole) {
        write_banner("  Python's small objects: " +
                     printable(python_objects_text(recording.model)));
    }
}

void write_foot(std::string& out, const Recording& recording, const TextOptions& options) {
    const Style style(options.colour);
    std::vector<NoteInfo> notes = short_notes(recording.model.notes);
    std::erase_if(notes, [](const NoteInfo& note) { return note.subject == images_subject; });
    if (!notes.empty() || !recording.symbols.notes.empty()) {
        out += "\n" + style.heading("Notes") + "\n";
        for (const NoteInfo& note : notes) {
            write_wrapped(out, "  " + printable(note.subject) + ": " + printable(note.text), 4,
                          options.width);
        }
        for (const std::string& note : recording.symbols.notes) {
            write_wrapped(out, "  names: " + printable(note), 4, options.width);
        }
    }
    if (recording.model.problems.empty() && recording.symbols.problems.empty()) return;
    out += "\n" + style.bad("Problems") + "\n";
    const auto write = [&](const Problem& problem) {
        std::string text = "  " + printable(problem.what);
        if (problem.offset != 0 || problem.bytes != 0) {
            text += fmt::format(" (bytes {} to {} of the dump)", problem.offset,
                                problem.offset + problem.bytes);
        }
        write_wrapped(out, text, 4, options.width);
    };
    std::for_each(recording.model.problems.begin(), recording.model.problems.end(), write);
    std::for_each(recording.symbols.problems.begin(), recording.symbols.problems.end(), write);
}

}  // namespace memtrace::analyzer
