// SPDX-License-Identifier: Apache-2.0
//
// truth_check [--allow GAP]... [--unfinished N] DUMP TRUTH...
//
// Compares a dump with the program's notes of its own allocations (truth.py). Every call of
// memalign() in the dump must have a note and every note must have its call, with the same Python
// functions, files and lines, frame by frame. A function named "bounced" must have a frame of the
// library bounce between itself and its caller, and no other function may have one. This checks
// that native frames are in the right place.
//
// Stacks with an unknown Python part are counted by reason, and are a failure unless the reason is
// allowed. If a stack is too deep, its inner frames are compared. At most N notes may have no call
// (of threads that the end of the process stopped).
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/paths.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/reader/dump_index.h"
#include "analyzer/reader/event_stream.h"
#include "analyzer/replay/load.h"
#include "analyzer/symbolise/python_names.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

constexpr unsigned shown_max = 3;
constexpr size_t frames_shown_max = 12;

// Numbers frames. Frames with the same file, line and name get the same number.
class FrameNumbers {
public:
    uint32_t of(const std::string& file, const std::string& name, uint64_t line) {
        std::string text = fmt::format("{}:{} {}", file, line, name);
        const auto [entry, is_new] =
            numbers_.try_emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
        if (is_new) {
            texts_.push_back(&entry->first);
            bounced_.push_back(name == "bounced" || name.ends_with(".bounced"));
        }
        return entry->second;
    }
    const std::string& text(uint32_t number) const { return *texts_[number]; }
    bool is_bounced(uint32_t number) const { return bounced_[number]; }

private:
    std::unordered_map<std::string, uint32_t> numbers_;
    std::vector<const std::string*> texts_;
    std::vector<bool> bounced_;
};

using Stack = std::vector<uint32_t>;  // innermost first

class Dump {
public:
    Dump(const std::string& path, FrameNumbers& numbers)
        : model_(load_dump(path)), numbers_(numbers) {
        for (const Problem& problem : model_.problems) problems_ += problem.what + "\n";
        name_nodes();
        read_acquisitions(path);
    }

    const std::string& problems() const { return problems_; }
    const Capture& capture() const { return model_.capture; }
    const std::unordered_multimap<uint64_t, uint32_t>& acquired() const { return acquired_; }

    struct Found {
        Stack stack;
        PythonGap gap = PythonGap::unnamed;
        bool has_unnamed = false;
        std::string disorder;  // of native frames
    };

    Found stack_of(uint32_t node) const {
        Found found;
        uint32_t bounces = 0;
        bool is_awaited = false;  // The last Python frame requires a frame of bounce.
        const auto leave = [&] {
            if (!found.stack.empty() && is_awaited != (bounces != 0)) {
                found.disorder = fmt::format("{} frames of bounce outside of {}", bounces,
                                             numbers_.text(found.stack.back()));
            }
            bounces = 0;
        };
        const StackNodes& nodes = model_.stacks.nodes;
        for (; node != no_stack; node = nodes[node].parent) {
            const StackNode frame = nodes[node];
            if (is_python_gap(frame)) {
                const PythonGap gap = python_gap_of(frame);
                if (gap == PythonGap::unnamed) found.has_unnamed = true;
                else found.gap = gap;
            } else if (frame.kind == NodeKind::python) {
                const uint32_t number = number_of_node_[node];
                if (number == hidden) continue;
                leave();
                found.stack.push_back(number);
                is_awaited = numbers_.is_bounced(number);
            } else {
                bounces += bounce_modules_.contains(frame.module);
            }
        }
        leave();
        return found;
    }

private:
    static constexpr uint32_t hidden = ~0u;

    void name_nodes() {
        const StackNodes& nodes = model_.stacks.nodes;
        std::vector<uint64_t> addresses;
        for (uint32_t id = 0; id < nodes.size(); ++id) {
            const StackNode node = nodes[id];
            if (node.kind == NodeKind::python) addresses.push_back(node.address);
        }
        std::unordered_map<uint64_t, uint32_t> known;
        name_python_frames(model_.stacks, addresses, [&](uint64_t address, const Frame& frame) {
            known[address] = is_interpreter_frame(frame)
                                 ? hidden
                                 : numbers_.of(frame.file, frame.function, frame.line);
        });
        for (uint32_t id = 0; id < nodes.size(); ++id) {
            const StackNode node = nodes[id];
            number_of_node_.push_back(node.kind == NodeKind::python ? known.at(node.address) : 0);
        }
        for (const auto& [id, module] : model_.stacks.modules) {
            if (base_name(module.path).starts_with("python-bounce")) bounce_modules_.insert(id);
        }
    }

    void read_acquisitions(const std::string& path) {
        Problems problems;
        DumpFile file(path, problems);
        const DumpIndex index = index_dump(file, problems);
        EventStream stream(file, index, problems);
        stream.run([&](size_t, const Event& event) {
            const auto* acquire = record_if<Acquire>(event);
            if (acquire == nullptr || acquire->api != Api::memalign) return;
            acquired_.emplace(acquire->size, acquire->stack);
        });
    }

    Model model_;
    FrameNumbers& numbers_;
    std::string problems_;
    std::vector<uint32_t> number_of_node_;
    std::set<uint32_t> bounce_modules_;
    std::unordered_multimap<uint64_t, uint32_t> acquired_;
};

struct Truth {
    std::unordered_map<uint64_t, Stack> stacks;  // by size
    std::unordered_set<uint64_t> repeated;       // sizes with any number of allocations

