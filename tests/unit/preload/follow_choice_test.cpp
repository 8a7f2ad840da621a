// SPDX-License-Identifier: Apache-2.0
//
// Stories of the choice between leaving the memo, moving it and walking.
#include "preload/follow_choice.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("the memo stays as long as most stacks are known", "[follow_choice]") {
    FollowChoice choice;
    for (int i = 0; i < 100'000; ++i) {
        CHECK(choice.leaves_memo());
        if (i % 20 == 0) choice.note_unknown();
        else choice.note_known();
    }
}

TEST_CASE("with many unknown stacks the memo follows them for a while", "[follow_choice]") {
    FollowChoice choice;
    int left = 0;
    while (choice.leaves_memo() && left < 10'000) {
        ++left;
        if (left % 3 == 0) choice.note_unknown();
        else choice.note_known();
    }
    CHECK(left > 100);
    CHECK(left < 1'000);
    int remembered = 1;
    while (!choice.leaves_memo() && remembered < 100'000) {
        CHECK(choice.tries());
        ++remembered;
    }
    CHECK(remembered > 10 * left);
    CHECK(remembered < 100'000);
    choice.note_unknown();
    CHECK(choice.leaves_memo());  // What was before is forgotten.
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
        if (!choice.tries()) continue;
        ++tries;
        choice.note_far();
    }
    CHECK(tries < 1'000);
    CHECK(tries > 100);  // They may come nearer.

    FollowChoice mixed;
    for (int i = 0; i < 10'000; ++i) {
        CHECK(mixed.tries());
        if (i % 5 == 0) mixed.note_near();
        else mixed.note_far();
    }
}
