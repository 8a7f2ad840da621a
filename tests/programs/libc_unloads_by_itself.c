// truth: oracle
// run: stderr=free
// libc loads a library for each character set that iconv_open() requests. It unloads the library
// when it has not been used for a while, without a call of dlclose(). Each opening of the first
// five makes one block in that library. The program makes sure that one library comes to the place
// of another.
#include <iconv.h>
#include <link.h>

#include "support.h"

enum { rounds = 40, sets = 7 };
static const struct {
    const char* name;
    const char* library;
} all[sets] = {
    {"UTF-16", "UTF-16"},    {"UTF-32", "UTF-32"},           {"UTF-7", "UTF-7"},
    {"ISO646-DE", "ISO646"}, {"ISO-2022-JP", "ISO-2022-JP"}, {"ISO-2022-KR", "ISO-2022-KR"},
    {"EUC-KR", "EUC-KR"}};

struct place {
    uintptr_t begin, end;
};
static struct place was[sets], is[sets];

static int look(struct dl_phdr_info* object, size_t size, void* context) {
    (void)size, (void)context;
    const char* slash = strrchr(object->dlpi_name, '/');
    if (strstr(object->dlpi_name, "/gconv/") == NULL) return 0;
    for (int i = 0; i < sets; ++i) {
        const size_t length = strlen(all[i].library);
        if (strncmp(slash + 1, all[i].library, length) != 0) continue;
        if (strcmp(slash + 1 + length, ".so") != 0) continue;
        const ElfW(Phdr)* last = &object->dlpi_phdr[object->dlpi_phnum - 1];
        for (; last->p_type != PT_LOAD; --last) {
        }
        is[i].begin = object->dlpi_addr;
        is[i].end = object->dlpi_addr + last->p_vaddr + last->p_memsz;
    }
    return 0;
}

int main(void) {
    int met = 0;
    for (int turn = 0; turn < rounds * sets; ++turn) {
        // Each as often as the others, forwards in one round and backwards in the next.
        const int i = turn / sets % 2 ? sets - 1 - turn % sets : turn % sets;
        iconv_t opened = iconv_open("UTF-8", all[i].name);
        if (opened == (iconv_t)-1) skip("libc has no converters here");
        memset(is, 0, sizeof is);
        dl_iterate_phdr(look, NULL);
        for (int k = 0; k < sets; ++k) {
            if (is[k].begin != 0) was[k] = is[k];
            else met += was[k].begin < is[i].end && was[k].end > is[i].begin;
        }
        iconv_close(opened);
    }
    if (met == 0) skip("no library came to where another one was");
    say("done\n");
    return 0;
}
