// SPDX-License-Identifier: Apache-2.0
// run: manual
//
// Runs one of many things that ordinary programs do with the C and the C++ library, by its name.
// None of them leaks, and each leaves memory that the library keeps. Without a name: prints all
// names.
#include <dlfcn.h>
#include <iconv.h>
#include <libintl.h>
#include <netdb.h>
#include <pwd.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <mutex>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

namespace {

constexpr const char* file = "libraries_keep.file";

struct Way {
    const char* name;
    void (*run)();
};
constexpr Way ways[] = {
    {"puts", [] { puts("hello"); }},
    {"printf", [] { printf("%d %f %s\n", 1, 2.5, "x"); }},
    {"fprintf", [] { fprintf(stderr, "err\n"); }},
    {"putchar", [] { putchar('\n'); }},
    {"fwrite", [] { fwrite("abc\n", 1, 4, stdout); }},
    {"getchar", [] { getchar(); }},
    {"fgets",
     [] {
         char b[100];
         if (!fgets(b, 100, stdin)) {
         }
     }},
    {"scanf",
     [] {
         int i;
         if (scanf("%d", &i)) {
         }
     }},
    {"wprintf", [] { wprintf(L"wide %ls\n", L"x"); }},
    {"fputs", [] { fputs("x\n", stdout); }},
    {"perror", [] { perror("x"); }},
    {"vprintf", [] { printf("%*d\n", 300, 5); }},
    {"cout", [] { std::cout << "hi" << std::endl; }},
    {"cin",
     [] {
         std::string s;
         std::cin >> s;
     }},
    {"cerr", [] { std::cerr << "err\n"; }},
    {"wcout", [] { std::wcout << L"w" << std::endl; }},
    {"sync",
     [] {
         std::ios::sync_with_stdio(false);
         std::cout << "x\n";
         std::string s;
         std::cin >> s;
     }},
    {"localtime",
     [] {
         time_t t = time(nullptr);
         std::cout << localtime(&t)->tm_hour << "\n";
     }},
    {"strftime",
     [] {
         time_t t = time(nullptr);
         char b[100];
         tm m;
         localtime_r(&t, &m);
         strftime(b, 100, "%c %Z", &m);
         puts(b);
     }},
    {"setlocale",
     [] {
         setlocale(LC_ALL, "C.UTF-8");
         setlocale(LC_ALL, "");
     }},
    {"locale",
     [] {
         std::locale l("C.UTF-8");
         std::locale::global(l);
         std::ostringstream s;
         s.imbue(l);
         s << 12345.5;
     }},
    {"numbers",
     [] {
         std::locale::global(std::locale("C.UTF-8"));
         std::wostringstream out;
         out << 5 << 2.5 << std::boolalpha << true;
         std::istringstream in("5 2.5 true");
         int i;
         double d;
         bool b;
         in >> i >> d >> std::boolalpha >> b;
     }},
    {"money",
     [] {
         std::locale::global(std::locale("C.UTF-8"));
         std::wostringstream out;
         out << std::put_money(L"12345");
         std::istringstream in("123.45");
         long double d;
         in >> std::get_money(d);
     }},
    {"words_of_a_stream",
     [] {
         for (int i = 0; i < 20; ++i) std::cout.iword(std::ios_base::xalloc()) = i;
     }},
    {"thread", [] { std::thread([] {}).join(); }},
    {"threads",
     [] {
         std::thread t[8];
         for (auto& x : t) x = std::thread([] { usleep(1000); });
         for (auto& x : t) x.join();
     }},
    {"detached",
     [] {
         std::thread([] {}).detach();
         usleep(20000);
     }},
    {"async", [] { std::async(std::launch::async, [] { return 1; }).get(); }},
    {"getaddrinfo",
     [] {
         addrinfo* a = nullptr;
         if (!getaddrinfo("localhost", "80", nullptr, &a)) freeaddrinfo(a);
     }},
    {"gethostbyname", [] { gethostbyname("localhost"); }},
    {"getpwuid", [] { getpwuid(getuid()); }},
    {"dlopen",
     [] {
         void* h = dlopen("libm.so.6", RTLD_NOW);
         dlclose(h);
     }},
    {"dlopenz",
     [] {
         void* h = dlopen("libz.so.1", RTLD_NOW);
         if (h) dlclose(h);
     }},
    {"dlerror",
     [] {
         dlopen("/nowhere.so", RTLD_NOW);
         dlerror();
     }},
    {"gettext",
     [] {
         bindtextdomain("x", "/tmp");
         textdomain("x");
         gettext("hi");
     }},
    {"iconv",
     [] {
         iconv_t i = iconv_open("UTF-16", "UTF-8");
         iconv_close(i);
     }},
    {"setenv",
     [] {
         setenv("XX", "yy", 1);
         setenv("XX", "zz", 1);
         unsetenv("XX");
     }},
    {"putenv",
     [] {
         static char e[] = "A=b";
         putenv(e);
     }},
    {"exception",
     [] {
         try {
             throw 1;
         } catch (int) {
         }
     }},
    {"regex",
     [] {
         std::regex r("a+b");
         std::regex_match("aab", r);
     }},
    {"random",
     [] {
         std::random_device r;
         r();
         srand(1);
         rand();
     }},
    {"fs",
     [] {
         for (auto& e : std::filesystem::directory_iterator(".")) (void)e;
     }},
    {"ofstream",
     [] {
         std::ofstream f(file);
         f << "x";
     }},
    {"fopen",
     [] {
         FILE* f = fopen("/etc/passwd", "r");
         char b[10];
         if (fread(b, 1, 10, f)) {
         }
         fclose(f);
     }},
    {"popen",
     [] {
         FILE* f = popen("true", "r");
         pclose(f);
     }},
    {"system",
     [] {
         if (system("true")) {
         }
     }},
    {"atexit",
     [] {
         for (int i = 0; i < 100; ++i) atexit([] {});
     }},
    {"threadlocal",
     [] {
         thread_local std::string s(100, 'x');
         s += "x";
     }},
    {"strerror",
     [] {
         strerror(12345);
         strsignal(99);
     }},
    {"tmpfile",
     [] {
         FILE* f = tmpfile();
         fclose(f);
     }},
    {"qsort",
     [] {
         int* a = new int[100000];
         qsort(a, 100000, 4, [](const void* x, const void* y) { return *(int*)x - *(int*)y; });
         delete[] a;
     }},
    {"ttyname", [] { ttyname(0); }},
    {"getlogin", [] { getlogin(); }},
    {"asctime",
     [] {
         time_t t = 0;
         puts(ctime(&t));
     }},
    {"mktime",
     [] {
         tm m{};
         m.tm_year = 100;
         mktime(&m);
     }},
    {"sem",
     [] {
         std::once_flag f;
         std::call_once(f, [] {});
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
