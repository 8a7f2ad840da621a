// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_html.h"

#include <zlib.h>

#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/utf8.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/page/page_data.h"
#include "analyzer/page/page_stacks.h"
#include "analyzer/sites/own_lines.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t nodes_max = 24'000;
constexpr size_t nodes_min = 250;
constexpr size_t title_width = 80;

// Returns the text in the format that browsers call "deflate".
std::string deflated(const std::string& text) {
    uLongf size = compressBound(text.size());
    std::string bytes(size, '\0');
    const int result = compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                 reinterpret_cast<const Bytef*>(text.data()), text.size(), 6);
    if (result != Z_OK) throw Error("the data of the page could not be compressed");
    bytes.resize(size);
    return bytes;
}

// Nothing is loaded from anywhere, and nothing is sent.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'";

std::string title_of(const Recording& recording) {
    const ProcessInfo& process = recording.model.process;
    const std::vector<std::string>& command = process.command;
    std::string name = base_name(command.empty() ? process.executable : command[0]);
    // A script says more than its interpreter.
    if (name.starts_with("python") && command.size() > 1 && !command[1].starts_with('-')) {
        name = base_name(command[1]);
    }
    return cut_middle(valid_utf8(name.substr(0, 400)), title_width) + " – memtrace";
}

std::string html_of(const std::string& title, const PageBundle& bundle, const std::string& data) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    html += policy;
    html += "\">\n<title>" + escaped(title) + "</title>\n<style>";
    html += bundle.style;
    html += "</style>\n</head>\n<body>\n<div id=\"page\"><noscript>This page needs JavaScript. It ";
    html += "loads nothing from the network.</noscript></div>\n";
    html += "<script type=\"application/octet-stream\" id=\"data\">" + data + "</script>\n<script>";
    html += bundle.script;
    html += "</script>\n</body>\n</html>\n";
    return html;
}

}  // namespace

std::string base64(std::string_view bytes) {
    static constexpr char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t count = std::min<size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k) {
            group = group << 8 | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0u);
        }
        for (size_t k = 0; k < 4; ++k) {
            text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
        }
    }
    return text;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
    }
    return out;
}

Page make_page(const Recording& recording, const Growth& growth, const PageBundle& bundle,
               const PageOptions& options) {
    if (bundle.script.empty()) {
        throw Error(
            "this memtrace-report was built without the page's program: install Node 18 or newer "
            "and npm, and build it again");
    }
    const OwnLines lines = find_own_lines(recording, true);
    const StackView view(recording.symbols, options.interpreter_frames);
    const std::string title = options.with_command ? title_of(recording) : "memtrace";
    for (size_t nodes = nodes_max;;) {
        const PageStacks stacks = make_page_stacks(recording, lines, view, nodes);
        const std::string data =
            base64(deflated(page_data(recording, stacks, lines, growth, options)));
        Page page{html_of(title, bundle, data), 0, 0};
        const size_t size = page.html.size();
        if (size > options.bytes_max && nodes > nodes_min) {
            // The rest of the page takes room as well, so this may take several attempts.
            nodes = std::max(nodes_min, nodes * options.bytes_max / size * 4 / 5);
            continue;
        }
        for (size_t i = 0; i < stacks.spaces.size(); ++i) {
            page.stacks += recording.model.spaces[i].sites.size();
            page.folded_stacks += stacks.spaces[i].folded_stacks;
        }
        return page;
    }
}

}  // namespace memtrace::analyzer
