// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

namespace memtrace::analyzer {
namespace {

// Returns the name as part of a shell function's name.
std::string identifier(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
    return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> names_of(const std::vector<OptionWords>& options) {
    std::vector<std::string> names;
    for (const OptionWords& option : options) {
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

std::vector<std::string> names_of(const std::vector<CommandTree>& commands) {
    std::vector<std::string> names;
    for (const CommandTree& command : commands) names.push_back(command.name);
    return names;
}

// Returns the text between single quotes, for every shell but fish's use of backslashes.
std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        if (letter == '\'') out += "'\\''";
        else out += letter;
    }
    return out + "'";
}

// The first sentence or clause of a help text is enough for a line of a menu.
std::string brief(const std::string& help) {
    constexpr size_t columns_max = 72;
    std::string text = help.substr(0, help.find('\n'));
    if (text.size() <= columns_max) return text;
    const size_t space = text.rfind(' ', columns_max);
    text.resize(space == std::string::npos ? columns_max : space);
    return text + " ...";
}

// ---- bash --------------------------------------------------------------------------------------

// `fill` is the function of the script that sets COMPREPLY to what compgen answers.
std::string bash_values(const std::vector<OptionWords>& options, const std::string& fill) {
    std::string out;
    for (const OptionWords& option : options) {
        if (option.takes == Takes::nothing) continue;
        std::string answer;
        if (option.takes == Takes::choice) {
            answer = fmt::format("{} -W {}", fill, in_quotes(joined(option.choices)));
        } else if (option.takes == Takes::folder) {
            answer = fmt::format("compopt -o filenames; {} -d", fill);
        } else if (option.takes == Takes::file) {
            answer = fmt::format("compopt -o filenames; {} -f", fill);
        }
        out += fmt::format("            {}) {}{}return ;;\n", joined(option.names, "|"), answer,
                           answer.empty() ? "" : "; ");
    }
    return out;
}

// One arm of the case on the command.
std::string bash_arm(const CommandTree& tree, const std::string& pattern, const std::string& fill) {
    std::string out = fmt::format("    {})\n", pattern);
    const std::string values = bash_values(tree.options, fill);
    if (!values.empty()) out += fmt::format("        case $before in\n{}        esac\n", values);
    out += fmt::format("        options={}\n", in_quotes(joined(names_of(tree.options))));
    if (!tree.words.empty())
        out += fmt::format("        words={}\n", in_quotes(joined(tree.words)));
    out += "        ;;\n";
    return out;
}

// ---- zsh ---------------------------------------------------------------------------------------

// Brackets and colons have a meaning in a specification of _arguments.
std::string zsh_escaped(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') out += '\\';
        out += letter;
    }
    return out;
}

std::string zsh_action(const OptionWords& option) {
    switch (option.takes) {
        case Takes::file: return "_files";
        case Takes::folder: return "_files -/";
        case Takes::choice: return "(" + joined(option.choices) + ")";
        default: return " ";
    }
}

std::string zsh_options(const CommandTree& tree, const std::string& indent) {
    std::string out;
    for (const OptionWords& option : tree.options) {
        for (const std::string& name : option.names) {
            std::string words = fmt::format("*{}[{}]", name, zsh_escaped(brief(option.help)));
            if (option.takes != Takes::nothing) {
                words += fmt::format(":{}:{}", zsh_escaped(option.value), zsh_action(option));
            }
            out += fmt::format(" \\\n{}{}", indent, in_quotes(words));
        }
    }
    if (tree.takes_program) {
        out += fmt::format(" \\\n{}'(-)1:program:_command_names -e' \\\n{}'*::arguments:_normal'",
                           indent, indent);
    } else if (!tree.words.empty()) {
        out += fmt::format(" \\\n{}'1:word:({})'", indent, joined(tree.words));
    } else if (tree.takes_files) {
        out += fmt::format(" \\\n{}'*:dump:_files'", indent);
    }
    return out + "\n";
}

// ---- fish --------------------------------------------------------------------------------------

std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + "'";
}

// Returns " -o --output": the options whose next word is not the program.
std::string names_with_values(const std::vector<OptionWords>& options) {
    std::string names;
    for (const OptionWords& option : options) {
        if (option.takes == Takes::nothing) continue;
        for (const std::string& name : option.names) names += " " + name;
    }
    return names;
}

std::string fish_options(const CommandTree& tree, const std::string& program,
                         const std::string& condition) {
    std::string out;
    for (const OptionWords& option : tree.options) {
        out += fmt::format("complete -c {} -n {}", program, fish_quoted(condition));
        for (const std::string& name : option.names) {
            if (name.starts_with("--")) out += " -l " + name.substr(2);
            else out += " -s " + name.substr(1);
        }
        if (option.takes == Takes::choice) {
            out += " -x -a " + fish_quoted(joined(option.choices));
        } else if (option.takes == Takes::folder) {
            out += " -x -a '(__fish_complete_directories)'";
        } else if (option.takes == Takes::file) {
            out += " -r -F";
        } else if (option.takes == Takes::text) {
            out += " -x";
        }
        out += fmt::format(" -d {}\n", fish_quoted(brief(option.help)));
    }
    return out;
}

}  // namespace

