// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_file.h"

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("base64") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("escaped text cannot become markup") {
    CHECK(escaped("a<b>&\"'\n") == "a&lt;b&gt;&amp;&quot;&#39; ");
}

TEST_CASE("page file: its title is text, and its data is no markup") {
    const std::string html = page_file("<b>", {"run();", "body{}"}, "{\"a\": \"</script>\"}");
    CHECK_THAT(html, Contains("<title>&lt;b&gt;</title>"));
    CHECK_THAT(html, Contains("<script>run();</script>"));
    CHECK(html.find("</script>\"") == std::string::npos);
}

TEST_CASE("page file: names have no characters that change the text around them") {
    Json data;
    data["name"] = "\x1b[31mred\x07 \xe2\x80\xaelive\xff";
    data["sources"] = {"\tif x:\n"};
    CHECK(page_json(data) ==
          "{\"name\":\"?[31mred? ?live\xef\xbf\xbd\",\"sources\":[\"\\tif x:\\n\"]}");
}

TEST_CASE("page file: a page has fewer nodes until it is small enough") {
    std::vector<size_t> tried;
    const auto make = [&](size_t nodes) {
        tried.push_back(nodes);
        return std::string(100 + nodes, 'x');
    };
    CHECK(bounded_page(1'000'000, make).size() > 10'000);
    CHECK(tried.size() == 1);
    CHECK(bounded_page(1000, make).size() <= 1000);
    CHECK(bounded_page(10, make).size() > 10);  // A page has a few nodes in any case.
    CHECK_THROWS_AS(require_bundle({}), Error);
}

TEST_CASE("page file: only lines of sources have tabs") {
    const Json data{{"phases", {{1, "a\tb\nc"}}},
                    {"rows", {{{"name", "d\te"}, {"after", "\tcode"}}}},
                    {"after", {{"command", "f\tg"}}},
                    {"sources", {{{"lines", {{1, "\tcode"}}}}}}};
    const std::string text = page_json(data);
    CHECK(text.find("a?b?c") != std::string::npos);
    CHECK(text.find("d?e") != std::string::npos);
    CHECK(text.find("f?g") != std::string::npos);
    CHECK(text.find(R"("after":"\tcode")") != std::string::npos);
    CHECK(text.find(R"("lines":[[1,"\tcode"]])") != std::string::npos);
}