    bool read(const std::string& path, FrameNumbers& numbers) {
        std::ifstream file(path);
        if (!file) return false;
        std::unordered_map<uint64_t, uint32_t> frames;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with("f\t")) read_frame(line, frames, numbers);
            else if (line.starts_with("a ") || line.starts_with("r ")) read_stack(line, frames);
            else return false;
        }
        return true;
    }

private:
    static void read_frame(const std::string& line, std::unordered_map<uint64_t, uint32_t>& frames,
                           FrameNumbers& numbers) {
        char* at = nullptr;
        const uint64_t number = std::strtoull(line.c_str() + 2, &at, 10);
        const uint64_t lineno = std::strtoull(at + 1, &at, 10);
        const char* file = at + 1;
        const char* tab = std::strchr(file, '\t');
        frames[number] = numbers.of(std::string(file, tab), tab + 1, lineno);
    }

    void read_stack(const std::string& line, const std::unordered_map<uint64_t, uint32_t>& frames) {
        char* at = nullptr;
        const uint64_t size = std::strtoull(line.c_str() + 2, &at, 10);
        if (line.starts_with('r')) repeated.insert(size);
        Stack& stack = stacks[size];
        while (*at == ' ') stack.push_back(frames.at(std::strtoull(at + 1, &at, 10)));
    }
};

class Check {
public:
    Check(const Dump& dump, const Truth& truth, const FrameNumbers& numbers)
        : dump_(dump), truth_(truth), numbers_(numbers) {}

    void run() {
        for (const auto& [size, node] : dump_.acquired()) {
            const auto wanted = truth_.stacks.find(size);
            if (wanted == truth_.stacks.end()) {
                fail(size, "was not noted");
                continue;
            }
            const bool is_first = met_.insert(size).second;
            if (!is_first && !truth_.repeated.contains(size)) fail(size, "was made twice");
            compared_ += 1;
            compare(size, wanted->second, dump_.stack_of(node));
        }
    }

    // Prints the result. Returns false if something is wrong.
    bool tell(const std::set<std::string>& allowed, uint64_t unfinished_max) {
        const uint64_t unfinished = truth_.stacks.size() - met_.size();
        bool is_good = compared_ != 0 && mismatches_ == 0 && unfinished <= unfinished_max;
        std::string gaps;
        for (const auto& [gap, count] : gaps_) {
            gaps += fmt::format(", {} {}", count, word_of(gap));
            is_good &= allowed.contains(std::string(word_of(gap)));
        }
        fmt::print("{} allocations, {} frames compared: {} mismatches{}", compared_, frames_,
                   mismatches_, gaps);
        if (unfinished != 0) fmt::print(", {} noted and not made", unfinished);
        fmt::print("\n");
        return is_good;
    }

private:
    void compare(uint64_t size, const Stack& wanted, const Dump::Found& found) {
        if (found.gap == PythonGap::depth) {
            if (found.stack.size() >= wanted.size() || found.stack.size() < 512) {
                fail(size, "is not too deep");
            }
        } else if (found.gap != PythonGap::unnamed) {
            gaps_[found.gap] += 1;
            return;
        }
        if (found.has_unnamed) gaps_[PythonGap::unnamed] += 1;
        frames_ += found.stack.size();
        const bool is_same =
            found.gap == PythonGap::depth
                ? std::equal(found.stack.begin(), found.stack.end(), wanted.begin())
                : found.stack == wanted;
        if (!is_same) return fail(size, "has other frames", &wanted, &found.stack);
        if (!found.disorder.empty()) fail(size, found.disorder.c_str(), &wanted);
    }

    void fail(uint64_t size, const char* what, const Stack* wanted = nullptr,
              const Stack* found = nullptr) {
        if (++mismatches_ > shown_max) return;
        fmt::print("the allocation of {} bytes {}\n", size, what);
        const auto show = [&](const char* title, const Stack* stack) {
            if (stack == nullptr) return;
            fmt::print("  {}:\n", title);
            for (size_t i = 0; i < stack->size() && i < frames_shown_max; ++i) {
                fmt::print("    {}\n", numbers_.text((*stack)[i]));
            }
            if (stack->size() > frames_shown_max) fmt::print("    ... of {}\n", stack->size());
        };
        show("noted", wanted);
        show("in the dump", found);
    }

    const Dump& dump_;
    const Truth& truth_;
    const FrameNumbers& numbers_;
    std::unordered_set<uint64_t> met_;
    uint64_t compared_ = 0;
    uint64_t frames_ = 0;
    uint64_t mismatches_ = 0;
    std::map<PythonGap, uint64_t> gaps_;
};

}  // namespace

int main(int count, char** arguments) {
    std::set<std::string> allowed;
    uint64_t unfinished_max = 0;
    std::vector<std::string> files;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--allow" && i + 1 < count) allowed.insert(arguments[++i]);
        else if (word == "--unfinished" && i + 1 < count)
            unfinished_max = std::stoull(arguments[++i]);
        else files.push_back(word);
    }
    if (files.size() < 2) {
        fmt::print(stderr, "usage: truth_check [--allow GAP]... [--unfinished N] DUMP TRUTH...\n");
        return 2;
    }
    FrameNumbers numbers;
    const Dump dump(files[0], numbers);
    fmt::print("{}", dump.problems());
    if (dump.capture().lost_events != 0) fmt::print("{} events lost\n", dump.capture().lost_events);
    Truth truth;
    for (size_t i = 1; i < files.size(); ++i) {
        if (truth.read(files[i], numbers)) continue;
        fmt::print("{} cannot be read\n", files[i]);
        return 2;
    }
    Check check(dump, truth, numbers);
    check.run();
    const bool is_whole = dump.problems().empty() && dump.capture().lost_events == 0;
    return check.tell(allowed, unfinished_max) && is_whole ? 0 : 1;
}
