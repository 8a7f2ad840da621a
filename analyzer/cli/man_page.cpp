// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace memtrace::analyzer {
namespace {

// Text as man(7) shows it unchanged: backslashes and hyphens escaped, and no line that begins with
// a full stop or an apostrophe, which would be a request.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        if ((letter == '.' || letter == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        if (letter == '\\') out += "\\e";
        else if (letter == '-') out += "\\-";
        else out += letter;
    }
    return out;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return std::toupper(letter); });
    return text;
}

bool is_same(const OptionWords& one, const OptionWords& other) {
    return one.names == other.names && one.help == other.help;
}

bool has(const std::vector<OptionWords>& options, const OptionWords& wanted) {
    return std::any_of(options.begin(), options.end(),
                       [&](const OptionWords& one) { return is_same(one, wanted); });
}

std::string option_paragraph(const OptionWords& option) {
    std::string names;
    for (const std::string& name : option.names) {
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
    }
    if (!option.value.empty()) {
        names += fmt::format("{}\\fI{}\\fR", option.value.starts_with("[=") ? "" : " ",
                             escaped(option.value));
    }
    return fmt::format(".TP\n{}\n{}\n", names, escaped(option.help));
}

bool is_help(const OptionWords& option) { return option.names.back() == "--help"; }

// The options that the program itself has, too, are named only.
std::string command_section(const CommandTree& command, const CommandTree& program) {
    if (command.options.empty()) {
        return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command.name), escaped(command.help));
    }
    std::string out = fmt::format(".SS {} {}\n{}\n", escaped(program.name), escaped(command.name),
                                  escaped(command.help));
    std::string shared;
    for (const OptionWords& option : command.options) {
        if (is_help(option)) continue;
        if (has(program.options, option)) {
            for (const std::string& name : option.names) {
                shared += fmt::format("{}\\fB{}\\fR", shared.empty() ? "" : ", ", escaped(name));
            }
        } else {
            out += option_paragraph(option);
        }
    }
    if (!shared.empty()) out += fmt::format(".PP\nAs above: {}\n", shared);
    if (!command.footer.empty() && command.footer != program.footer) {
        out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(command.footer));
    }
    return out;
}

}  // namespace

std::string man_page(const CommandTree& tree, const ManPage& page) {
    std::string out = fmt::format(".TH {} 1 \"\" \"memtrace {}\" \"memtrace\"\n",
                                  escaped(upper(tree.name)), MEMTRACE_VERSION);
    out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(tree.name), escaped(page.brief));
    out += fmt::format(".SH SYNOPSIS\n.nf\n{}\n.fi\n", escaped(page.synopsis));
    out += fmt::format(".SH DESCRIPTION\n{}\n", escaped(tree.help));
    if (!tree.options.empty()) {
        out += ".SH OPTIONS\n";
        for (const OptionWords& option : tree.options) out += option_paragraph(option);
    }
    if (!tree.commands.empty()) {
        out += ".SH COMMANDS\n";
        for (const CommandTree& command : tree.commands) out += command_section(command, tree);
    }
    if (!tree.footer.empty()) {
        out += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", escaped(tree.footer));
    }
    return out + fmt::format(".SH SEE ALSO\n{}\n", escaped(page.see_also));
}

}  // namespace memtrace::analyzer
