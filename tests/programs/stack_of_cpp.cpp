// truth: allocations=2 frees=0 bytes=444+555 leaked_blocks=2 leaked_bytes=999
// run: scope=own
// C++ names, a template, a lambda, and a function that is inlined yet shown with its own line.
#include "support.h"

namespace shapes {

static void* volatile kept[2];

struct Circle {
    __attribute__((noinline)) void fill(size_t size) {
        kept[0] = ::operator new(size);  // line: fill
        __asm__ volatile("");
    }
};

__attribute__((always_inline)) inline void inlined_step(Circle& circle) {
    circle.fill(444);  // line: inlined_step
}

template <class T>
__attribute__((noinline)) void draw(T& shape) {
    inlined_step(shape);  // line: draw
    __asm__ volatile("");
}

}  // namespace shapes

int main() {
    shapes::Circle circle;
    shapes::draw(circle);  // line: main draw
    auto lambda = [](size_t size) __attribute__((noinline)) {
        shapes::kept[1] = malloc(size);  // line: lambda
        __asm__ volatile("");
    };
    lambda(555);  // line: main lambda
    return 0;
}
