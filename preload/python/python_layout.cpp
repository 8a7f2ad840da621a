// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_layout.h"

#include <cstring>

namespace memtrace::preload {
namespace {

// ---- 3.8 to 3.12 --------------------------------------------------------------------------------

constexpr PythonLayout layout_38() {
    PythonLayout layout;
    layout.minor = 8;
    layout.chain = PythonChain::frame_objects;
    layout.instruction = PythonInstruction::byte_offset;
    layout.lines = PythonLinesFormat::lnotab;
    layout.thread_frame = 24;
    layout.thread_id = 176;
    layout.frame_back = 24;
    layout.frame_code = 32;
    layout.frame_instruction = 104;
    layout.code_first_line = 40;
    layout.code_file = 104;
    layout.code_name = 112;
    layout.code_lines = 120;
    layout.code_instructions = 48;
    layout.string_ascii = 48;
    layout.string_others = 72;
    layout.runtime_finalizing = 16;
    layout.runtime_interpreters = 32;
    layout.runtime_current = 1368;
    return layout;
}

constexpr PythonLayout layout_39() {
    PythonLayout layout = layout_38();
    layout.minor = 9;
    layout.runtime_current = 568;
    return layout;
}

constexpr PythonLayout layout_310() {
    PythonLayout layout = layout_39();
    layout.minor = 10;
    layout.chain = PythonChain::frame_cframes;
    layout.instruction = PythonInstruction::unit_offset;
    layout.lines = PythonLinesFormat::ranges;
    layout.thread_cframe = 48;
    layout.cframe_previous = 8;
    layout.frame_instruction = 96;
    return layout;
}

constexpr PythonLayout layout_311() {
    PythonLayout layout;
    layout.minor = 11;
    layout.chain = PythonChain::cframes;
    layout.thread_cframe = 56;
    layout.thread_id = 152;
    layout.cframe_frame = 8;
    layout.cframe_previous = 16;
    layout.frame_back = 48;
    layout.frame_code = 32;
    layout.frame_instruction = 56;
    layout.frame_is_entry = 68;
    layout.frame_owner = 69;
    layout.code_first_line = 72;
    layout.code_file = 112;
    layout.code_name = 128;
    layout.code_lines = 136;
    layout.code_instructions = 184;
    layout.string_ascii = 48;
    layout.string_others = 72;
    layout.runtime_finalizing = 24;
    layout.runtime_interpreters = 40;
    layout.runtime_current = 576;
    return layout;
}

constexpr PythonLayout layout_312() {
    PythonLayout layout = layout_311();
    layout.minor = 12;
    layout.chain = PythonChain::shims;
    layout.thread_id = 136;
    layout.cframe_frame = 0;
    layout.cframe_previous = 8;
    layout.frame_back = 8;
    layout.frame_code = 0;
    layout.frame_is_entry = PythonLayout::none;
    layout.frame_owner = 70;
    layout.code_first_line = 68;
    layout.code_instructions = 192;
    layout.string_ascii = 40;
    layout.string_others = 56;
    layout.runtime_interpreters = PythonLayout::none;
    layout.runtime_current = PythonLayout::none;
    return layout;
}

constexpr PythonLayout layouts[] = {layout_38(), layout_39(), layout_310(), layout_311(),
                                    layout_312()};

// ---- 3.13 on ------------------------------------------------------------------------------------

// Indices of words in _Py_DebugOffsets. Word 0 is the cookie, word 1 the version, and word 2 tells
// if the build is free-threaded.
struct DebugWords {
    uint8_t minor;
    uint8_t finalizing;
    uint8_t thread_size, thread_frame, thread_id;
    uint8_t frame_size, frame_back, frame_code, frame_instruction, frame_owner;
    uint8_t code_size, code_file, code_name, code_lines, code_first_line, code_instructions;
    uint8_t object_type;
    uint8_t bytes_length, bytes_data;
    uint8_t string_state, string_length, string_ascii;
    uint64_t code_mask;
};

constexpr DebugWords debug_words[] = {
    {13, 4,  19, 23, 24, 28, 29, 30, 31, 33, 34,          35,
     37, 38, 39, 43, 45, 65, 66, 68, 69, 70, ~uint64_t{0}},
    {14, 4,  22, 26, 27, 31, 32, 33, 34, 36, 39,          40,
     42, 43, 44, 48, 51, 75, 76, 78, 79, 80, ~uint64_t{7}},
    {15, 4,  22, 26, 30, 39, 40, 41, 42, 44, 47,          48,
     50, 51, 52, 56, 59, 87, 88, 90, 91, 92, ~uint64_t{7}},
};

constexpr uint64_t cookie = 0x79706775'62656478;  // "xdebugpy"
constexpr uint64_t structure_bytes_max = 1u << 20;
// Distance from the structure of an ASCII string to that of other strings: two more words.
constexpr uint32_t other_string_more = 16;

// Reads offsets from the words and notices impossible values.
class OffsetReader {
public:
    explicit OffsetReader(const uint64_t* words) : words_(words) {}

