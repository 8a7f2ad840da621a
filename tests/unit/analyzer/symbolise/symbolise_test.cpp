// SPDX-License-Identifier: Apache-2.0
//
// Addresses of a small library (fixtures/fixture.cpp) get the names, lines and inlined functions of
// its source. A rebuilt or missing file gives none. Complete stacks are recognised.
#include "analyzer/symbolise/symbolise.h"
#include "analyzer/base/paths.h"

#include <execinfo.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using memtrace::NodeKind;

namespace {

const std::string& folder = fixture_folder;

// Makes a model with one site. Its stack has these addresses of one module, the innermost first.
Model model_of(const ModuleInfo& module, const std::vector<uint64_t>& addresses,
               NodeKind kind = NodeKind::native) {
    Model model;
    model.stacks.modules[1] = module;
    model.stacks.nodes.push_back({});
    for (auto address = addresses.rbegin(); address != addresses.rend(); ++address) {
        StackNode node;
        node.parent = static_cast<uint32_t>(model.stacks.nodes.size() - 1);
        node.module = 1;
        node.kind = kind;
        node.address = *address;
        node.defined = true;
        model.stacks.nodes.push_back(node);
    }
    Site site;
    site.stack = static_cast<uint32_t>(model.stacks.nodes.size() - 1);
    site.totals.allocations = 1;
    model.spaces.emplace_back();
    model.spaces[0].name = "host";
    model.spaces[0].sites = {site};
    return model;
}

std::vector<Frame> frames_of(const Symbols& symbols, const Model& model) {
    std::vector<Frame> frames;
    symbols.walk(model.spaces[0].sites[0].stack,
                 [&](FrameId id) { frames.push_back(symbols.frames[id]); });
    return frames;
}

std::vector<Frame> name(ModuleInfo module, int place, const SymbolOptions& options = {}) {
    const Model model = model_of(module, {fixture().address(place)});
    return frames_of(symbolise(model, options), model);
}

}  // namespace

TEST_CASE("an inlined function and the one that it is in, each with its line") {
    const std::vector<Frame> frames = name(fixture().module, 0);
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].function == "shapes::(anonymous namespace)::grow");
    CHECK(frames[0].line == line_of("grow"));
    CHECK(frames[0].kind == FrameKind::inlined);
    CHECK(frames[1].function == "void shapes::Circle::draw<int>(int)");
    CHECK(frames[1].line == line_of("draw"));
    CHECK(frames[1].kind == FrameKind::native);
    CHECK_THAT(frames[1].file, Catch::Matchers::EndsWith("fixtures/fixture.cpp"));
    CHECK(frames[1].module == fixture().module.path);
}

TEST_CASE("lambdas, and plain functions") {
    const std::vector<Frame> lambda = name(fixture().module, 1);
    REQUIRE(lambda.size() == 1);
    CHECK_THAT(lambda[0].function, Contains("lambda"));
    CHECK(lambda[0].line == line_of("lambda"));
    const std::vector<Frame> plain = name(fixture().module, 2);
    REQUIRE(plain.size() == 1);
    CHECK(plain[0].function == "fixture_run");
    CHECK(plain[0].line == line_of("run"));
}

TEST_CASE("a return address is looked up one byte before, an exact one where it is") {
    const uint64_t next = fixture().bare;  // the byte before it belongs to something else
    const Model exact = model_of(fixture().module, {next}, NodeKind::entry);
    CHECK(frames_of(symbolise(exact, {}), exact)[0].function == "fixture_bare");
    const Model call = model_of(fixture().module, {next});
    CHECK(frames_of(symbolise(call, {}), call)[0].function != "fixture_bare");
}

TEST_CASE("a stripped library: what it exports has names, the rest is module and offset") {
    ModuleInfo module = fixture().module;
    module.path = folder + "/stripped/libfixture.so";
    CHECK(name(module, 2)[0].function == "fixture_run");
    const Frame lambda = name(module, 1)[0];
    CHECK_THAT(lambda.function, StartsWith("libfixture.so+0x"));
    CHECK_FALSE(lambda.named);
}

TEST_CASE("debug files are found by their link and by their build-id") {
    ModuleInfo module = fixture().module;
    module.path = folder + "/stripped/libfixture.so";
    SymbolOptions options;
    options.debug_paths = {folder + "/debug"};
    CHECK(name(module, 0, options).size() == 2);
    CHECK(name(module, 0, options)[0].line == line_of("grow"));

    const Folder other;
    const std::string id = hex(module.build_id);
    std::filesystem::create_directories(other.path / ".build-id" / id.substr(0, 2));
    const std::string file = id.substr(0, 2) + "/" + id.substr(2) + ".debug";
    std::filesystem::copy_file(folder + "/debug/libfixture.so.debug",
                               other.path / ".build-id" / file);
    module.path = "/nowhere/libfixture.so";  // the library is missing, too
    options.debug_paths = {other.path};
    CHECK(name(module, 0, options).size() == 2);
}

