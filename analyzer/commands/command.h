// SPDX-License-Identifier: Apache-2.0
//
// What a command of memtrace-report is. Each command is a row (`command_NAME`) and its functions,
// in command_NAME.cpp. all_commands.def lists the rows.
//
// A row has exactly one of three functions that make its output. `report` is for a command that
// handles each dump alone. `start` is for a command that keeps results of earlier dumps. `print` is
// for a command that reads no dump.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/commands/common_options.h"
#include "analyzer/commands/option_list.h"
#include "analyzer/commands/request.h"
#include "analyzer/replay/load.h"
#include "analyzer/report/report_json.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// In the order of their weight: if several dumps are reported, the highest code is returned.
enum ExitCode : int { exit_fine = 0, exit_check_failed = 1, exit_cannot = 2, exit_incomplete = 3 };

using Write = std::function<void(std::string_view)>;

// The report of one dump. Its functions are called only for the outputs that are requested, `json`
// before `write_text`, while the recording and the request exist.
struct DumpReport {
    std::function<void(const Write&)> write_text;  // null: the command has no text for a dump
    std::function<std::string()> json = {};  // further members of the JSON document; null: none
    int exit_code = exit_fine;               // for a dump that is whole
    bool is_file = false;  // The text is that of a file, byte by byte, and not one for people.
};

// A `write_text` for text that is made as a whole: append(out) appends it.
std::function<void(const Write&)> whole_text(std::function<void(std::string&)> append);

// Loads the current dump once more, as another request would.
using Reload = std::function<Recording(const Request& request)>;

// A command at work on the dumps of one request, one after another.
class CommandRun {
public:
    virtual ~CommandRun() = default;
    virtual DumpReport add(const Recording& recording, const Reload& reload) = 0;
    // Records a dump that could not be read or judged. Returns false if the command does not do
    // that. Then the error ends the run, or the dump is left out if there are others.
    virtual bool add_unread(const std::string& path, const std::string& why);
    // Called after the last dump with the highest exit code. Returns the end of the text.
    virtual std::string finish(int exit_code);
};

struct Command {
    const char* name;
    const char* help;
    // Adds the command's options.
    void (*add_options)(OptionList& options, Request& request);
    // Turns typed options into values. Throws Error if they make no sense or exclude each other.
    void (*finish)(Request& request) = finish_options;
    // Returns what the command needs of a dump.
    LoadOptions (*load_options)(const Request& request) = load_phase_or_all;
    SiteFilter sites = SiteFilter::none;  // call sites in its JSON
    DumpReport (*report)(const Recording& recording, const Request& request) = nullptr;
    // Throws Error if a file that the request names cannot be used. `request` must outlive the run.
    std::unique_ptr<CommandRun> (*start)(const Request& request) = nullptr;
    std::string_view (*print)() = nullptr;
    bool writes_output = false;      // --output is no text of it: the command writes the file
    bool needs_events = false;       // It cannot read profiles.
    bool goes_on_from_past = false;  // It reads compacted dumps all the same.
    // It looks at frames that reports for people leave out, even if nobody asks for them.
    bool reads_folded_frames = true;
    bool keeps_loops = false;        // Its report needs the loops of the dump (Request::loops).
    bool reads_again = false;        // Its report makes further passes over the dump.
    const char* further_space = "";  // a name that --space takes, too
    bool writes_json = false;  // finish() writes the file of --json, one document for all dumps.
};

// Starts a command that reads dumps.
std::unique_ptr<CommandRun> start_command(const Request& request);

}  // namespace memtrace::analyzer
