// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/pprof_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/export/gzip_stream.h"
#include "analyzer/export/pprof.pb.h"

namespace memtrace::analyzer {
namespace {

namespace proto = perftools::profiles;

[[noreturn]] void fail() { throw Error("a profile in pprof's format cannot be read back"); }

std::string unpacked(std::string_view file) {
    constexpr int gzip_window = 15 + 16;
    z_stream stream{};
    if (inflateInit2(&stream, gzip_window) != Z_OK) fail();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
    stream.avail_in = static_cast<uInt>(file.size());
    std::string bytes;
    std::array<char, size_t{1} << 16> part;
    int state = Z_OK;
    while (state == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(part.data());
        stream.avail_out = static_cast<uInt>(part.size());
        state = inflate(&stream, Z_NO_FLUSH);
        bytes.append(part.data(), part.size() - stream.avail_out);
        if (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;  // cut off
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END) fail();
    return bytes;
}

proto::Profile parsed(std::string_view file) {
    proto::Profile profile;
    if (!profile.ParseFromString(unpacked(file))) fail();
    return profile;
}

// Names by the numbers of one file.
class Names {
public:
    explicit Names(const proto::Profile& profile) : profile_(profile) {
        for (const proto::Function& function : profile.function()) {
            functions_[function.id()] = &function;
        }
        for (const proto::Location& location : profile.location()) {
            locations_[location.id()] = &location;
        }
        for (const proto::Mapping& mapping : profile.mapping()) mappings_[mapping.id()] = &mapping;
    }

    const std::string& text(int64_t number) const {
        if (number < 0 || number >= profile_.string_table_size()) fail();
        return profile_.string_table(static_cast<int>(number));
    }
    const proto::Location& location(uint64_t id) const { return *find(locations_, id); }
    const proto::Function& function(const proto::Location& location) const {
        if (location.line_size() == 0) fail();
        return *find(functions_, location.line(0).function_id());
    }
    // nullptr: none is known.
    const proto::Mapping* mapping(const proto::Location& location) const {
        return location.mapping_id() == 0 ? nullptr : find(mappings_, location.mapping_id());
    }

    // What distinguishes a frame.
    std::string frame_key(uint64_t id) const {
        const proto::Location& place = location(id);
        const proto::Function& code = function(place);
        const proto::Mapping* const file = mapping(place);
        return fmt::format("{}\n{}\n{}\n{}\n{}", text(code.name()), text(code.system_name()),
                           text(code.filename()), place.line(0).line(),
                           file == nullptr ? "" : text(file->filename()));
    }
    std::string key(const proto::Sample& sample) {
        std::string key;
        for (const proto::Label& label : sample.label()) {
            key += text(label.key()) + "=" + text(label.str()) + "\n";
        }
        for (const uint64_t id : sample.location_id()) {
            const auto [entry, is_new] = frames_.try_emplace(id, frames_.size());
            if (is_new) keys_.push_back(frame_key(id));
            key += "\n" + keys_[entry->second];
        }
        return key;
    }

private:
    template <class Map>
    static typename Map::mapped_type find(const Map& map, uint64_t id) {
        const auto found = map.find(id);
        if (found == map.end()) fail();
        return found->second;
    }

    const proto::Profile& profile_;
    std::unordered_map<uint64_t, const proto::Function*> functions_;
    std::unordered_map<uint64_t, const proto::Location*> locations_;
    std::unordered_map<uint64_t, const proto::Mapping*> mappings_;
    std::unordered_map<uint64_t, size_t> frames_;
    std::vector<std::string> keys_;  // by frame
};

// Adds samples of another file to a file.
class Adder {
public:
    Adder(proto::Profile& to, const Names& from) : to_(to), from_(from) {
        for (int i = 0; i < to.string_table_size(); ++i) texts_[to.string_table(i)] = i;
    }

    void add(const proto::Sample& sample, const std::vector<int64_t>& values) {
        proto::Sample& added = *to_.add_sample();
        for (const uint64_t id : sample.location_id()) added.add_location_id(location_of(id));
        for (const int64_t value : values) added.add_value(value);
        for (const proto::Label& label : sample.label()) {
            proto::Label& same = *added.add_label();
            same.set_key(text(from_.text(label.key())));
            same.set_str(text(from_.text(label.str())));
        }
    }

private:
    int64_t text(const std::string& text) {
        const auto [entry, is_new] = texts_.try_emplace(text, to_.string_table_size());
        if (is_new) to_.add_string_table(text);
        return entry->second;
    }
    // A frame of another file is a new one, with a function of its own. It is in no file of code.
    uint64_t location_of(uint64_t id) {
        const auto [entry, is_new] = locations_.try_emplace(id, 0);
        if (!is_new) return entry->second;
        const proto::Location& known = from_.location(id);
        const proto::Function& code = from_.function(known);
        proto::Function& function = *to_.add_function();
        function.set_id(next_id(to_.function()));
        function.set_name(text(from_.text(code.name())));
        function.set_system_name(text(from_.text(code.system_name())));
        function.set_filename(text(from_.text(code.filename())));
        proto::Location& location = *to_.add_location();
        location.set_id(next_id(to_.location()));
        proto::Line& line = *location.add_line();
        line.set_function_id(function.id());
        line.set_line(known.line(0).line());
        return entry->second = location.id();
    }
    // The last one is that which gets it.
    static uint64_t next_id(const auto& list) {
        uint64_t highest = 0;
        for (const auto& one : list) highest = std::max(highest, one.id());
        return highest + 1;
    }

    proto::Profile& to_;
    const Names& from_;
    std::unordered_map<std::string, int64_t> texts_;
    std::unordered_map<uint64_t, uint64_t> locations_;
};

// Returns the places of the values that a difference has.
std::vector<int> places_without_peaks(const proto::Profile& profile, const Names& names) {
    std::vector<int> places;
    for (int i = 0; i < profile.sample_type_size(); ++i) {
        if (!names.text(profile.sample_type(i).type()).starts_with("peak_")) places.push_back(i);
    }
    return places;
}

std::vector<int64_t> values_at(const std::vector<int>& places, const proto::Sample& sample) {
    std::vector<int64_t> values;
    for (const int place : places) {
        if (place >= sample.value_size()) fail();
        values.push_back(sample.value(place));
    }
    return values;
}

std::string packed(const proto::Profile& profile) {
    std::string bytes, file;
    profile.SerializeToString(&bytes);
    const std::function<void(std::string_view)> write = [&](std::string_view part) {
        file += part;
    };
    GzipStream out(write);
    out.write(bytes);
    out.finish();
    return file;
}

// The values of a sample that pprof_text() shows.
struct Shown {
    int64_t in_use_objects = 0, in_use_bytes = 0, objects = 0, bytes = 0;

    void add(const Shown& other) {
        in_use_objects += other.in_use_objects;
        in_use_bytes += other.in_use_bytes;
        objects += other.objects;
        bytes += other.bytes;
    }
    std::string text() const {
        return fmt::format("{}: {} [{}: {}] @", in_use_objects, in_use_bytes, objects, bytes);
    }
};

}  // namespace

std::string pprof_between(std::string_view earlier, std::string_view later) {
    const proto::Profile before = parsed(earlier);
    proto::Profile after = parsed(later);
    Names names_before(before), names_after(after);
    const std::vector<int> places = places_without_peaks(after, names_after);

    struct Known {
        const proto::Sample* sample;
        std::vector<int64_t> values;
    };
    std::map<std::string, Known> known;
    for (const proto::Sample& sample : before.sample()) {
        Known& one = known[names_before.key(sample)];
        one.sample = &sample;
        one.values.resize(places.size());
        const std::vector<int64_t> values = values_at(places, sample);
        for (size_t i = 0; i < values.size(); ++i) one.values[i] += values[i];
    }
    const auto is_zero = [](int64_t value) { return value == 0; };
    proto::Profile result = after;
    result.clear_sample();
    for (const proto::Sample& sample : after.sample()) {
        std::vector<int64_t> values = values_at(places, sample);
        if (const auto found = known.find(names_after.key(sample)); found != known.end()) {
            for (size_t i = 0; i < values.size(); ++i) values[i] -= found->second.values[i];
            known.erase(found);
        }
        if (std::all_of(values.begin(), values.end(), is_zero)) continue;
        proto::Sample& changed = *result.add_sample();
        *changed.mutable_location_id() = sample.location_id();
        *changed.mutable_label() = sample.label();
        for (const int64_t value : values) changed.add_value(value);
    }
    Adder adder(result, names_before);
    for (auto& [key, one] : known) {
        if (std::all_of(one.values.begin(), one.values.end(), is_zero)) continue;
        for (int64_t& value : one.values) value = -value;
        adder.add(*one.sample, one.values);
    }
    result.clear_sample_type();
    for (const int place : places) *result.add_sample_type() = after.sample_type(place);
    result.set_time_nanos(before.time_nanos() + before.duration_nanos());
    result.set_duration_nanos(after.duration_nanos() - before.duration_nanos());
    return packed(result);
}

std::string pprof_text(std::string_view file) {
    const proto::Profile profile = parsed(file);
    const Names names(profile);
    std::map<std::string, int> place_of;
    for (int i = 0; i < profile.sample_type_size(); ++i) {
        place_of[names.text(profile.sample_type(i).type())] = i;
    }
    const auto value = [&](const proto::Sample& sample, const char* type) {
        const auto found = place_of.find(type);
        const bool is_there = found != place_of.end() && found->second < sample.value_size();
        return is_there ? sample.value(found->second) : 0;
    };
    const auto shown = [&](const proto::Sample& sample) {
        return Shown{value(sample, "inuse_objects"), value(sample, "inuse_space"),
                     value(sample, "alloc_objects"), value(sample, "alloc_space")};
    };
    const auto space_of = [&](const proto::Sample& sample) {
        return sample.label_size() == 0 ? std::string() : names.text(sample.label(0).str());
    };
    std::vector<const proto::Sample*> samples;
    std::map<std::string, Shown> sums;
    for (const proto::Sample& sample : profile.sample()) {
        samples.push_back(&sample);
        sums[space_of(sample)].add(shown(sample));
    }
    std::stable_sort(samples.begin(), samples.end(), [&](const auto* a, const auto* b) {
        const Shown first = shown(*a), second = shown(*b);
        return std::tuple(first.in_use_bytes, first.bytes) >
               std::tuple(second.in_use_bytes, second.bytes);
    });
    std::string text;
    for (const auto& [space, sum] : sums) {
        text += fmt::format("heap profile: {} heap/1\t# {}\n", sum.text(), space);
    }
    for (const proto::Sample* sample : samples) {
        text += fmt::format("{}\t# {}\n", shown(*sample).text(), space_of(*sample));
        for (const uint64_t id : sample->location_id()) {
            const proto::Location& place = names.location(id);
            const proto::Function& code = names.function(place);
            text += fmt::format("#\t{}\t{}:{}\n", names.text(code.name()),
                                names.text(code.filename()), place.line(0).line());
        }
        text += "\n";
    }
    return text;
}

}  // namespace memtrace::analyzer
