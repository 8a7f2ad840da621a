// truth: allocations=9 frees=8 bytes=6*40+2*64+41 leaked_blocks=1 leaked_bytes=41
// run: scope=own
// Every form of operator new and delete is one block each: the malloc underneath is not a second
// one. libstdc++ requests aligned blocks in multiples of the alignment, so two of them have 64
// bytes.
#include <new>

#include "support.h"

int main() {
    const auto wide = std::align_val_t{64};
    ::operator delete(::operator new(40));
    ::operator delete (::operator new(40), size_t{40});
    ::operator delete[](::operator new[](40));
    ::operator delete[](::operator new[](40), size_t{40});
    ::operator delete(::operator new(40, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](40, std::nothrow), std::nothrow);
    ::operator delete(::operator new(40, wide), wide);
    ::operator delete[](::operator new[](40, wide, std::nothrow), wide, std::nothrow);
    static void* volatile kept;
    kept = new char[41];
    say("done\n");
    return 0;
}
