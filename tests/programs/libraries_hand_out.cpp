// SPDX-License-Identifier: Apache-2.0
// run: manual
//
// Leaks what a function of the C or the C++ library has handed out, or what is like it, by name:
// the twins of libraries_keep.cpp. Without a name: prints all names.
#include <dirent.h>
#include <glob.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <pthread.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <unistd.h>
#include <wchar.h>
#include <wordexp.h>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <locale>
#include <string>
#include <thread>

namespace {

constexpr const char* file = "libraries_hand_out.file";

void* volatile x;  // What was handed out is lost at the next value.

struct Way {
    const char* name;
    void (*run)();
};
constexpr Way ways[] = {
    {"strdup", [] { x = strdup("hello"); }},
    {"fopen",
     [] {
         FILE* f = fopen(file, "w");
         fputs("x", f);
     }},
    {"popen", [] { x = popen("true", "r"); }},
    {"asprintf",
     [] {
         char* p;
         if (asprintf(&p, "%s %d %500d", "x", 5, 7)) x = p;
     }},
    {"getline",
     [] {
         char* p = nullptr;
         size_t n = 0;
         FILE* f = fopen("/etc/passwd", "r");
         if (getline(&p, &n, f)) {
         }
         fclose(f);
         x = p;
     }},
    {"memstream",
     [] {
         char* p;
         size_t n;
         FILE* f = open_memstream(&p, &n);
         for (int i = 0; i < 10000; ++i) fputs("hello", f);
         fclose(f);
         x = p;
     }},
    {"realpath", [] { x = realpath("/tmp", nullptr); }},
    {"getcwd", [] { x = getcwd(nullptr, 0); }},
    {"getaddrinfo",
     [] {
         addrinfo* a;
         if (getaddrinfo("localhost", "80", nullptr, &a)) return;
         x = a;
     }},
    {"canonname",
     [] {
         addrinfo h{};
         h.ai_flags = AI_CANONNAME;
         addrinfo* a;
         if (getaddrinfo("localhost", "80", &h, &a)) return;
         x = a;
     }},
    {"getifaddrs",
     [] {
         ifaddrs* a;
         if (getifaddrs(&a)) return;
         x = a;
     }},
    {"iconv", [] { x = iconv_open("UTF-16", "UTF-8"); }},
    {"regcomp",
     [] {
         static regex_t r;
         regcomp(&r, "a(b|c)*d[xyz]+", REG_EXTENDED);
     }},
    {"opendir", [] { x = opendir("/tmp"); }},
    {"scandir",
     [] {
         dirent** n;
         if (scandir("/etc", &n, nullptr, alphasort)) {
         }
         x = n;
     }},
    {"glob",
     [] {
         static glob_t g;
         glob("/etc/*", 0, nullptr, &g);
     }},
    {"wordexp",
     [] {
         static wordexp_t e;
         wordexp("a b $HOME c", &e, 0);
     }},
    {"tsearch",
     [] {
         void* root = nullptr;
         tsearch("a", &root,
                 [](const void* a, const void* b) { return strcmp((char*)a, (char*)b); });
     }},
    {"newlocale", [] { x = (void*)newlocale(LC_ALL_MASK, "C.UTF-8", nullptr); }},
    {"locale", [] { x = new std::locale("C.UTF-8"); }},
    {"wcsdup", [] { x = wcsdup(L"x"); }},
    {"ostream",
     [] {
         struct B : std::streambuf {
             int overflow(int ch) override {
                 leak = malloc(77);
                 return ch;
             }
             void* leak;
         };
         B b;
         std::ostream o(&b);
         o << 5;
     }},
    {"fdopen", [] { x = fdopen(dup(1), "w"); }},
    {"tmpfile", [] { x = tmpfile(); }},
    {"thread",
     [] {
         for (int i = 0; i < 3; ++i) new std::thread([] { usleep(1000); });
         usleep(50000);
     }},
    {"inthread",
     [] {
         std::thread([] {
             void* volatile y = malloc(99);
             (void)y;
         }).join();
     }},
    {"setvbuf", [] { setvbuf(stdout, (char*)malloc(5000), _IOFBF, 5000), puts("x"); }},
    {"printf",
     [] {
         char* text = static_cast<char*>(calloc(10, 1));
         printf("%s", text);
         x = text;
     }},
    {"own",
     [] {
         struct L {
             static void* f() { return malloc(33); }
         };
         x = L::f();
     }},
};

}  // namespace

int main(int count, char** arguments) {
    for (const auto& [name, run] : ways) {
        if (count < 2) puts(name);
        else if (strcmp(arguments[1], name) == 0) run();
    }
    return 0;
}
