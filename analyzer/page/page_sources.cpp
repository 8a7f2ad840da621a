// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_sources.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

namespace memtrace::analyzer {

namespace {

constexpr size_t files_max = 60;
constexpr size_t around = 12;           // lines before and after each line with memory
constexpr size_t whole_file_max = 400;  // A file with at most so many lines is shown as a whole.
constexpr size_t line_bytes_max = 200;
constexpr std::string_view blanks = " \t\r";
constexpr size_t all_bytes_max = 400'000;
constexpr off_t file_bytes_max = off_t{16} << 20;

struct SourceText {
    std::vector<std::string> lines;
    bool is_changed = false;  // written after the end of the recording
};

bool read_text(const std::string& path, const ProcessInfo& process, SourceText& text) {
    struct stat about {};
    // Only regular files are read, because a dump may name a pipe.
    if (path.empty() || stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return false;
    std::ifstream file(path, std::ios::binary);
    if (about.st_size > file_bytes_max || !file) return false;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        line.resize(begin_of(line, line_bytes_max).size());
        text.lines.push_back(std::move(line));
    }
    const uint64_t end = process.start_realtime_ns + process.duration_ns;
    const auto written = static_cast<uint64_t>(about.st_mtim.tv_sec) * 1'000'000'000 +
                         static_cast<uint64_t>(about.st_mtim.tv_nsec);
    text.is_changed = process.start_realtime_ns != 0 && written > end;
    return true;
}

bool read_source(const std::string& path, const ProcessInfo& process, const PageOptions& options,
                 SourceText& text) {
    const bool has_root = !options.sysroot.empty();
    return (has_root && read_text(options.sysroot + "/" + path, process, text)) ||
           read_text(path, process, text);
}

// Returns the numbers of the lines to show, from 1.
std::set<size_t> shown_lines(const std::set<uint32_t>& with_memory, size_t count) {
    std::set<size_t> shown;
    if (count <= whole_file_max) {
        for (size_t line = 1; line <= count; ++line) shown.insert(line);
        return shown;
    }
    for (const size_t line : with_memory) {
        const size_t first = line > around ? line - around : 1;
        for (size_t near = first; near <= std::min(line + around, count); ++near) {
            shown.insert(near);
        }
    }
    return shown;
}

}  // namespace

Json page_sources_json(const Recording& recording, PageNames& names, const PageOptions& options) {
    std::map<std::string, std::set<uint32_t>> files;  // lines with memory by recorded path
    for (const PageNames::UsedFrame& used : names.frames()) {
        const Frame& frame = recording.symbols.frames[used.id];
        const bool is_own = (used.flags & ShownFrame::own) != 0;
        if (is_own && frame.line != 0 && !frame.file.empty() && !frame.file.starts_with('<')) {
            files[frame.file].insert(frame.line);
        }
    }
    Json sources = Json::array();
    size_t bytes = 0;
    for (const auto& [path, with_memory] : files) {
        Json json{{"file", names.text(names.shown_path(path))}};
        SourceText text;
        if (!options.with_source) {
            json["why"] = "the page was made without source lines";
        } else if (sources.size() >= files_max || bytes > all_bytes_max) {
            json["why"] = "the page has no room for more files";
        } else if (!read_source(path, recording.model.process, options, text)) {
            json["why"] = "the file was not readable where the page was made";
        } else {
            json["is_changed"] = text.is_changed;
            json["lines"] = Json::array();
            for (const size_t line : shown_lines(with_memory, text.lines.size())) {
                bytes += text.lines[line - 1].size();
                json["lines"].push_back({line, text.lines[line - 1]});
            }
        }
        sources.push_back(std::move(json));
    }
    return sources;
}

std::map<FrameId, std::string> page_source_lines(const Recording& recording,
                                                 const std::set<FrameId>& frames,
                                                 const PageOptions& options) {
    std::map<std::string, SourceText> files;
    std::map<FrameId, std::string> lines;
    for (const FrameId id : frames) {
        const Frame& frame = recording.symbols.frames[id];
        if (!options.with_source || frame.line == 0 || frame.file.starts_with('<')) continue;
        const auto [file, is_new] = files.try_emplace(frame.file);
        SourceText& text = file->second;
        if (is_new) read_source(frame.file, recording.model.process, options, text);
        // The line of an edited file may be another one.
        if (text.is_changed || frame.line > text.lines.size()) continue;
        const std::string& line = text.lines[frame.line - 1];
        const size_t begin = line.find_first_not_of(blanks);
        if (begin != std::string::npos) {
            lines[id] = line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
        }
    }
    return lines;
}

}  // namespace memtrace::analyzer
