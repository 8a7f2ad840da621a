// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/found_dumps.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "analyzer/base/paths.h"
#include "analyzer/reader/dump_file.h"
#include "analyzer/sites/short_notes.h"

namespace memtrace::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view digits = "0123456789";

// True for "memtrace.NAME.PID.bin". The shim appends numbers if this name is taken.
bool has_default_name(std::string_view name) {
    if (!name.starts_with("memtrace.")) return false;
    while (!name.ends_with(".bin")) {
        const size_t point = name.rfind('.');
        const std::string_view number = name.substr(point + 1);
        if (number.empty() || number.find_first_not_of(digits) != std::string_view::npos)
            return false;
        name = name.substr(0, point);
    }
    // A dump that a later image of its process has put aside is never the newest.
    return name.find(".bin.before.") == std::string_view::npos;
}

// Returns nothing if the file is no dump, or its header is damaged.
std::optional<FileHeader> header_of(const fs::path& path) {
    FileHeader header{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    if (!is_sound_file_header(header)) return {};
    return header;
}

uint64_t beginning_of(const std::string& path) {
    const auto header = header_of(path);
    return header ? header->ticks_zero : 0;
}

// True if the name has this number as a part, between points or at the end.
bool names_pid(std::string_view name, uint64_t pid) {
    const std::string part = fmt::format(".{}", pid);
    for (size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
        const size_t end = at + part.size();
        if (end == name.size() || name[end] == '.') return true;
    }
    return false;
}

// Calls `each` with the path and the name of every regular file of a folder.
template <class Each>
void for_each_file(const std::string& folder, Each each) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code failed;
        const auto is_file = [&] { return entry->is_regular_file(failed) && !failed; };
        each(*entry, folder == "." ? name : entry->path().string(), name, is_file);
    }
}

std::string listed(const std::vector<std::string>& paths) {
    constexpr size_t listed_max = 8;
    std::string text;
    for (size_t i = 0; i < std::min(paths.size(), listed_max); ++i)
        text += (i == 0 ? "" : ", ") + paths[i];
    if (paths.size() > listed_max) text += fmt::format(" and {} more", paths.size() - listed_max);
    return text;
}

}  // namespace

std::optional<std::string> newest_dump(const std::string& folder) {
    std::optional<std::string> newest;
    fs::file_time_type newest_time;
    for_each_file(folder, [&](const fs::directory_entry& entry, const std::string& path,
                              const std::string& name, const auto& is_file) {
        if (!has_default_name(name) || !is_file()) return;
        std::error_code failed;
        const auto time = entry.last_write_time(failed);
        if (failed || (newest && time < newest_time)) return;
        // File systems tell times apart by some milliseconds only.
        if (newest && time == newest_time && beginning_of(path) <= beginning_of(*newest)) return;
        newest = path;
        newest_time = time;
    });
    return newest;
}

OtherImages find_other_images(const std::string& path) {
    OtherImages others;
    std::error_code failed;  // A pipe would lose what was read of it.
    if (path == "-" || !fs::is_regular_file(path, failed)) return others;
    const auto own = header_of(path);
    if (!own || own->process_start == 0) return others;
    const std::string own_name = base_name(path);
    const std::string fixed_name = own_name.substr(0, own_name.find(".before."));
    const fs::path parent = fs::path(path).parent_path();
    std::map<uint64_t, std::string> images;  // by beginning; a copy of one is the same image
    for_each_file(parent.empty() ? "." : parent.string(),
                  [&](const fs::directory_entry&, const std::string& found, const std::string& name,
                      const auto& is_file) {
                      if (name == own_name) return;
                      if (name != fixed_name && !names_pid(name, own->pid)) return;
                      if (!is_file()) return;
                      const auto header = header_of(found);
                      if (!header || header->pid != own->pid) return;
                      if (header->process_start != own->process_start) return;
                      const auto [place, is_new] = images.try_emplace(header->ticks_zero, found);
                      if (!is_new) place->second = std::min(place->second, found);
                  });
    for (const auto& [beginning, found] : images) {
        if (beginning < own->ticks_zero) others.earlier.push_back(found);
        if (beginning > own->ticks_zero) others.later.push_back(found);
    }
    return others;
}

void note_other_images(Model& model, const std::string& path) {
    const OtherImages others = find_other_images(path);
    std::string text;
    if (!others.earlier.empty()) {
        text = fmt::format(
            "This process began as another image, which it replaced by exec. What that one "
            "allocated is not in here, but in {}.",
            listed(others.earlier));
    }
    if (!others.later.empty()) {
        text += fmt::format(
            "{}This process went on as another image, by exec. What that one allocated is not in "
            "here, but in {}.",
            text.empty() ? "" : " ", listed(others.later));
    }
    if (!text.empty()) model.notes.push_back({images_subject, text});
}

}  // namespace memtrace::analyzer
