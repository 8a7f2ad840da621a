// SPDX-License-Identifier: Apache-2.0
//
// Suppressions in the formats of LeakSanitizer and valgrind, and the comments that memtrace adds.
#include "analyzer/check/suppression_file.h"

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("LeakSanitizer's pattern is a part of the text, with stars and anchors") {
    CHECK(matches_leak_pattern("load", "plugin::load_all"));
    CHECK_FALSE(matches_leak_pattern("load", "lood"));
    CHECK(matches_leak_pattern("plug*all", "my_plugin::load_all_now"));
    CHECK(matches_leak_pattern("^plugin", "plugin::load"));
    CHECK_FALSE(matches_leak_pattern("^load", "plugin::load"));
    CHECK(matches_leak_pattern("load$", "plugin::load"));
    CHECK_FALSE(matches_leak_pattern("plugin$", "plugin::load"));
    CHECK(matches_leak_pattern("^plugin::load$", "plugin::load"));
    CHECK(matches_leak_pattern("^p*d$", "plugin::load"));
    CHECK_FALSE(matches_leak_pattern("?oad", "load"));  // "?" is an ordinary character
}

TEST_CASE("comments say why and until when, for all that follows up to an empty line") {
    const auto found = parse_suppressions(
        "# from the plugin's team\n"
        "# reason: a table that stays\n"
        "#         until the end\n"
        "# until: 2027-01-31\n"
        "leak:load_plugin\n"
        "  leak:unload_plugin  \r\n"
        "\n"
        "# unless: own code\n"
        "leak:other\n",
        "ci/leaks.supp");
    REQUIRE(found.size() == 3);
    CHECK(found[0].name == "leak:load_plugin");
    CHECK(found[0].pattern == "load_plugin");
    CHECK(found[0].reason == "a table that stays until the end");
    CHECK(found[0].until == "2027-01-31");
    CHECK(found[0].line == 5);
    CHECK(found[1].pattern == "unload_plugin");
    CHECK(found[1].until == "2027-01-31");
    CHECK(found[2].until.empty());
    CHECK(found[2].spares_own_code);
    CHECK_FALSE(found[0].spares_own_code);
}

TEST_CASE("valgrind's blocks are read; what they say of other checks is passed over") {
    const auto found = parse_suppressions(
        "{\n   the_name\n   Memcheck:Leak\n"
        "   match-leak-kinds: reachable\n   fun:malloc\n"
        "   ...\n   obj:*/libx.so*\n   src:x.c:12\n}\n"
        "{\n   other\n   Memcheck:Cond\n   fun:f\n}\n",
        "v.supp");
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == "the_name");
    REQUIRE(found[0].frames.size() == 4);
    CHECK(found[0].frames[0].text == "malloc");
    CHECK(found[0].frames[1].kind == FramePattern::Kind::any_frames);
    CHECK(found[0].frames[2].kind == FramePattern::Kind::object);
    CHECK(found[0].frames[3].text == "x.c:12");
    CHECK(found[0].line == 1);
    CHECK(found[0].kinds == kind_reachable);
}

TEST_CASE("kinds of leaks are a list of valgrind's words; without one a suppression takes all") {
    const auto kinds = [](const std::string& line) {
        const auto found =
            parse_suppressions("{\n n\n Memcheck:Leak\n" + line + " fun:keep\n}\n", "v.supp");
        REQUIRE(found.size() == 1);
        return found[0].kinds;
    };
    CHECK(kinds("") == kinds_all);
    CHECK(kinds(" match-leak-kinds: all\n") == kinds_all);
    CHECK(kinds(" match-leak-kinds: none\n") == kind_none);
    CHECK(kinds(" match-leak-kinds: definite,indirect\n") == (kind_definite | kind_indirect));
    CHECK(kinds(" match-leak-kinds:possible , reachable\n") == (kind_possible | kind_reachable));
    CHECK_THROWS_WITH(kinds(" match-leak-kinds: definite,lost\n"),
                      Catch::Contains("v.supp:4: \"lost\" is no kind of leak"));
}

TEST_CASE("what the program brings itself is for lost blocks, and nothing in it is an error") {
    const auto found =
        program_suppressions("leak:libpng\n# a comment\nleak:*\nrace:x\n  leak: ^init$  \nleak:");
    REQUIRE(found.size() == 2);
    CHECK(found[0].pattern == "libpng");
    CHECK(found[1].pattern == "^init$");
    CHECK(found[1].line == 5);
    CHECK(found[1].kinds == (kind_definite | kind_indirect));
    CHECK(program_suppressions("").empty());
}

TEST_CASE("what makes no sense is named with its line") {
    const auto complaint = [](const char* text) {
        try {
            parse_suppressions(text, "s.supp");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(complaint("\nrace:foo\n"), Contains("s.supp:2:") && Contains("race:foo"));
    CHECK_THAT(complaint("leak:*\n"), Contains("would suppress every leak"));
    CHECK_THAT(complaint("leak:\n"), Contains("would suppress every leak"));
    CHECK_THAT(complaint("{\n a\n Memcheck:Leak\n fun:malloc\n}\n"),
               Contains("would suppress every leak"));
    CHECK_THAT(complaint("# until: 2027-02-30\nleak:x\n"), Contains("not a date"));
    CHECK_THAT(complaint("# until: soon\nleak:x\n"), Contains("not a date"));
    CHECK_THAT(complaint("# unless: it rains\nleak:x\n"), Contains("unless: own code"));
    CHECK_THAT(complaint("{\n a\n Memcheck:Leak\n fun:f\n"),
               Contains("s.supp:1:") && Contains("has no"));
    CHECK_THAT(complaint("{\n a\n Memcheck:Leak\n fn:f\n}\n"), Contains("s.supp:4:"));
    CHECK_THROWS_AS(read_suppressions("/nonexistent.supp"), Error);
}

TEST_CASE("the defaults are readable as such a file, and each says why") {
    const auto found = parse_suppressions(default_suppressions_text(), "defaults");
    CHECK_FALSE(found.empty());
    for (const Suppression& suppression : found) {
        INFO(suppression.name);
        CHECK_FALSE(suppression.reason.empty());
    }
    CHECK(default_suppressions().size() == found.size());
    CHECK(default_suppressions()[0].is_default);
}
