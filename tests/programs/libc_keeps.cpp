// SPDX-License-Identifier: Apache-2.0
// run: manual
//
// Runs one of many things that programs do with the C library, by its name: libraries_keep.cpp has
// the more usual ones. None of them leaks, and each leaves memory that the C library keeps. Without
// a name: prints all names.
#include <aio.h>
#include <aliases.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fstab.h>
#include <grp.h>
#include <gshadow.h>
#include <libintl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <printf.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <regex.h>
#include <resolv.h>
#include <rpc/netdb.h>
#include <shadow.h>
#include <sys/socket.h>
#include <threads.h>
#include <uchar.h>
#include <unistd.h>
#include <utmp.h>
#include <wchar.h>
#include <clocale>
#include <cstdlib>
#include <iostream>
#include <locale>
#include <string>

#include "tests/programs/ways.h"

namespace {

constexpr const char* file = "libc_keeps.file";

void set_locale() { setlocale(LC_ALL, "C.UTF-8"); }

void look_up(const char* host, const char* service, int family, int flags) {
    addrinfo wanted{};
    wanted.ai_family = family;
    wanted.ai_flags = flags;
    addrinfo* found = nullptr;
    if (getaddrinfo(host, service, &wanted, &found) == 0) freeaddrinfo(found);
}

void name_of(const sockaddr* address, socklen_t size) {
    char host[100], service[100];
    getnameinfo(address, size, host, sizeof host, service, sizeof service, 0);
}

// Asks for an address of all zeros, which no host has.
template <typename Function>
void ask_for_any(Function by_address) {
    in_addr any{};
    by_address(&any);
}

// Reads the first line of a file by a function like fgetpwent().
template <typename Function>
void read_line(const char* path, Function read) {
    FILE* f = fopen(path, "r");
    if (!f) return;
    read(f);
    fclose(f);
}

template <typename Function>
void do_asynchronously(Function start) {
    static char bytes[100];
    static aiocb request;
    request.aio_fildes = open(file, O_RDWR | O_CREAT, 0600);
    request.aio_buf = bytes;
    request.aio_nbytes = sizeof bytes;
    request.aio_lio_opcode = LIO_READ;
    start(&request);
    while (aio_error(&request) == EINPROGRESS) usleep(100);
    aio_return(&request);
    close(request.aio_fildes);
}

void* library() {
    char path[4096] = {};
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return nullptr;
    const std::string program = path;
    const std::string folder = program.substr(0, program.rfind('/'));
    return dlopen((folder + "/lib_keeps_thread_local.so").c_str(), RTLD_NOW);
}

constexpr Way ways[] = {
    {"printf_wide", [] { set_locale(), printf("%ls\n", L"h"); }},
    {"printf_wide_character", [] { set_locale(), printf("%lc\n", L'h'); }},
    {"snprintf_wide",
     [] {
         char b[100];
         set_locale(), snprintf(b, 100, "%ls", L"h");
     }},
    {"sscanf_wide",
     [] {
         wchar_t b[100];
         set_locale(), sscanf("hello", "%ls", b);
     }},
    {"wprintf", [] { set_locale(), wprintf(L"h\n"); }},
    {"fwprintf", [] { set_locale(), fwprintf(stderr, L"h\n"); }},
    {"getwchar", [] { set_locale(), getwchar(); }},
    {"wcout", [] { set_locale(), std::wcout << L"h" << std::endl; }},
    {"wcerr", [] { set_locale(), std::wcerr << L"h"; }},
    {"wcin",
     [] {
         std::wstring s;
         set_locale(), std::wcin >> s;
     }},
    {"mbtowc",
     [] {
         wchar_t c;
         set_locale(), mbtowc(&c, "h", 1);
     }},
    {"mbtowc_state", [] { set_locale(), mbtowc(nullptr, nullptr, 0); }},
    {"mblen", [] { set_locale(), mblen("h", 1); }},
    {"wctomb",
     [] {
         char b[100];
         set_locale(), wctomb(b, L'h');
     }},
    {"mbstowcs",
     [] {
         wchar_t b[100];
         set_locale(), mbstowcs(b, "h", 100);
     }},
    {"wcstombs",
     [] {
         char b[100];
         set_locale(), wcstombs(b, L"h", 100);
     }},
    {"mbrtowc",
     [] {
         wchar_t c;
         mbstate_t state{};
         set_locale(), mbrtowc(&c, "h", 1, &state);
     }},
    {"mbrtoc16",
     [] {
         char16_t c;
         mbstate_t state{};
         set_locale(), mbrtoc16(&c, "h", 1, &state);
     }},
    {"mbsnrtowcs",
     [] {
         wchar_t b[100];
         const char* text = "h";
         mbstate_t state{};
         set_locale(), mbsnrtowcs(b, &text, 1, 100, &state);
     }},
    {"wcsnrtombs",
     [] {
         char b[100];
         const wchar_t* text = L"h";
         mbstate_t state{};
         set_locale(), wcsnrtombs(b, &text, 1, 100, &state);
     }},
    {"mbsrtowcs",
     [] {
         wchar_t b[100];
         const char* text = "h";
         mbstate_t state{};
         set_locale(), mbsrtowcs(b, &text, 100, &state);
     }},
    {"wcrtomb",
     [] {
         char b[100];
         mbstate_t state{};
         set_locale(), wcrtomb(b, L'h', &state);
     }},
    {"btowc", [] { set_locale(), btowc(200); }},
    {"wctob", [] { set_locale(), wctob(0xe9); }},
    {"wcsftime",
     [] {
         wchar_t b[100];
         tm t{};
         set_locale(), wcsftime(b, 100, L"%c", &t);
     }},
    {"fnmatch", [] { set_locale(), fnmatch("a*[b-d]", "axb", 0); }},
    {"regcomp",
     [] {
         regex_t r;
         set_locale(), regcomp(&r, "a[[:alpha:]]+", REG_EXTENDED | REG_ICASE), regfree(&r);
     }},
    {"rpmatch", [] { set_locale(), rpmatch("yes"); }},
    {"open_with_character_set",
     [] {
         FILE* f = fopen(file, "w,ccs=UTF-8");
         fwprintf(f, L"h\n");
         fclose(f);
     }},
    {"newlocale",
     [] {
         locale_t l = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
         freelocale(l);
     }},
    {"codeset", [] { bind_textdomain_codeset("x", "UTF-8"); }},
    {"messages",
     [] {
         const std::locale l("C.UTF-8");
         const auto& m = std::use_facet<std::messages<char>>(l);
         const auto c = m.open("x", l);
         if (c >= 0) m.close(c);
     }},
    {"no_host", [] { look_up("nosuch.invalid", "80", AF_UNSPEC, 0); }},
    {"canonical_name", [] { look_up("localhost", "http", AF_INET6, AI_CANONNAME); }},
    {"international_host", [] { set_locale(), look_up("b\xc3\xbc.invalid", "80", 0, AI_IDN); }},
    {"getaddrinfo_a",
     [] {
         gaicb request{};
         request.ar_name = "localhost";
         gaicb* list[] = {&request};
         getaddrinfo_a(GAI_WAIT, list, 1, nullptr);
         if (request.ar_result) freeaddrinfo(request.ar_result);
     }},
    {"getnameinfo",
     [] {
         sockaddr_in any{};
         any.sin_family = AF_INET;
         name_of(reinterpret_cast<sockaddr*>(&any), sizeof any);
     }},
    {"gethostbyname2", [] { gethostbyname2("nosuch.invalid", AF_INET6); }},
    {"gethostbyaddr", [] { ask_for_any([](in_addr* a) { gethostbyaddr(a, 4, AF_INET); }); }},
    {"gethostent", [] { gethostent(), endhostent(); }},
    {"getnetbyname", [] { getnetbyname("loopback"); }},
    {"getnetbyaddr", [] { getnetbyaddr(127, AF_INET); }},
    {"getnetent", [] { getnetent(), endnetent(); }},
    {"getservbyname", [] { getservbyname("http", "tcp"); }},
    {"getservbyport", [] { getservbyport(htons(80), "tcp"); }},
    {"getservent", [] { getservent(), endservent(); }},
    {"getprotobyname", [] { getprotobyname("tcp"); }},
    {"getprotobynumber", [] { getprotobynumber(6); }},
    {"getprotoent", [] { getprotoent(), endprotoent(); }},
    {"getrpcbyname", [] { getrpcbyname("portmapper"); }},
    {"getrpcbynumber", [] { getrpcbynumber(100000); }},
    {"getrpcent", [] { getrpcent(), endrpcent(); }},
    {"getaliasbyname", [] { getaliasbyname("x"); }},
    {"getaliasent", [] { getaliasent(), endaliasent(); }},
    {"getnetgrent",
     [] {
         char *host, *user, *domain;
         setnetgrent("x"), getnetgrent(&host, &user, &domain), endnetgrent();
     }},
    {"getpwnam", [] { getpwnam("root"); }},
    {"getpwent",
     [] {
         while (getpwent()) {
         }
         endpwent();
     }},
    {"getgrnam", [] { getgrnam("root"); }},
    {"getgrent", [] { getgrent(), endgrent(); }},
    {"getspnam", [] { getspnam("root"); }},
    {"getspent", [] { getspent(), endspent(); }},
    {"sgetspent", [] { sgetspent("root:x:1:1:1:1:1:1:"); }},
    {"getsgnam", [] { getsgnam("root"); }},
    {"getsgent", [] { getsgent(), endsgent(); }},
    {"sgetsgent", [] { sgetsgent("root:x:a:b"); }},
    {"fgetpwent", [] { read_line("/etc/passwd", fgetpwent); }},
    {"fgetgrent", [] { read_line("/etc/group", fgetgrent); }},
    {"fgetspent", [] { read_line("/etc/passwd", fgetspent); }},
    {"res_init", [] { res_init(); }},
    {"res_query",
     [] {
         unsigned char b[1000];
         res_query("nosuch.invalid", 1, 1, b, sizeof b);
     }},
    {"res_search",
     [] {
         unsigned char b[1000];
         res_search("nosuch.invalid", 1, 1, b, sizeof b);
     }},
    {"res_querydomain",
     [] {
         unsigned char b[1000];
         res_querydomain("nosuch", "invalid", 1, 1, b, sizeof b);
     }},
    {"res_mkquery",
     [] {
         unsigned char b[1000];
         res_mkquery(0, "nosuch.invalid", 1, 1, nullptr, 0, nullptr, b, sizeof b);
     }},
    {"res_ninit",
     [] {
         static struct __res_state state;
         res_ninit(&state), res_nclose(&state);
     }},
    {"aio_read", [] { do_asynchronously(aio_read); }},
    {"aio_write", [] { do_asynchronously(aio_write); }},
    {"aio_fsync", [] { do_asynchronously([](aiocb* r) { return aio_fsync(O_SYNC, r); }); }},
    {"lio_listio",
     [] { do_asynchronously([](aiocb* r) { return lio_listio(LIO_WAIT, &r, 1, nullptr); }); }},
    {"atfork",
     [] {
         for (int i = 0; i < 100; ++i) pthread_atfork(nullptr, nullptr, nullptr);
     }},
    {"at_quick_exit",
     [] {
         for (int i = 0; i < 100; ++i) at_quick_exit([] {});
     }},
    {"leaves_before_destructors",
     [] {
         struct Value {
             int value = 5;
             ~Value() { value = 0; }
         };
         static thread_local Value value;
         ++value.value;
         fflush(stdout), _exit(0);
     }},
    {"thread_keys",
     [] {
         static pthread_key_t keys[100];
         for (auto& key : keys) pthread_key_create(&key, nullptr);
         pthread_setspecific(keys[99], keys);
     }},
    {"tss",
     [] {
         static tss_t keys[100];
         for (auto& key : keys) tss_create(&key, nullptr);
         tss_set(keys[99], keys);
     }},
    {"default_attributes_of_threads",
     [] {
         pthread_attr_t a;
         cpu_set_t cpus;
         CPU_ZERO(&cpus);
         pthread_attr_init(&a), pthread_attr_setaffinity_np(&a, sizeof cpus, &cpus);
         pthread_setattr_default_np(&a), pthread_attr_destroy(&a);
     }},
    {"thread_local_of_a_library",
     [] {
         void* opened = library();
         reinterpret_cast<int (*)()>(dlsym(opened, "first_of_table"))();
     }},
    {"register_printf",
     [] {
         register_printf_specifier(
             'Y', [](FILE*, const printf_info*, const void* const*) { return 0; },
             [](const printf_info*, size_t, int*, int*) { return 0; });
         register_printf_modifier(L"QQ");
         register_printf_type([](void*, va_list*) {});
     }},
    {"ttyname",
     [] {
         int first, second;
         if (openpty(&first, &second, nullptr, nullptr, nullptr)) return;
         ttyname(second), close(first), close(second);
     }},
    {"getpass", [] { getpass("?"); }},
    {"utmp",
     [] {
         utmp one{};
         one.ut_type = USER_PROCESS;
         utmpname(file), setutent(), getutent(), getutid(&one), getutline(&one), endutent();
     }},
    {"fcvt",
     [] {
         int point, sign;
         fcvt(1e300, 2, &point, &sign);
         qfcvt(1e300L, 2, &point, &sign);
     }},
    {"setfsent", [] { setfsent(), endfsent(); }},
    {"getfsent", [] { getfsent(), endfsent(); }},
    {"getfsspec", [] { getfsspec("x"), endfsent(); }},
    {"getfsfile", [] { getfsfile("x"), endfsent(); }},
    {"dlsym", [] { dlsym(RTLD_DEFAULT, "nowhere"); }},
    {"dlvsym", [] { dlvsym(RTLD_DEFAULT, "nowhere", "GLIBC_2.2.5"); }},
    {"dlmopen", [] { dlmopen(LM_ID_BASE, "/nowhere.so", RTLD_NOW); }},
};

}  // namespace

int main(int count, char** arguments) { return run_way(ways, count, arguments); }
