// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/dump_text.h"

#include <fmt/format.h>

#include "analyzer/base/enum_names.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t piece_bytes = size_t{1} << 16;

using Buffer = fmt::memory_buffer;

// Fields that are addresses are easier to compare in hexadecimal.
bool is_address(std::string_view field) {
    return field.ends_with("address") || field == "begin" || field == "end" || field == "bias";
}

void put_text(Buffer& out, Text text) {
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\') fmt::format_to(std::back_inserter(out), "\\{}", c);
        else if (c >= ' ' && c < 0x7f) out.push_back(c);
        else fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint8_t>(c));
    }
    out.push_back('"');
}

template <class T>
void put_value(Buffer& out, std::string_view name, const T& value) {
    auto to = std::back_inserter(out);
    if constexpr (std::is_same_v<T, Text>) {
        put_text(out, value);
    } else if constexpr (std::is_enum_v<T>) {
        const std::string_view word = word_of(value);
        if (word.empty()) fmt::format_to(to, "{}", static_cast<unsigned>(value));
        else fmt::format_to(to, "{}", word);
    } else if (is_address(name)) {
        fmt::format_to(to, "{:#x}", value);
    } else {
        fmt::format_to(to, "{}", value);
    }
}

template <class Record>
void put_record(Buffer& out, uint32_t lane, const Record& record) {
    fmt::format_to(std::back_inserter(out), "{}", Record::name);
    if (lane != lane_none) fmt::format_to(std::back_inserter(out), " lane={}", lane);
    fmt::format_to(std::back_inserter(out), " time={}", record.time);
    Record::fields(record, [&](const char* name, const auto& value, auto) {
        fmt::format_to(std::back_inserter(out), " {}=", name);
        put_value(out, name, value);
    });
    out.push_back('\n');
}

// The second moment of a resize is not a record of its own.
void put_record(Buffer&, uint32_t, const ResizeEnd&) {}
void put_record(Buffer&, uint32_t, const RemapEnd&) {}

}  // namespace

void write_dump_text(const std::string& path, const std::function<void(std::string_view)>& write) {
    Problems problems;
    DumpFile file(path, problems);
    refuse_compacted(file, "its events are gone: use a copy of it from before");
    const DumpIndex index = index_dump(file, problems);
    EventStream stream(file, index, problems);
    Buffer out;
    stream.run([&](size_t lane, const Event& event) {
        visit_record(
            event, [&](const auto& record) { put_record(out, stream.lane_number(lane), record); });
        if (out.size() < piece_bytes) return;
        write({out.data(), out.size()});
        out.clear();
    });
    write({out.data(), out.size()});
}

}  // namespace memtrace::analyzer