TEST_CASE("a copy of the machine's files is searched below --sysroot") {
    const Folder root;
    std::filesystem::create_directories(root.path / "opt/lib");
    std::filesystem::copy_file(folder + "/libfixture.so", root.path / "opt/lib/libfixture.so");
    ModuleInfo module = fixture().module;
    module.path = "/opt/lib/libfixture.so";
    CHECK_FALSE(name(module, 2)[0].named);
    SymbolOptions options;
    options.sysroot = root.path;
    CHECK(name(module, 2, options)[0].function == "fixture_run");
}

TEST_CASE("a library that was rebuilt is not used, and one problem says so") {
    ModuleInfo module = fixture().module;
    module.build_id[0] ^= 1;
    const Model model = model_of(module, {fixture().address(0), fixture().address(2)});
    const Symbols symbols = symbolise(model, {});
    for (const Frame& frame : frames_of(symbols, model)) {
        CHECK_THAT(frame.function, StartsWith("libfixture.so+0x"));
    }
    REQUIRE(symbols.problems.size() == 1);
    CHECK_THAT(symbols.problems[0].what, Contains("libfixture.so was rebuilt since the recording"));
    CHECK(symbols.modules.at(1) == Names::rebuilt);
}

TEST_CASE("a library that is not here is a note, and its frames are offsets") {
    ModuleInfo module = fixture().module;
    module.path = "/nowhere/libgone.so";
    const uint64_t address = module.bias + 0x1235;
    const Model model = model_of(module, {address});
    const Symbols symbols = symbolise(model, {});
    CHECK(frames_of(symbols, model)[0].function == "libgone.so+0x1234");
    CHECK(symbols.problems.empty());
    REQUIRE(symbols.notes.size() == 1);
    CHECK_THAT(symbols.notes[0], Contains("libgone.so"));
}

TEST_CASE("a path from a dump that is a pipe, a folder or a text is no module") {
    const Folder place;
    std::filesystem::create_directories(place.path / "folder");
    std::ofstream(place.path / "text") << "no ELF file";
    REQUIRE(mkfifo((place.path / "pipe").c_str(), 0600) == 0);
    for (const char* file : {"folder", "text", "pipe"}) {
        ModuleInfo module = fixture().module;
        module.path = place.path / file;
        CHECK_FALSE(name(module, 2)[0].named);
    }
}

TEST_CASE("a guessed frame has the name that it would have anyhow") {
    const Model model = model_of(fixture().module, {fixture().address(2)}, NodeKind::guessed);
    CHECK(frames_of(symbolise(model, {}), model)[0].function == "fixture_run");
}

TEST_CASE("stacks that were cut or lost say why") {
    Model model = model_of(fixture().module, {1, 2});
    StackNode root = model.stacks.nodes[1];
    root.kind = NodeKind::truncated;
    root.address = static_cast<uint64_t>(memtrace::Cut::depth);
    model.stacks.nodes.set(1, root);
    Symbols symbols = symbolise(model, {});
    CHECK(frames_of(symbols, model)[1].function == "[stack cut: longer than the depth limit]");
    CHECK(frames_of(symbols, model)[1].kind == FrameKind::cut);
    CHECK_FALSE(symbols.complete[2]);
    root.address = static_cast<uint64_t>(memtrace::Cut::no_data);
    model.stacks.nodes.set(1, root);
    symbols = symbolise(model, {});
    CHECK(frames_of(symbols, model)[1].function == "[stack cut: code without unwind data]");
    root.address = static_cast<uint64_t>(memtrace::Cut::early);  // as in an old dump
    model.stacks.nodes.set(1, root);
    symbols = symbolise(model, {});
    CHECK(frames_of(symbols, model)[1].function ==
          "[stack cut: recorded before the unwinder was ready]");
    root.address = 200;  // as in a newer dump
    model.stacks.nodes.set(1, root);
    symbols = symbolise(model, {});
    CHECK_THAT(frames_of(symbols, model)[1].function, Contains("does not know"));
    root.defined = false;
    model.stacks.nodes.set(1, root);
    symbols = symbolise(model, {});
    CHECK_THAT(frames_of(symbols, model)[1].function, Contains("stack lost"));
}

TEST_CASE("nodes of Python have the names and lines of the dump; missing ones are said once") {
    Model model = model_of({},
                           {memtrace::python_address(1, 1), memtrace::python_address(7, 2),
                            memtrace::python_address(7, 3)},
                           NodeKind::python);
    model.stacks.codes[1] = {"train_step", "/src/train.py",
                             40,           "\xe8\x02",
                             true,         memtrace::PythonLinesFormat::locations};
    const Symbols symbols = symbolise(model, {});
    const std::vector<Frame> frames = frames_of(symbols, model);
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].function == "train_step");
    CHECK(frames[0].line == 41);
    CHECK(frames[0].kind == FrameKind::python);
    CHECK(frames[1].function == "python code 7");
    CHECK(frames[1] == frames[2]);
    REQUIRE(symbols.notes.size() == 1);
    CHECK_THAT(symbols.notes[0], StartsWith("1 function of Python is in stacks"));
}