    uint32_t size(uint8_t word) {
        if (words_[word] == 0 || words_[word] >= structure_bytes_max) is_right_ = false;
        return static_cast<uint32_t>(words_[word]);
    }

    // Reads the offset of a field of `width` bytes inside a structure.
    uint32_t field(uint8_t word, uint64_t width, uint64_t structure_bytes) {
        const uint64_t offset = words_[word];
        if (offset % width != 0 || offset + width > structure_bytes) is_right_ = false;
        return static_cast<uint32_t>(offset);
    }

    bool is_right() const { return is_right_; }

private:
    const uint64_t* words_;
    bool is_right_ = true;
};

}  // namespace

PythonVersion parse_python_version(std::string_view text) {
    PythonVersion version;
    uint32_t* const numbers[] = {&version.major, &version.minor};
    size_t at = 0;
    unsigned dots = 0;
    for (; at < text.size() && at < 16; ++at) {
        const char c = text[at];
        if (c == '.') {
            ++dots;
        } else if (c >= '0' && c <= '9') {
            if (dots < 2) *numbers[dots] = *numbers[dots] * 10 + static_cast<uint32_t>(c - '0');
        } else {
            break;
        }
    }
    // "3.13.0rc1" is no release. "3.13.0+" was built some commits later and is like 3.13.0.
    version.is_release = dots == 2 && (at == text.size() || text[at] == ' ' || text[at] == '+');
    return version;
}

const char* read_debug_offsets(uint32_t minor, const uint64_t* words, PythonLayout& layout) {
    if (words[0] != cookie) return "its debug offsets are not where they should be";
    const uint64_t hex_version = words[1];
    if (hex_version >> 24 != 3 || (hex_version >> 16 & 0xff) != minor) {
        return "its debug offsets are those of another version";
    }
    if ((hex_version >> 4 & 0xf) != 0xf) return "it is a pre-release";
    if (words[2] != 0) return "it is a free-threaded build, which is not known yet";
    for (const DebugWords& at : debug_words) {
        if (at.minor != minor) continue;
        OffsetReader reader(words);
        const uint32_t thread = reader.size(at.thread_size);
        const uint32_t frame = reader.size(at.frame_size);
        const uint32_t code = reader.size(at.code_size);
        layout = {};
        layout.minor = static_cast<uint8_t>(minor);
        layout.thread_frame = reader.field(at.thread_frame, 8, thread);
        layout.thread_id = reader.field(at.thread_id, 8, thread);
        layout.frame_back = reader.field(at.frame_back, 8, frame);
        layout.frame_code = reader.field(at.frame_code, 8, frame);
        layout.frame_instruction = reader.field(at.frame_instruction, 8, frame);
        layout.frame_owner = reader.field(at.frame_owner, 1, frame);
        layout.frame_code_mask = at.code_mask;
        layout.code_first_line = reader.field(at.code_first_line, 4, code);
        layout.code_file = reader.field(at.code_file, 8, code);
        layout.code_name = reader.field(at.code_name, 8, code);
        layout.code_lines = reader.field(at.code_lines, 8, code);
        layout.code_instructions = reader.field(at.code_instructions, 2, structure_bytes_max);
        // The words contain no sizes for the three kinds of objects below, so a small bound is
        // used.
        constexpr uint64_t small_object_bytes = 128;
        layout.object_type = reader.field(at.object_type, 8, small_object_bytes);
        layout.bytes_length = reader.field(at.bytes_length, 8, small_object_bytes);
        layout.bytes_data = reader.field(at.bytes_data, 1, small_object_bytes);
        layout.string_state = reader.field(at.string_state, 4, small_object_bytes);
        layout.string_length = reader.field(at.string_length, 8, small_object_bytes);
        layout.string_ascii = reader.field(at.string_ascii, 8, small_object_bytes);
        layout.string_others = layout.string_ascii + other_string_more;
        layout.runtime_finalizing = reader.field(at.finalizing, 8, structure_bytes_max);
        return reader.is_right() ? nullptr : "its debug offsets contradict each other";
    }
    return "this version is not known yet";
}

const char* find_python_layout(const PythonVersion& version, const uint64_t* runtime,
                               PythonLayout& layout) {
    constexpr uint32_t oldest = 8;
    if (version.major != 3) return "this version is not known";
    if (version.minor < oldest) return "versions before 3.8 are not known";
    if (!version.is_release) return "it is a pre-release";
    if (version.minor - oldest >= sizeof layouts / sizeof layouts[0]) {
        return read_debug_offsets(version.minor, runtime, layout);
    }
    layout = layouts[version.minor - oldest];
    return nullptr;
}

}  // namespace memtrace::preload