std::string bash_completion(const CommandTree& tree) {
    const std::string function = "_" + identifier(tree.name);
    std::string programs;
    for (const CommandTree& command : tree.commands) {
        if (command.takes_program) programs = command.name;
    }
    const std::string fill = function + "_fill";
    std::string out = fmt::format("# bash completion of {}\n", tree.name);
    out += fmt::format("{}() {{ mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$word\"); }}\n", fill);
    out += fmt::format("{}() {{\n", function);
    out +=
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "    local command='' options='' words='' at\n"
        "    for ((at = 1; at < COMP_CWORD; ++at)); do\n"
        "        case ${COMP_WORDS[at]} in\n";
    out += fmt::format("            {}) command=${{COMP_WORDS[at]}}; break ;;\n",
                       joined(names_of(tree.commands), "|"));
    out += "        esac\n    done\n";
    if (!programs.empty()) {
        // The program's own completion, behind --.
        out += fmt::format(
            "    if [ \"$command\" = {} ] && declare -F _command_offset >/dev/null; then\n"
            "        for ((++at; at < COMP_CWORD; ++at)); do\n"
            "            if [ \"${{COMP_WORDS[at]}}\" = -- ]; then\n"
            "                _command_offset $((at + 1)); return\n"
            "            fi\n        done\n    fi\n",
            programs);
    }
    out += "    case $command in\n";
    for (const CommandTree& command : tree.commands) {
        out += bash_arm(command, command.name, fill);
    }
    out += bash_arm(tree, "*", fill) + "    esac\n";
    out += fmt::format(
        "    if [ \"${{word:0:1}}\" = - ]; then {0} -W \"$options\"; return; fi\n"
        "    if [ -n \"$words\" ]; then {0} -W \"$words\"; return; fi\n"
        "    compopt -o filenames\n    if [ -n \"$command\" ]; then {0} -f; return; fi\n"
        "    {0} -f -W {1}\n}}\ncomplete -F {2} {3}\n",
        fill, in_quotes(joined(names_of(tree.commands))), function, tree.name);
    return out;
}

std::string zsh_completion(const CommandTree& tree) {
    const std::string function = "_" + identifier(tree.name);
    std::string out = fmt::format("#compdef {}\n{}() {{\n", tree.name, function);
    out += "    local -a known\n    local line state\n    known=(\n";
    for (const CommandTree& command : tree.commands) {
        out += fmt::format("        {}\n",
                           in_quotes(command.name + ":" + zsh_escaped(brief(command.help))));
    }
    out +=
        "    )\n    local at found=''\n"
        "    for ((at = 2; at < CURRENT; ++at)); do\n"
        "        if (( ${known[(I)${words[at]}:*]} )); then found=${words[at]}; break; fi\n"
        "    done\n    if [[ -n $found ]]; then\n"
        "        shift $((at - 1)) words\n        (( CURRENT -= at - 1 ))\n    fi\n"
        "    case $found in\n";
    for (const CommandTree& command : tree.commands) {
        out += fmt::format("        {})\n            _arguments -S{}            ;;\n", command.name,
                           zsh_options(command, "                "));
    }
    CommandTree alone = tree;
    alone.takes_files = false;
    std::string words = zsh_options(alone, "                ");
    words.pop_back();
    out += fmt::format(
        "        *)\n            _arguments{} \\\n                '*: :->first'\n"
        "            if [[ $state = first ]]; then\n"
        "                _describe -t commands command known\n                _files\n"
        "            fi\n            ;;\n    esac\n}}\n",
        words);
    // As a file of $fpath the script is the function's body; read by `source` it is not.
    out += fmt::format(
        "if [ \"$funcstack[1]\" = {0} ]; then\n    {0} \"$@\"\nelse\n    compdef {0} {1}\nfi\n",
        function, tree.name);
    return out;
}

std::string fish_completion(const CommandTree& tree) {
    const std::string& program = tree.name;
    const std::string names = joined(names_of(tree.commands));
    const std::string no_command = "not __fish_seen_subcommand_from " + names;
    std::string out = fmt::format("# fish completion of {}\n", program);
    for (const CommandTree& command : tree.commands) {
        out += fmt::format("complete -c {} -n {} -a {} -d {}\n", program, fish_quoted(no_command),
                           command.name, fish_quoted(brief(command.help)));
        const std::string condition = "__fish_seen_subcommand_from " + command.name;
        out += fish_options(command, program, condition);
        if (!command.words.empty()) {
            out += fmt::format("complete -c {} -n {} -f -a {}\n", program, fish_quoted(condition),
                               fish_quoted(joined(command.words)));
        }
        if (command.takes_program) {
            out += fmt::format(
                "complete -c {} -n {} -x -a '(__fish_complete_subcommand --fcs-skip=2{})'\n",
                program, fish_quoted(condition + "; and contains -- -- (commandline -opc)"),
                names_with_values(command.options));
        }
    }
    return out + fish_options(tree, program, no_command);
}

std::optional<std::string> completion(const CommandTree& tree, std::string_view shell) {
    if (shell == "bash") return bash_completion(tree);
    if (shell == "zsh") return zsh_completion(tree);
    if (shell == "fish") return fish_completion(tree);
    return std::nullopt;
}

}  // namespace memtrace::analyzer
