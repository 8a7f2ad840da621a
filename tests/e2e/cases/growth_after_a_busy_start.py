"""A start that takes nearly all events does not make the service behind it idle: what each request
keeps is found, and what only the start kept is not accused. A server that waits at night has no
plateau for that."""
from checks import growth_of_native, growth_of_python
from harness import expect, require

LOADS = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *kept[4000];
__attribute__((noinline)) static char *load(int i) { return calloc(1, 20 + i % 9); }
__attribute__((noinline)) static char *request(int i) { return calloc(1, 3000 + i % 9); }
int main(void) {
    static char *table[3000];
    for (int i = 0; i < 200000; ++i) {
        free(table[i % 3000]);
        table[i % 3000] = load(i);
    }
    for (int i = 0; i < 900; ++i) {
        if (KEEPS) kept[i] = request(i);
        else free(request(i));
        usleep(1000);
    }
    return 0;
}
"""

LETS_GO = r"""
#include <stdlib.h>
#include <unistd.h>
static char *table[50000], *kept[400];
__attribute__((noinline)) static char *request(int i) { return calloc(1, 20000 + i % 9); }
int main(void) {
    for (int i = 0; i < 50000; ++i) table[i] = calloc(1, 40);
    for (int i = 0; i < 50000; ++i) free(table[i]);
    for (int i = 0; i < 400; ++i) {
        kept[i] = request(i);
        usleep(2000);
    }
    return 0;
}
"""

NIGHT = r"""
#include <stdlib.h>
#include <unistd.h>
static char *kept[9000], *beats[900];
__attribute__((noinline)) static char *request(int i) { return malloc(500 + i % 9); }
__attribute__((noinline)) static char *heartbeat(void) { return malloc(16); }
static void day(int begin) {
    for (int i = begin; i < begin + 3000; ++i) {
        kept[i] = request(i);
        for (int k = 0; k < 9; ++k) free(request(k));
        if (i % 10 == 0) usleep(1000);
    }
}
int main(void) {
    day(0);
    for (int i = 0; i < 60; ++i) {
        beats[i] = heartbeat();
        usleep(10000);
    }
    day(3000);
    return 0;
}
"""

LOADS_IN_PYTHON = """
import time
def load():
    return sum(len(bytes(600 + i % 50)) for i in range(60000))
sessions = {}
def request(i):
    sessions[i % KEYS] = bytearray(9000)
def main():
    load()
    for i in range(500):
        request(i)
        time.sleep(0.002)
main()
"""


# Of one block that is enlarged (a dictionary's table) nothing is said here.
def places(growth, *verdicts):
    return {finding["own"]["function"] for finding in growth.findings(*verdicts)
            if finding["kept"] > 1}


def test():
    keeps = growth_of_native("serves", LOADS.replace("KEEPS", "1"))
    expect(places(keeps, "leak"), {"request"}, "a service that keeps")
    (leak,) = keeps.findings("leak")
    require(leak["kept"] > 850, f"{leak['kept']} of 900")
    calm = growth_of_native("calm", LOADS.replace("KEEPS", "0"))
    expect(calm.findings("leak"), [], "a service that keeps nothing")
    expect("request" in places(calm, "growing"), False, "its requests")
    lets_go = growth_of_native("lets_go", LETS_GO)
    expect(places(lets_go, "leak"), {"request"}, "a leak after all data of the start has gone")
    night = growth_of_native("night", NIGHT)
    expect("request" in places(night, "leak"), True, "requests of two days")
    served = growth_of_python("served", LOADS_IN_PYTHON.replace("KEYS", "100000"))
    expect("request" in places(served, "leak", "growing"), True, "a service in Python")
    bounded = growth_of_python("bounded", LOADS_IN_PYTHON.replace("KEYS", "50"))
    expect("request" in places(bounded, "leak", "growing"), False, "as many sessions as keys")
