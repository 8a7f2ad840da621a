// SPDX-License-Identifier: Apache-2.0
#include "launcher/program.h"

#include <elf.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace::launcher;
using memtrace::test::TempFolder;
using memtrace::test::write_file;

namespace {

std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

void make(const std::string& path, const std::string& content, mode_t mode) {
    write_file(path, bytes_of(content));
    chmod(path.c_str(), mode);
}

// Returns a program with one segment, which names its loader. If `loader` is empty, the program
// names none.
std::string program_of(unsigned char file_class, Elf64_Half machine, const std::string& loader) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = file_class;
    header.e_machine = machine;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = loader.empty() ? PT_LOAD : PT_INTERP;
    segment.p_offset = sizeof header + sizeof segment;
    segment.p_filesz = loader.size() + 1;
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
    return bytes + loader + '\0';
}

std::string lost(const std::vector<std::string>& command) {
    return why_environment_is_lost(command);
}

Forecast forecast(const std::string& content) {
    const TempFolder folder;
    make(folder.file("program"), content, 0755);
    return forecast_preload(folder.file("program"));
}

const std::string glibc = "/lib64/ld-linux-x86-64.so.2";

}  // namespace

TEST_CASE("a name is looked for in the folders of PATH", "[launcher]") {
    const TempFolder folder;
    std::filesystem::create_directory(folder.file("a"));
    std::filesystem::create_directory(folder.file("b"));
    make(folder.file("a/tool"), "data", 0644);
    make(folder.file("b/tool"), "#!/bin/sh\n", 0755);
    make(folder.file("a/only-data"), "data", 0644);
    std::filesystem::create_directory(folder.file("b/folder"));
    const std::string before = std::getenv("PATH");
    setenv("PATH", (folder.file("a") + ":" + folder.file("b")).c_str(), 1);
    CHECK(find_program("tool").path == folder.file("b/tool"));
    CHECK(find_program("only-data").code == 126);
    CHECK(find_program("folder").code == 127);
    CHECK(find_program("nothing").code == 127);
    CHECK(find_program("").code == 127);
    setenv("PATH", before.c_str(), 1);
}

TEST_CASE("a path is taken as it is", "[launcher]") {
    const TempFolder folder;
    make(folder.file("data"), "data", 0644);
    CHECK(find_program("/bin/sh").path == "/bin/sh");
    CHECK(find_program(folder.file("data")).code == 126);
    CHECK(find_program(folder.path()).problem.find("folder") != std::string::npos);
    CHECK(find_program(folder.file("nothing")).code == 127);
}

TEST_CASE("what the loader will do is told from the file", "[launcher]") {
    CHECK(forecast(program_of(ELFCLASS64, EM_X86_64, glibc)).preload == Preload::works);
    CHECK(forecast(program_of(ELFCLASS64, EM_X86_64, "")).preload == Preload::ignored);
    CHECK(forecast(program_of(ELFCLASS32, EM_386, "/lib/ld-linux.so.2")).preload ==
          Preload::ignored);
    CHECK(forecast(program_of(ELFCLASS64, EM_AARCH64, glibc)).preload == Preload::ignored);
    CHECK(forecast(program_of(ELFCLASS64, EM_X86_64, "/lib/ld-musl-x86_64.so.1")).preload ==
          Preload::fatal);
    CHECK(forecast("\x7f"
                   "ELF")
              .preload == Preload::works);  // cut: nothing can be predicted
    CHECK(forecast("").preload == Preload::works);
}

TEST_CASE("of a script it is its interpreter that loads libraries", "[launcher]") {
    const TempFolder folder;
    make(folder.file("static"), program_of(ELFCLASS64, EM_X86_64, ""), 0755);
    make(folder.file("script"), "#! " + folder.file("static") + " -x\n", 0755);
    make(folder.file("circle"), "#!" + folder.file("circle") + "\n", 0755);
    CHECK(forecast_preload(folder.file("script")).preload == Preload::ignored);
    CHECK(forecast_preload(folder.file("circle")).preload == Preload::works);
}

TEST_CASE("a program with rights of its own loads nothing", "[launcher]") {
    const TempFolder folder;
    make(folder.file("program"), program_of(ELFCLASS64, EM_X86_64, glibc), 0755);
    if (chown(folder.file("program").c_str(), 12345, 12345) != 0) return;  // only root may
    chmod(folder.file("program").c_str(), 04755);
    CHECK(forecast_preload(folder.file("program")).preload == Preload::ignored);
}

TEST_CASE("the loader of a program is that of its file, or of the script's interpreter",
          "[launcher]") {
    const TempFolder folder;
    const std::string program = folder.file("program");
    make(program, program_of(ELFCLASS64, EM_X86_64, glibc), 0755);
    make(folder.file("script"), "#!" + program + "\n", 0755);
    CHECK(loading_of(program).loader == glibc);
    CHECK(loading_of(folder.file("script")).program == program);
    CHECK(loading_of(folder.file("script")).loader == glibc);
    make(program, program_of(ELFCLASS64, EM_X86_64, "/lib/ld-musl-x86_64.so.1"), 0755);
    CHECK(loading_of(program).loader.empty());
    make(program, program_of(ELFCLASS64, EM_X86_64, ""), 0755);
    CHECK(loading_of(program).loader.empty());
    CHECK(loading_of(folder.file("nothing")).loader.empty());
}

TEST_CASE("a program that env gives another environment is not recorded", "[launcher]") {
    using Catch::Matchers::StartsWith;
    CHECK_THAT(lost({"env", "-i", "./a"}), StartsWith("env -i takes LD_PRELOAD"));
    CHECK_THAT(lost({"/usr/bin/env", "-", "A=1", "./a"}), StartsWith("env - takes"));
    CHECK_THAT(lost({"env", "--ignore-environment", "./a"}), StartsWith("env --ignore"));
    CHECK_THAT(lost({"env", "-vi", "A=1", "./a"}), StartsWith("env -vi takes"));
    CHECK_THAT(lost({"env", "-C", "/", "-i", "./a"}), StartsWith("env -i takes"));
    CHECK_THAT(lost({"env", "-u", "LD_PRELOAD", "./a"}), StartsWith("env -u LD_PRELOAD takes"));
    CHECK_THAT(lost({"env", "-uLD_PRELOAD", "./a"}), StartsWith("env -uLD_PRELOAD takes"));

    CHECK(lost({}).empty());
    CHECK(lost({"env"}).empty());
    CHECK(lost({"env", "-i"}).empty());
    CHECK(lost({"env", "A=1", "./a", "-i"}).empty());
    CHECK(lost({"env", "-u", "HOME", "./a"}).empty());
    CHECK(lost({"env", "-uthis", "./a"}).empty());
    CHECK(lost({"env", "-C", "-i", "./a"}).empty());
    CHECK(lost({"env", "-i", "LD_PRELOAD=/lib/libmemtrace.so", "./a"}).empty());
    CHECK(lost({"./a", "-i"}).empty());
}
