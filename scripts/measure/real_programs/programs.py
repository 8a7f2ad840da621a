# SPDX-License-Identifier: Apache-2.0
"""Real programs and what they do: one row each, name and command line, run in a folder of its own.

The folder has what `prepare()` makes: text, binary data, C and C++ sources, a git repository and a
tree of folders. A command is a list, or a text for bash. Its output must be the same each time.
"""

import pathlib
import random
import subprocess

WORDS = ("memory profile stack frame leak block heap page thread arena ring lane chunk step peak "
         "growth allocate release resize map").split()

C_SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { struct item* next; char name[32]; int count; };
static struct item* items;
static struct item* find(const char* name) {
    for (struct item* at = items; at; at = at->next) if (!strcmp(at->name, name)) return at;
    struct item* fresh = calloc(1, sizeof *fresh);
    strncpy(fresh->name, name, sizeof fresh->name - 1);
    fresh->next = items;
    return items = fresh;
}
int main(void) {
    char word[64];
    while (scanf("%63s", word) == 1) find(word)->count += 1;
    for (struct item* at = items; at; at = at->next) printf("%s %d\\n", at->name, at->count);
    return 0;
}
"""
CPP_SOURCE = """#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main() {
    std::map<std::string, int> counts;
    const std::regex letters("a+");
    for (std::string word; std::cin >> word;) ++counts[std::regex_replace(word, letters, "b")];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [word, count] : counts) order.emplace_back(count, word);
    std::sort(order.rbegin(), order.rend());
    for (const auto& [count, word] : order) std::cout << count << ' ' << word << '\\n';
}
"""
PYTHON_SOURCE = """import collections, json, re, sys
counts = collections.Counter(re.findall(r"[a-z]+", open("text.txt").read()))
json.dump(dict(sorted(counts.items())), sys.stdout, indent=1)
print(len(str(2 ** 20000)))
"""
JAVASCRIPT = ("const t=require('fs').readFileSync('text.txt','utf8');const m=new Map();"
              "for(const w of t.split(/\\s+/))m.set(w,(m.get(w)||0)+1);"
              "console.log([...m].sort().map(e=>e.join(' ')).join('\\n'))")
PERL = "while(<>){$c{$_}++ for split} print map {\"$_ $c{$_}\\n\"} sort keys %c"
TCL = ("set f [open text.txt]; foreach w [split [read $f]] { incr n($w) }; "
       "foreach w [lsort [array names n]] { puts \"$w $n($w)\" }")

PROGRAMS = {
    # coreutils and text
    "sort": ["sort", "text.txt"],
    "sort -u, by threads": ["sort", "--parallel=2", "-u", "text.txt"],
    "uniq": "sort text.txt | uniq -c",
    "wc": ["wc", "text.txt", "data.bin"],
    "sha256sum": ["sha256sum", "data.bin", "text.txt"],
    "md5sum": ["md5sum", "data.bin"],
    "cksum": ["cksum", "data.bin"],
    "cut": ["cut", "-d ", "-f2", "text.txt"],
    "tr": "tr a-z A-Z < text.txt",
    "seq": ["seq", "1", "20000"],
    "factor": "seq 1000000 1000500 | factor",
    "find": "find tree -type f | sort",
    "ls -R": ["ls", "-R", "tree"],
    "du": ["du", "-b", "tree"],
    "od": ["od", "-x", "data.bin"],
    "base64": "base64 data.bin | base64 -d | cmp - data.bin && echo same",
    "split": "split -b 20000 data.bin part. && ls part.*",
    "join": "sort text.txt > a; sort -r text.txt | sort > b; join a b | head -2000",
    "comm": "sort text.txt > a; comm a a | wc -l",
    "tac": ["tac", "text.txt"],
    "shuf": "shuf --random-source=data.bin text.txt | head -100",
    "fold": ["fold", "-w", "40", "text.txt"],
    "cp and mv": "cp -r tree tree2 && mv tree2 tree3 && find tree3 | sort",
    "dd": "dd if=data.bin of=copy.bin bs=4k status=none && cmp data.bin copy.bin && echo same",
    "grep": ["grep", "-n", "-E", "(leak|heap).*arena", "text.txt"],
    "grep -P": ["grep", "-P", "(?<=a)r", "text.txt"],
    "sed": ["sed", "-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g", "text.txt"],
    "awk": ["awk", "{for(i=1;i<=NF;i++)n[$i]++} END{for(w in n) s+=n[w]; print s}", "text.txt"],
    "xargs": "find tree -type f | sort | xargs -n 5 cat | sha256sum",
    "diff": "diff text.txt other.txt > change.patch; wc -l < change.patch",
    "patch": "diff text.txt other.txt > c.patch; patch -s text.txt c.patch; cmp text.txt other.txt",
    "tar": "tar --sort=name --mtime=@0 -cf t.tar tree && tar -tf t.tar | wc -l",
    "gzip": "gzip -n -k text.txt && gzip -dc text.txt.gz | cmp - text.txt && echo same",
    "bzip2": "bzip2 -k text.txt && bzip2 -dc text.txt.bz2 | cmp - text.txt && echo same",
    "xz": "xz -k -T2 data.bin && xz -dc data.bin.xz | cmp - data.bin && echo same",
    "zstd": "zstd -q -k data.bin && zstd -q -dc data.bin.zst | cmp - data.bin && echo same",
    "lz4": "lz4 -q data.bin d.lz4 && lz4 -q -d d.lz4 d2 && cmp d2 data.bin && echo same",
    "file": ["file", "data.bin", "text.txt", "words.c"],
    "strings": ["strings", "data.bin"],
    "bc": "echo 'scale=200; 4*a(1)' | bc -l",
    "jq": "jq '[.[] | select(.n > 50)] | length' data.json",
    # shells and interpreters
    "bash": ["bash", "-c", "for i in {1..3000}; do a[i]=$((i*i)); done; echo ${a[*]}"],
    "dash": ["dash", "-c", "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; echo $i"],
    "perl": ["perl", "-e", PERL, "text.txt"],
    "python": ["python3", "words.py"],
    "python -m compileall": "cp words.py w2.py; python3 -m compileall -q w2.py; echo $?",
    "python -m json.tool": ["python3", "-m", "json.tool", "data.json"],
    "python, processes": ["python3", "-c", "import multiprocessing as m\n"
                          "if __name__ == '__main__':\n"
                          "    with m.get_context('fork').Pool(2) as p: "
                          "print(sum(p.map(abs, range(-500, 500))))"],
    "python, threads": ["python3", "-c", "from concurrent.futures import ThreadPoolExecutor as T\n"
                        "with T(4) as t: print(sum(t.map(lambda n: len(bytes(n)), range(2000))))"],
    "python, sqlite3": ["python3", "-c", "import sqlite3\n"
                        "d = sqlite3.connect('d.db'); d.execute('create table t(a, b)')\n"
                        "d.executemany('insert into t values(?, ?)', [(i, str(i)) for i in "
                        "range(5000)]); d.commit()\n"
                        "print(d.execute('select sum(a), max(b) from t').fetchall())"],
    "node": ["node", "-e", JAVASCRIPT],
    "npm": ["npm", "--version"],
    "tclsh": "echo '" + TCL + "' | tclsh",
    "java": ["java", "-version"],
    # compilers and binaries
    "gcc": "gcc -O2 words.c -o words && ./words < text.txt",
    "g++": "g++ -O1 words.cpp -o words2 && ./words2 < text.txt",
    "clang": "clang -O2 words.c -o words3 && ./words3 < text.txt",
    "rustc": "echo 'fn main(){let v:Vec<u64>=(0..1000).collect();println!(\"{}\",v.iter()"
             ".sum::<u64>());}' > m.rs && rustc -O m.rs -o m && ./m",
    "as and ld": "gcc -S words.c -o w.s && as w.s -o w.o && gcc w.o -o w && ./w < text.txt | wc -l",
    "ar, nm, objdump": "gcc -c words.c -o w.o && ar rcD w.a w.o && nm w.a && objdump -d w.o | "
                       "wc -l",
    "readelf": "gcc words.c -o w && readelf -hS w | wc -l",
    "strip": "gcc -g words.c -o w && strip w && ./w < text.txt | wc -l",
    "make": "printf 'all: a b\\na b:\\n\\ttouch $@\\n' > Makefile && make -j2 --no-print-directory",
    "cmake": "mkdir p && printf 'cmake_minimum_required(VERSION 3.13)\\nproject(p C)\\n"
             "add_executable(w ../words.c)\\n' > p/CMakeLists.txt && cmake -S p -B p/b >/dev/null "
             "&& cmake --build p/b >/dev/null && p/b/w < text.txt",
    "gdb": "gcc -g words.c -o w && gdb -batch -ex 'info line main' w | grep -c words.c",
    # others
    "git": "cd repository && git log --oneline | wc -l && git gc -q && git fsck && git grep -c "
           "leak | sort",
    "sqlite3": "sqlite3 x.db 'create table t(a);with recursive c(n) as (select 1 union all select "
               "n+1 from c where n<20000) insert into t select n from c;select sum(a) from t;'",
    "openssl dgst": ["openssl", "dgst", "-sha512", "data.bin"],
    "openssl enc": "openssl enc -aes-256-cbc -pbkdf2 -nosalt -k x -in data.bin | openssl enc -d "
                   "-aes-256-cbc -pbkdf2 -nosalt -k x | cmp - data.bin && echo same",
    "ssh-keygen": "ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -l -f key | wc -w; rm key*",
    "curl": "curl -s file://$PWD/text.txt | sha256sum",
    "vim": "vim -es -u NONE -c '%s/leak/LEAK/g' -c 'wq! out.txt' text.txt; sha256sum out.txt",
    "convert": "convert -size 200x200 gradient: -blur 3 -depth 8 rgb:- | sha256sum",
}


def prepare(folder):
    """Fills a folder with the files that the commands read. The same each time."""
    folder = pathlib.Path(folder)
    pick = random.Random(1)
    lines = [" ".join(pick.choice(WORDS) for _ in range(8)) for _ in range(4000)]
    (folder / "text.txt").write_text("\n".join(lines) + "\n")
    (folder / "other.txt").write_text("\n".join(line for line in lines if "peak" not in line))
    (folder / "data.bin").write_bytes(pick.randbytes(300_000) + bytes(100_000))
    (folder / "data.json").write_text(
        "[" + ",".join(f'{{"n": {i % 100}, "s": "{i}"}}' for i in range(3000)) + "]")
    (folder / "words.c").write_text(C_SOURCE)
    (folder / "words.cpp").write_text(CPP_SOURCE)
    (folder / "words.py").write_text(PYTHON_SOURCE)
    for i in range(60):
        place = folder / "tree" / str(i % 7) / str(i % 3)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.txt").write_text(lines[i] * 20)
    repository = folder / "repository"
    repository.mkdir()
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    date = "2020-01-01T00:00:00Z"
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        for i in range(20):
            (repository / f"{i}.txt").write_text("\n".join(lines[i:i + 50]))
        subprocess.run(["git", *who, *command], cwd=repository, check=True,
                       env={"PATH": "/usr/bin:/bin", "HOME": str(folder), **dates})