TEST_CASE("a damaged tree with a circle ends") {
    Model model = model_of(fixture().module, {1, 2, 3});
    for (const uint32_t parent : {3u, 77u}) {  // a callee, and no node at all
        StackNode node = model.stacks.nodes[1];
        node.parent = parent;
        CHECK_FALSE(model.stacks.nodes.set(1, node));
        CHECK(frames_of(symbolise(model, {}), model).size() == 3);
    }
    model.spaces[0].sites.set_stack(0, 99);
    CHECK(frames_of(symbolise(model, {}), model).empty());
}

// The stack of the caller, in the form of a dump.
struct OwnStack {
    std::vector<uint64_t> addresses;
    std::map<uint64_t, ModuleInfo> modules;  // by bias

    void take() {
        void* found[64];
        const int count = backtrace(found, 64);
        for (int i = 0; i < count; ++i) addresses.push_back(reinterpret_cast<uint64_t>(found[i]));
    }

    Model model(bool with_build_ids) const {
        Model made = model_of({}, addresses);
        made.stacks.modules.clear();
        for (uint32_t id = 0; id < made.stacks.nodes.size(); ++id) {
            StackNode node = made.stacks.nodes[id];
            if (node.address == 0) continue;
            Dl_info info{};
            link_map* map = nullptr;
            dladdr1(reinterpret_cast<void*>(node.address), &info, reinterpret_cast<void**>(&map),
                    RTLD_DL_LINKMAP);
            REQUIRE(map != nullptr);
            ModuleInfo module;
            module.bias = map->l_addr;
            module.path = *map->l_name != '\0' ? map->l_name : "/proc/self/exe";
            const auto file = ElfFile::open(module.path);
            if (with_build_ids && file != nullptr) module.build_id = file->build_id();
            node.module = static_cast<uint32_t>(module.bias >> 12) + 1;
            made.stacks.modules[node.module] = module;
            made.stacks.nodes.set(id, node);
        }
        return made;
    }
};

TEST_CASE("stacks that reach the start of their thread are complete, with and without names") {
    OwnStack mine;
    mine.take();
    OwnStack other;
    std::thread([&] { other.take(); }).join();
    for (const bool names : {true, false}) {
        for (const OwnStack* stack : {&mine, &other}) {
            Model model = stack->model(names);
            const uint32_t whole = model.spaces[0].sites[0].stack;
            CHECK(symbolise(model, {}).complete[whole]);
            StackNode cut = model.stacks.nodes[whole - 1];
            cut.parent = memtrace::no_stack;  // only two are left
            model.stacks.nodes.set(whole - 1, cut);
            CHECK_FALSE(symbolise(model, {}).complete[whole]);
        }
    }
}

TEST_CASE("the entry of a program whose file is gone is known by what it calls") {
    OwnStack mine;
    mine.take();
    Model model = mine.model(false);
    for (auto& [id, module] : model.stacks.modules) {
        if (module.path == "/proc/self/exe") module.path = "/gone";
    }
    const uint32_t whole = model.spaces[0].sites[0].stack;
    CHECK(symbolise(model, {}).complete[whole]);
    // Nothing of libc is left, so nothing is known of the outermost frame.
    for (auto& [id, module] : model.stacks.modules) module.path = "/gone";
    CHECK_FALSE(symbolise(model, {}).complete[whole]);
}

TEST_CASE(
    "without folded lines, frames of the interpreter among Python functions have names only") {
    const Folder other;
    ModuleInfo interpreter = fixture().module;
    interpreter.path = other.path / "libpythonfix.so";
    std::filesystem::copy_file(fixture().module.path, interpreter.path);
    Model model = model_of(interpreter, {fixture().address(0)});
    StackNodes& nodes = model.stacks.nodes;
    StackNode python;
    python.kind = NodeKind::python;
    python.address = memtrace::python_address(1, 1);
    python.defined = true;
    const uint32_t outer = nodes.push_back(python);
    StackNode inner = nodes[1];
    inner.parent = outer;
    const uint32_t among_python = nodes.push_back(inner);

    SymbolOptions options;
    options.folded_lines = false;
    // The same code also runs outside of Python, and nothing folds it there.
    const std::vector<Frame> plain = frames_of(symbolise(model, options), model);
    REQUIRE(plain.size() == 2);
    CHECK(plain[0].line == line_of("grow"));

    Site site = model.spaces[0].sites[0];
    site.stack = among_python;
    model.spaces[0].sites = {site};
    const std::vector<Frame> folded = frames_of(symbolise(model, options), model);
    REQUIRE(folded.size() == 2);
    CHECK_THAT(folded[0].function, StartsWith("void shapes::Circle::draw<int>(int)"));
    CHECK(folded[0].line == 0);
    CHECK(folded[1].kind == FrameKind::python);
    CHECK(frames_of(symbolise(model, {}), model).size() == 3);  // asked for: with what is inlined
}
