// SPDX-License-Identifier: Apache-2.0
//
// Stories of the choice between following a stack and walking it.
#include "preload/follow_choice.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("stacks are followed as long as most of them are known", "[follow_choice]") {
    FollowChoice choice;
    for (int i = 0; i < 100'000; ++i) {
        CHECK(choice.is_on());
        if (i % 20 == 0) choice.note_unknown();
        else choice.note_known();
    }
}

TEST_CASE("many unknown stacks end it for a while", "[follow_choice]") {
    FollowChoice choice;
    int followed = 0;
    while (choice.is_on() && followed < 10'000) {
        ++followed;
        if (followed % 3 == 0) choice.note_unknown();
        else choice.note_known();
    }
    CHECK(followed > 100);
    CHECK(followed < 1'000);
    int walked = 1;
    while (!choice.is_on() && walked < 100'000) ++walked;
    CHECK(walked > 10 * followed);
    CHECK(walked < 100'000);
    choice.note_unknown();
    CHECK(choice.is_on());  // What was before is forgotten.
}

TEST_CASE("a stack that comes three times in a row had better be remembered", "[follow_choice]") {
    FollowChoice choice;
    CHECK_FALSE(choice.is_repeated(7));
    CHECK_FALSE(choice.is_repeated(7));
    CHECK(choice.is_repeated(7));
    CHECK_FALSE(choice.is_repeated(8));
    CHECK_FALSE(choice.is_repeated(7));
    CHECK_FALSE(choice.is_repeated(8));
    for (int i = 0; i < 10; ++i) {
        CHECK_FALSE(choice.is_repeated(9));
        choice.note_remembered();
    }
}

TEST_CASE("stacks that are all far away are walked for a while", "[follow_choice]") {
    FollowChoice choice;
    int tries = 0;
    for (int i = 0; i < 10'000; ++i) {
        if (!choice.is_on()) continue;
        ++tries;
        choice.note_far();
    }
    CHECK(tries < 1'000);
    CHECK(tries > 100);  // They may come nearer.

    FollowChoice mixed;
    for (int i = 0; i < 10'000; ++i) {
        CHECK(mixed.is_on());
        if (i % 5 == 0) mixed.note_near();
        else mixed.note_far();
    }
}
