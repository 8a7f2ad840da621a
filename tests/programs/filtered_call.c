// run: manual
// filtered_call NUMBER [PROGRAM]   a system call is refused (EPERM) from here on
//
// Allocates before and after, or replaces itself by the program, which inherits the filter.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "support.h"

static void allocate(void) {
    for (int i = 0; i < 100000; ++i) free(malloc((size_t)(i % 5000)));
}

int main(int count, char** words) {
    CHECK(count > 1);
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(words[1]), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {4, steps};
    if (count == 2) allocate();
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
    if (count > 2) {
        setenv("LD_PRELOAD", getenv("LATER"), 1);
        execv(words[2], words + 2);
        return 98;
    }
    allocate();
    return 7;
}
