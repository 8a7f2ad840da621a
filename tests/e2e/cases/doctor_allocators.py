"""memtrace doctor names the allocator that a program would use: one that is preloaded, linked,
needed by a library, or inside the program. It says so without running the program. A program that
cannot be recorded is no success."""
import json
import os
import shutil
import subprocess

from harness import environment, expect, folder, require, run, skip
from launch import launcher

MALLOC = """#include <string.h>
static char room[1 << 28] __attribute__((aligned(16)));
static size_t used;
void* malloc(size_t size) {
    size_t* at = (size_t*)(room + __sync_fetch_and_add(&used, (size + 31) / 16 * 16));
    *at = size;
    return at + 2;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* block, size_t size) {
    char* made = malloc(size);
    size_t old = block ? ((size_t*)block)[-2] : 0;
    return memcpy(made, block ? block : made, old < size ? old : size);
}
"""
ENTRY = "void* mi_malloc(unsigned long size) { return (void*)size; }\n"
MAIN = "#include <stdlib.h>\nint main(void) { system(\"touch ran\"); return 0; }\n"
USES = "void* malloc(unsigned long);\nvoid* taken(void) { return malloc(1); }\n"


def compiled(where, name, *sources, flags=()):
    files = []
    for number, source in enumerate(sources):
        files.append(os.path.join(where, f"{name}.{number}.c"))
        with open(files[-1], "w", encoding="utf-8") as out:
            out.write(source)
    program = os.path.join(where, name)
    subprocess.run(["cc", "-fno-builtin", *files, "-o", program, *flags], check=True)
    return program


def doctor(where, *words, env=None):
    ended = run([launcher(), "doctor", "--python", "true", "--json", "-", *words],
                environment([], env), cwd=where)
    require(not os.path.exists(os.path.join(where, "ran")), "the program was started")
    return {check["subject"]: check for check in json.loads(ended.stdout)["checks"]}


def allocator(where, program, state, *words, env=None):
    found = doctor(where, "--program", program, env=env)["allocator"]
    expect(found["state"], state, f"{program}: {found}")
    for word in words:
        require(word in found["found"], f"{program}: {found}")


def test():
    if shutil.which("cc") is None:
        skip("there is no C compiler")
    where = folder()
    library = compiled(where, "libmymalloc.so", MALLOC, flags=("-shared", "-fPIC"))
    named = compiled(where, "libsome.so", MALLOC, ENTRY, flags=("-shared", "-fPIC"))
    here = ("-Wl,--no-as-needed", f"-L{where}", f"-Wl,-rpath,{where}")
    user = compiled(where, "libuser.so", USES, flags=("-shared", "-fPIC", *here, "-lmymalloc"))
    plain = compiled(where, "plain", MAIN)
    allocator(where, plain, "ok", "glibc's malloc")
    allocator(where, plain, "ok", library, "memtrace stands in front",
              env={"LD_PRELOAD": library})
    allocator(where, plain, "ok", "mimalloc", env={"LD_PRELOAD": named})
    linked = compiled(where, "linked", MAIN, flags=(*here, "-lmymalloc"))
    allocator(where, linked, "ok", library)
    through = compiled(where, "through", MAIN, flags=(*here, "-luser"))
    # libc is needed by the program itself, and so stands in front of what its library needs.
    allocator(where, through, "ok", "glibc's malloc")
    first = compiled(where, "first", MAIN, flags=(*here, "-nodefaultlibs", "-luser",
                                                  "-Wl,--unresolved-symbols=ignore-all"))
    allocator(where, first, "ok", library)
    allocator(where, compiled(where, "own", MAIN, MALLOC), "limited", "defines malloc itself")
    allocator(where, compiled(where, "both", MAIN, MALLOC, ENTRY), "limited", "mimalloc")
    allocator(where, compiled(where, "beside", MAIN, ENTRY), "limited", "mi_malloc")
    script = os.path.join(where, "script")
    with open(script, "w", encoding="utf-8") as out:
        out.write(f"#!{linked}\n")
    os.chmod(script, 0o755)
    allocator(where, script, "ok", library)

    # Without a program, the preloaded one is in use, too.
    ended = run([launcher(), "doctor"], environment([], {"LD_PRELOAD": library}), cwd=where)
    require(library in ended.stdout.replace("\n" + " " * 22, ""), ended.stdout)

    os.rename(user, user + ".gone")
    for program, why in ((through, "libuser.so is not found"), ("/nonexist", "no such file"),
                         ("no-such-program", "$PATH"), (where, "folder")):
        ended = run([launcher(), "doctor", "--program", program], environment([]), cwd=where)
        expect(ended.status, 1, f"{program}: {ended.stdout}")
        require(f"but not of {program};" in ended.stdout, ended.stdout)
        checks = doctor(where, "--program", program)
        require(why in checks["program"]["found"], checks["program"])
    ended = run([launcher(), "doctor", "--python", "/no/python"], environment([]), cwd=where)
    expect(ended.status, 1, ended.stdout)
    require("/no/python: there is no such file" in ended.stdout, ended.stdout)
    wrong = run([launcher(), "doctor"], environment([], {"MEMTRACE_OPTIONS": "bogus=1"}),
                cwd=where)
    require("-> Correct MEMTRACE_OPTIONS" in wrong.stdout, wrong.stdout)
