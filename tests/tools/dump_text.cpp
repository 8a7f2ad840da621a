// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/dump_text.h"

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

#include "analyzer/base/enum_names.h"

namespace memtrace::test {
namespace {

using analyzer::AnyRecord;

[[noreturn]] void fail(std::string_view line, const std::string& why) {
    throw std::invalid_argument(why + " in: " + std::string(line));
}

// One line: a word, followed by key=value pairs.
class Line {
public:
    explicit Line(std::string_view line) : line_(line) {
        word_ = next_word(" ");
        while (skip_spaces()) {
            const std::string key = next_word("=");
            if (rest().empty() || rest()[0] != '=') fail(line_, "no = after " + key);
            ++at_;
            fields_[key] = rest().starts_with('"') ? quoted() : next_word(" ");
        }
    }

    const std::string& word() const { return word_; }

    std::optional<std::string> take(const std::string& key) {
        const auto field = fields_.find(key);
        if (field == fields_.end()) return std::nullopt;
        std::string value = std::move(field->second);
        fields_.erase(field);
        return value;
    }

    std::optional<uint64_t> take_number(const std::string& key) {
        const std::optional<std::string> value = take(key);
        if (!value) return std::nullopt;
        return number(*value);
    }

    uint64_t number(std::string_view text) const {
        const bool hex = text.starts_with("0x");
        if (hex) text.remove_prefix(2);
        uint64_t result = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), result, hex ? 16 : 10);
        if (error != std::errc{} || end != text.data() + text.size()) fail(line_, "not a number");
        return result;
    }

    void done() const {
        if (!fields_.empty()) fail(line_, "unknown field " + fields_.begin()->first);
    }

private:
    std::string_view rest() const { return line_.substr(at_); }

    bool skip_spaces() {
        while (at_ < line_.size() && line_[at_] == ' ') ++at_;
        return at_ < line_.size();
    }

    std::string next_word(const char* until) {
        const size_t end = std::min(line_.find_first_of(until, at_), line_.size());
        const std::string word(line_.substr(at_, end - at_));
        at_ = end;
        return word;
    }

    std::string quoted() {
        std::string result;
        for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_) {
            if (line_[at_] != '\\') {
                result.push_back(line_[at_]);
            } else if (line_.substr(at_ + 1).starts_with('x') && at_ + 3 < line_.size()) {
                result.push_back(
                    static_cast<char>(number("0x" + std::string(line_.substr(at_ + 2, 2)))));
                at_ += 3;
            } else if (++at_ < line_.size()) {
                result.push_back(line_[at_]);
            }
        }
        if (at_ == line_.size()) fail(line_, "no closing quote");
        ++at_;
        return result;
    }

    std::string_view line_;
    size_t at_ = 0;
    std::string word_;
    std::map<std::string, std::string> fields_;
};

std::string_view without_comment(std::string_view line) {
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') ++i;  // the next character is escaped
        else if (line[i] == '"') quoted = !quoted;
        else if (line[i] == '#' && !quoted) return line.substr(0, i);
    }
    return line;
}

template <class T>
void set_field(Line& line, const char* name, T& value, std::map<std::string, std::string>& texts) {
    const std::optional<std::string> word = line.take(name);
    if (!word) return;
    if constexpr (std::is_same_v<T, Text>) {
        value = texts[name] = *word;
    } else if constexpr (std::is_enum_v<T>) {
        const std::optional<T> known = analyzer::from_word<T>(*word);
        value = known ? *known : static_cast<T>(line.number(*word));
    } else {
        value = static_cast<T>(line.number(*word));
    }
}

void add_record(DumpBuilder& dump, Line& line, uint32_t lane) {
    bool known = false;
    for_each_record(Records{}, [&]<class Record>(std::type_identity<Record>) {
        if (line.word() != Record::name) return;
        known = true;
        Record record;
        std::map<std::string, std::string> texts;
        record.time = line.take_number("time").value_or(0);
        Record::fields(record, [&](const char* name, auto& value, auto) {
            set_field(line, name, value, texts);
        });
        line.done();
        dump.add(lane, record);
    });
    if (!known) throw std::invalid_argument("no record is called " + line.word());
}

}  // namespace

DumpBuilder build_from_text(std::string_view text, const TextOptions& options) {
    // Counts the records of each lane, to find its last records.
    struct Parsed {
        Line line;
        uint32_t lane;
    };
    std::vector<Parsed> lines;
    std::map<uint32_t, size_t> to_come;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = without_comment(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        while (line.ends_with(' ')) line.remove_suffix(1);
        while (line.starts_with(' ')) line.remove_prefix(1);
        if (line.empty()) continue;
        Line parsed(line);
        const auto lane = static_cast<uint32_t>(parsed.take_number("lane").value_or(lane_none));
        if (parsed.word() != "chunk") to_come[lane] += 1;
        lines.push_back({std::move(parsed), lane});
    }
    DumpBuilder dump(options.settings);
    std::map<uint32_t, size_t> in_chunk;
    for (Parsed& parsed : lines) {
        const uint32_t lane = parsed.lane;
        if (parsed.line.word() == "chunk") {
            dump.end_chunk(lane);
            in_chunk[lane] = 0;
            continue;
        }
        if (lane != lane_none) dump.end_chunk(lane_none);
        add_record(dump, parsed.line, lane);
        to_come[lane] -= 1;
        const bool chunk_is_full = ++in_chunk[lane] == options.chunk_records;
        if (chunk_is_full || to_come[lane] == options.ring_records) {
            dump.end_chunk(lane);
            in_chunk[lane] = 0;
        }
    }
    return dump;
}

Bytes dump_from_text(std::string_view text, TextOptions options) {
    if (options.ring_records == 0) options.settings.state = State::ended;
    return build_from_text(text, options).bytes();
}

}  // namespace memtrace::test
