// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: scope=own libraries=lib_throws_through_made_code
// Exceptions pass through code that is made at run time, one function after another at the same
// address.
#include "support.h"

extern "C" int thrown_through_made_code(int times);

int main() {
    CHECK(thrown_through_made_code(100) == 100 * 99 / 2);
    say("caught them all\n");
    return 0;
}
