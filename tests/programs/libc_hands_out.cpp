// SPDX-License-Identifier: Apache-2.0
// run: manual
//
// Leaks what a function of the C library has handed out, what the program allocates while such a
// function calls it back, or what is like it, by name: the twins of libc_keeps.cpp. Without a name:
// prints all names.
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstab.h>
#include <libintl.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <printf.h>
#include <pthread.h>
#include <pwd.h>
#include <resolv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
#include <clocale>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include <string>

#include "tests/programs/ways.h"

namespace {

constexpr const char* file = "libc_hands_out.file";

void* volatile x;  // What was handed out is lost at the next value.

void set_locale() { setlocale(LC_ALL, "C.UTF-8"); }

void copy(const char* text) { x = strdup(text ? text : "nothing"); }

// A stream whose reads lose a block each.
FILE* losing_stream() {
    cookie_io_functions_t functions{};
    functions.read = [](void*, char* bytes, size_t size) -> ssize_t {
        static const char line[] = "root:x:0:0:root:/root:/bin/sh\n";
        static bool was_read;
        x = malloc(66);
        if (was_read || size < sizeof line) return 0;
        was_read = true;
        memcpy(bytes, line, sizeof line - 1);
        return sizeof line - 1;
    };
    functions.seek = [](void*, off64_t* place, int) { return *place = 0, 0; };
    return fopencookie(nullptr, "r", functions);
}

void* library() {
    char path[4096] = {};
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return nullptr;
    const std::string program = path;
    const std::string folder = program.substr(0, program.rfind('/'));
    return dlopen((folder + "/lib_keeps_thread_local.so").c_str(), RTLD_NOW);
}

// Writes what it gets to a text that nobody frees, and that only its bytes take from the heap.
struct LosingBuffer : std::streambuf {
    int overflow(int character) override {
        text->append(200, static_cast<char>(character));
        return character;
    }
    alignas(std::string) inline static char memory[sizeof(std::string)];
    std::string* text = new (memory) std::string;
};

constexpr Way ways[] = {
    {"wide_text",
     [] {
         set_locale();
         wchar_t b[100];
         mbstowcs(b, "hello", 100);
         x = wcsdup(b);
     }},
    {"wide_text_read",
     [] {
         set_locale();
         wchar_t* p = nullptr;
         sscanf("hello", "%mls", &p);
         x = p;
     }},
    {"wide_stream",
     [] {
         set_locale();
         FILE* f = fopen(file, "w");
         fwprintf(f, L"h\n");
     }},
    {"wide_memory_stream",
     [] {
         static wchar_t* p;
         size_t n;
         set_locale();
         FILE* f = open_wmemstream(&p, &n);
         for (int i = 0; i < 10000; ++i) fputws(L"hello", f);
         fclose(f);
     }},
    {"open_with_character_set",
     [] {
         FILE* f = fopen(file, "w,ccs=UTF-8");
         fwprintf(f, L"h\n");
     }},
    {"printf_calls_back",
     [] {
         register_printf_specifier(
             'Y', [](FILE*, const printf_info*, const void* const*) { return x = malloc(71), 0; },
             [](const printf_info*, size_t, int*, int*) { return 0; });
         set_locale();
         const char* format = "%ls %Y\n";
         printf(format, L"h");
     }},
    {"duplocale", [] { x = duplocale(LC_GLOBAL_LOCALE); }},
    {"codeset", [] { copy(bind_textdomain_codeset("x", "UTF-8")); }},
    {"host",
     [] {
         addrinfo wanted{}, *found = nullptr;
         wanted.ai_flags = AI_CANONNAME;
         wanted.ai_family = AF_INET6;
         if (getaddrinfo("localhost", "http", &wanted, &found)) x = malloc(72);
         else x = found;
     }},
    {"host_asked_asynchronously",
     [] {
         gaicb request{};
         request.ar_name = "127.0.0.1";
         gaicb* list[] = {&request};
         getaddrinfo_a(GAI_WAIT, list, 1, nullptr);
         x = request.ar_result;
     }},
    {"host_name",
     [] {
         char host[100] = {};
         sockaddr_in any{};
         any.sin_family = AF_INET;
         getnameinfo(reinterpret_cast<sockaddr*>(&any), sizeof any, host, sizeof host, nullptr, 0,
                     0);
         copy(host);
     }},
    {"service",
     [] {
         const servent* s = getservbyname("http", "tcp");
         copy(s ? s->s_name : nullptr);
     }},
    {"protocol",
     [] {
         const protoent* p = getprotobynumber(6);
         copy(p ? p->p_name : nullptr);
     }},
    {"user",
     [] {
         const passwd* p = getpwnam("root");
         copy(p ? p->pw_dir : nullptr);
     }},
    {"all_users",
     [] {
         while (const passwd* p = getpwent()) copy(p->pw_name);
         endpwent();
     }},
    {"reading_of_a_user",
     [] {
         FILE* f = losing_stream();
         fgetpwent(f);
         fclose(f);
     }},
    {"stream_of_users",
     [] {
         FILE* f = fopen("/etc/passwd", "r");
         fgetpwent(f);
     }},
    {"own_resolver",
     [] {
         static struct __res_state state;
         unsigned char b[1000];
         res_ninit(&state);
         res_nquery(&state, "nosuch.invalid", 1, 1, b, sizeof b);
     }},
    {"answer_of_a_name_server",
     [] {
         x = malloc(1000);
         res_query("nosuch.invalid", 1, 1, static_cast<unsigned char*>(x), 1000);
     }},
    {"request",
     [] {
         aiocb* request = static_cast<aiocb*>(calloc(1, sizeof(aiocb)));
         request->aio_fildes = open(file, O_RDWR | O_CREAT, 0600);
         aio_fsync(O_SYNC, request);
         while (aio_error(request) == EINPROGRESS) usleep(100);
         aio_return(request);
         x = request;
     }},
    {"end_of_a_request",
     [] {
         static aiocb request;
         static volatile bool is_done;
         request.aio_fildes = open(file, O_RDWR | O_CREAT, 0600);
         request.aio_sigevent.sigev_notify = SIGEV_THREAD;
         request.aio_sigevent.sigev_notify_function = [](sigval) {
             x = malloc(73);
             is_done = true;
         };
         aio_fsync(O_SYNC, &request);
         while (!is_done) usleep(100);
         aio_return(&request);
     }},
    {"atfork",
     [] {
         for (int i = 0; i < 100; ++i) pthread_atfork([] { x = malloc(74); }, nullptr, nullptr);
         if (fork() == 0) _exit(0);
         wait(nullptr);
     }},
    {"atexit",
     [] {
         for (int i = 0; i < 100; ++i) atexit([] { x = malloc(75); });
     }},
    {"destructor_of_a_thread_local",
     [] {
         struct Value {
             int value = 5;
             ~Value() { x = malloc(76); }
         };
         static thread_local Value value;
         ++value.value;
     }},
    {"value_of_a_key",
     [] {
         static pthread_key_t keys[100];
         for (auto& key : keys) pthread_key_create(&key, nullptr);
         pthread_setspecific(keys[99], malloc(78));
         pthread_setspecific(keys[99], nullptr);
     }},
    {"attributes_of_a_thread",
     [] {
         static pthread_attr_t a;
         cpu_set_t cpus;
         CPU_ZERO(&cpus);
         pthread_attr_init(&a), pthread_attr_setaffinity_np(&a, sizeof cpus, &cpus);
         pthread_setattr_default_np(&a);
     }},
    {"value_in_a_thread_local",
     [] {
         void* opened = library();
         reinterpret_cast<void (*)()>(dlsym(opened, "lose_in_thread_local"))();
     }},
    {"number",
     [] {
         int point, sign;
         copy(fcvt(1e300, 2, &point, &sign));
     }},
    {"password", [] { copy(getpass("?")); }},
    {"file_systems", [] { x = setmntent("/etc/passwd", "r"); }},
    {"error_of_the_loader",
     [] {
         dlsym(RTLD_DEFAULT, "nowhere");
         copy(dlerror());
     }},
    {"text_of_numbers",
     [] {
         LosingBuffer buffer;
         std::ostream out(&buffer);
         out << 12345;
     }},
    {"text_of_money",
     [] {
         LosingBuffer buffer;
         std::ostream out(&buffer);
         out << std::put_money("12345");
     }},
    {"money",
     [] {
         auto* text = new std::string;
         std::istringstream in("12345");
         in >> std::get_money(*text);
         x = text;
     }},
    {"words_of_a_stream",
     [] {
         auto* stream = new std::ostringstream;
         for (int i = 0; i < 20; ++i) stream->iword(std::ios_base::xalloc()) = i;
         x = stream;
     }},
};

}  // namespace

int main(int count, char** arguments) { return run_way(ways, count, arguments); }
