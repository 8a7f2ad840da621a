// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/source_files.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzer/base/terminal.h"
#include "analyzer/steps/cpp_source.h"
#include "analyzer/steps/python_source.h"

namespace memtrace::analyzer {
namespace {

constexpr uint64_t bytes_max = 16 << 20;  // of a source file

uint64_t changed_ns(const struct stat& status) {
    return static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
           static_cast<uint64_t>(status.st_mtim.tv_nsec);
}

// Returns the text of a file, as far as it can be read.
std::string text_of(const std::filesystem::path& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) > bytes_max) return {};
    std::ostringstream whole;
    whole << std::ifstream(path, std::ios::binary).rdbuf();
    return whole.str();
}

}  // namespace

SourceFiles::SourceFiles(uint64_t recorded_ns, std::string folder,
                         const std::map<uint32_t, PythonCodeInfo>& codes)
    : recorded_ns_(recorded_ns), folder_(std::move(folder)) {
    for (const auto& [id, code] : codes) {
        const std::string name = code.name.substr(code.name.rfind('.') + 1);
        if (!name.empty() && !name.ends_with('>')) {
            definitions_[code.file].push_back({code.first_line, name});
        }
    }
}

// Looks for "def name" and "class name" from the recorded line on, because decorators come first.
bool SourceFiles::has_definitions(const std::string& path, std::string_view text) const {
    const auto found = definitions_.find(path);
    if (found == definitions_.end()) return false;
    std::vector<std::string_view> lines;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    constexpr uint64_t decorators_max = 20;  // lines
    const auto is_there = [&](const Definition& definition) {
        for (uint64_t line = definition.line; line < definition.line + decorators_max; ++line) {
            if (line == 0 || line > lines.size()) return false;
            for (const char* word : {"def ", "class "}) {
                if (lines[line - 1].find(word + definition.name) != std::string_view::npos)
                    return true;
            }
        }
        return false;
    };
    return std::all_of(found->second.begin(), found->second.end(), is_there);
}

// Looks in the folders of the source file and of headers read before, and in those around them.
CppMacros::Read SourceFiles::header_reader(const std::filesystem::path& source) const {
    std::vector<std::filesystem::path> folders{source.parent_path()};
    return [folders, limit = recorded_ns_](std::string_view name) mutable -> std::string {
        constexpr size_t around_max = 6;
        for (size_t i = folders.size(); i-- > 0;) {
            std::filesystem::path folder = folders[i];
            for (size_t around = 0; around < around_max; ++around) {
                const std::filesystem::path header = folder / name;
                struct stat status {};
                if (stat(header.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
                    if (header.parent_path() != folders[i]) folders.push_back(header.parent_path());
                    return limit != 0 && changed_ns(status) > limit ? "" : text_of(header, status);
                }
                if (folder == folder.parent_path()) break;
                folder = folder.parent_path();
            }
        }
        return {};
    };
}

std::unique_ptr<ParsedSource> SourceFiles::read(const std::string& path, bool is_python) const {
    auto file = std::make_unique<ParsedSource>();
    file->is_python = is_python;
    struct stat status {};
    std::string found = path;
    if (stat(found.c_str(), &status) != 0) {
        found = (std::filesystem::path(folder_) / path).string();
        if (path.starts_with('/') || stat(found.c_str(), &status) != 0) {
            file->why_not = fmt::format("{} is not here", printable(path));
            return file;
        }
    }
    std::ifstream stream(found, std::ios::binary);
    if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) > bytes_max || !stream) {
        file->why_not = fmt::format("{} cannot be read", printable(path));
        return file;
    }
    std::ostringstream whole;
    whole << stream.rdbuf();  // nothing of what cannot be read, as of a folder
    const std::string text = whole.str();
    const bool is_newer = recorded_ns_ != 0 && changed_ns(status) > recorded_ns_;
    if (is_newer && !(is_python && has_definitions(path, text))) {
        file->why_not = fmt::format("{} was changed since the recording", printable(path));
        return file;
    }
    file->tree = is_python ? python_tree(text) : cpp_tree(text, header_reader(found));
    return file;
}

const ParsedSource& SourceFiles::of(const Frame& frame) {
    std::unique_ptr<ParsedSource>& file = files_[frame.file];
    if (file == nullptr) file = read(frame.file, frame.kind == FrameKind::python);
    return *file;
}

}  // namespace memtrace::analyzer
