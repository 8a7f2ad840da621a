// SPDX-License-Identifier: Apache-2.0
// truth: leak=open_session
// Sessions are closed after a while, but one in twenty is forgotten.
#include <deque>
#include "leaks.h"

struct Session {
    long number;
    char state[300];
};
static auto& open = *new std::deque<Session*>;

PLACE static void open_session(long i) { open.push_back(new Session{i, {}}); }

static void step(long i) {
    work(5);
    open_session(i);
    if (open.size() < 50) return;
    Session* const oldest = open.front();
    open.pop_front();
    if (oldest->number % 20 != 7) delete oldest;
}

int main() { run_steps(4000, step); }
