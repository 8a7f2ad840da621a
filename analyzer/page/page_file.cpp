// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_file.h"

#include <zlib.h>

#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t nodes_max = 24'000;
constexpr size_t nodes_min = 250;

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

std::string shown_text(const std::string& text) {
    std::string shown;
    for (size_t begin = 0;;) {
        const size_t end = std::min(text.find_first_of("\t\n", begin), text.size());
        shown += printable(valid_utf8(std::string_view(text).substr(begin, end - begin)));
        if (end == text.size()) return shown;
        shown += text[end];
        begin = end + 1;
    }
}

// Only lines of source files have tabs; in names, a tab or the end of a line is a control character
// as any other. `is_source`: the value is such a line, or has some.
void make_texts_shown(Json& json, bool is_source = false) {
    if (json.is_string()) {
        const auto text = json.get<std::string>();
        json = is_source ? shown_text(text) : printable(valid_utf8(text));
    } else if (json.is_object()) {
        for (auto& [key, part] : json.items()) {
            const bool is_line = part.is_string() && (key == "before" || key == "after");
            make_texts_shown(part, is_source || key == "sources" || is_line);
        }
    } else if (json.is_array()) {
        for (Json& part : json) make_texts_shown(part, is_source);
    }
}

}  // namespace

std::string page_json(Json data) {
    make_texts_shown(data);
    return json_text(data);
}

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

void require_bundle(const PageBundle& bundle) {
    if (!bundle.script.empty()) return;
    throw Error(
        "this memtrace-report was built without the page's program: install Node 18 or newer "
        "and npm, and build it again");
}

std::string page_file(const std::string& title, const PageBundle& bundle, const std::string& data) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    html += policy;
    html += "\">\n<title>" + escaped(title) + "</title>\n<style>";
    html += bundle.style;
    html += "</style>\n</head>\n<body>\n<div id=\"page\"><noscript>This page needs JavaScript. It ";
    html += "loads nothing from the network.</noscript></div>\n";
    html += "<script type=\"application/octet-stream\" id=\"data\">" + base64(deflated(data)) +
            "</script>\n<script>";
    html += bundle.script;
    html += "</script>\n</body>\n</html>\n";
    return html;
}

std::string bounded_page(size_t bytes_max, const std::function<std::string(size_t nodes)>& make) {
    for (size_t nodes = nodes_max;;) {
        std::string html = make(nodes);
        if (html.size() <= bytes_max || nodes <= nodes_min) return html;
        // The rest of the page takes room as well, so this may take several attempts.
        nodes = std::max(nodes_min, nodes * bytes_max / html.size() * 4 / 5);
    }
}

}  // namespace memtrace::analyzer
