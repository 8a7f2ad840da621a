// SPDX-License-Identifier: Apache-2.0
//
// Own code and libraries, told apart by their location and by the configuration.
#include "analyzer/frames/user_code.h"

#include "analyzer/sites/site_key.h"
#include "analyzer/sites/source_location.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame native(const std::string& module, const std::string& function = "work",
             const std::string& file = "") {
    Frame frame;
    frame.function = function;
    frame.module = module;
    frame.file = file;
    frame.named = true;
    return frame;
}

Frame python(const std::string& file) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = "f";
    frame.file = file;
    return frame;
}

}  // namespace

TEST_CASE("own code is what nobody installed") {
    CHECK(is_user_code(native("/home/me/train")));
    CHECK(is_user_code(native("/usr/bin/git")));
    CHECK(is_user_code(native("/home/me/ext.cpython-311-x86_64-linux-gnu.so")));
    CHECK_FALSE(is_user_code(native("/usr/lib/x86_64-linux-gnu/libxml2.so.2")));
    CHECK_FALSE(is_user_code(native("/v/lib/python3.11/site-packages/torch/lib/libtorch.so")));
    CHECK_FALSE(is_user_code(native("/usr/bin/python3.11")));
    CHECK_FALSE(is_user_code(native("")));
    CHECK_FALSE(is_user_code(native("/home/me/train", "malloc")));
    // Sources of others, compiled into the program.
    CHECK(is_user_code(native("/home/me/train", "parse", "/home/me/src/xmlish.cpp")));
    CHECK_FALSE(is_user_code(native("/home/me/train", "parse", "/home/me/third_party/xmlish.cpp")));
    CHECK_FALSE(is_user_code(native("/home/me/train", "parse", "third_party/xmlish.cpp")));
    CHECK(is_user_code(python("train.py")));
    CHECK(is_user_code(python("<string>")));
    CHECK_FALSE(is_user_code(python("/usr/lib/python3.11/json/decoder.py")));
    CHECK_FALSE(is_user_code(python("<frozen importlib._bootstrap>")));
    CHECK_FALSE(is_user_code(python("")));
    Frame gap;
    gap.kind = FrameKind::gap;
    CHECK_FALSE(is_user_code(gap));
}

TEST_CASE("what a library wrote is not the user's own code") {
    for (const char* file :
         {"<sqlalchemy generated Session._flush>", "<attrs generated init app.Point>",
          "<eval_with_key>.1", "<frozen runpy>", "/tmp/torchinductor_me/hx/chxpt6.py",
          "/home/me/.triton/cache/a/launcher.py", "/tmp/__autograph_generated_fileab1.py"}) {
        CHECK_FALSE(is_user_code(python(file)));
    }
    for (const char* file : {"<string>", "<stdin>", "<ipython-input-3-ab>", "<doctest a[0]>",
                             "/tmp/ipykernel_7/1.py", "/tmp/train.py"}) {
        CHECK(is_user_code(python(file)));
    }
}

TEST_CASE("a pattern is of a whole path or of its end, and of what lies in a folder") {
    CHECK(matches_path("/opt/vendor", "/opt/vendor/lib/libx.so"));
    CHECK(matches_path("/opt/vendor/", "/opt/vendor/lib/libx.so"));
    CHECK_FALSE(matches_path("/opt/vendor", "/opt/vendors/libx.so"));
    CHECK_FALSE(matches_path("/vendor", "/opt/vendor/libx.so"));
    CHECK(matches_path("third_party", "/build/7/third_party/json.hpp"));
    CHECK(matches_path("third_party", "third_party/json.hpp"));
    CHECK_FALSE(matches_path("party", "/build/7/third_party/json.hpp"));
    CHECK(matches_path("libx*.so", "/app/lib/libxml.so"));
    CHECK(matches_path("site-packages/our_*", "/v/lib/python3.11/site-packages/our_net/a/b.py"));
    CHECK(matches_path("src/*/generated_?.cpp", "/b/src/a/b/generated_1.cpp"));
    CHECK_FALSE(matches_path("*", "<string>"));
    CHECK(matches_path("<string>", "<string>"));
    CHECK_FALSE(matches_path("", "/a"));
    CHECK_FALSE(matches_path("/", "/a"));
}

TEST_CASE("what the configuration says goes before where it lies; the longest pattern counts") {
    const CodePatterns patterns{{"site-packages/ours", "src", "third_party/forked"},
                                {"src/third_party", "/opt/vendor"}};
    const auto is_own = [&](const Frame& frame) { return is_user_code(frame, patterns); };
    CHECK(is_own(python("/v/lib/python3.11/site-packages/ours/net.py")));
    CHECK_FALSE(is_own(python("/v/lib/python3.11/site-packages/torch/nn.py")));
    CHECK(is_own(native("/app/train", "work", "/b/src/a.cpp")));
    CHECK_FALSE(is_own(native("/app/train", "work", "/b/src/third_party/a.cpp")));
    CHECK(is_own(native("/app/train", "work", "/b/src/third_party/forked/a.cpp")));
    CHECK_FALSE(is_own(native("/opt/vendor/libx.so")));
    CHECK(is_own(native("/app/train")));
    CHECK_FALSE(is_own(native("/app/train", "malloc", "/b/src/a.cpp")));
    CHECK(is_user_code(native("/a/b"), {{"/a/b"}, {"/a/b"}}));
}

TEST_CASE("copies of other projects are libraries, unless they are named as own") {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = "get";
    for (const char* file : {"/p/pip/_vendor/rich/table.py", "/p/third_party/six.py"}) {
        frame.file = file;
        CHECK_FALSE(is_user_code(frame));
        CHECK(is_user_code(frame, {{"/p"}, {}}));
    }
    frame.file = "/p/vendors.py";
    CHECK(is_user_code(frame));
}

TEST_CASE("the name of a call site, its place, and suppressions that spare own code follow") {
    const std::string ours = "/v/lib/python3.11/site-packages/ours/net.py:4";
    Story story;
    story.recording.model.process.executable = "/app/train";
    const uint32_t stack =
        story.stack({"libc:malloc", "py:make " + ours, "py:parse /p/vendored/parser.py:9",
                     "py:main /p/train.py:7"});
    story.site("host", stack, 1, 100, 1);
    const auto key = [&] {
        SiteKeys keys(story.recording);
        return keys.text(keys.of(stack));
    };
    const auto place = [&] { return text_of(SourceLocations(story.recording, "/p").of(stack)); };
    const auto suppressed = [&] {
        const auto spares = parse_suppressions("# unless: own code\nleak:parse\n", "s");
        return measured_of(story.recording, spares).spaces[0].suppressed_bytes;
    };
    CHECK(key() == "make (ours/net.py) < parse (parser.py) < main (train.py)");
    CHECK(place() == "vendored/parser.py:9");
    story.recording.code.libraries = {"vendored"};
    CHECK(key() == "make (ours/net.py) < parse (parser.py) < main (train.py)");
    CHECK(place() == "train.py:7");
    story.recording.code.own = {"site-packages/ours"};
    CHECK(place() == "ours/net.py:4");
    CHECK(suppressed() == 0);
    story.recording.code = {{}, {"/p"}};
    CHECK(suppressed() == 100);
}

TEST_CASE("sources of installed libraries are none of the user's, wherever they are compiled in") {
    for (const char* const file :
         {"/usr/include/nlohmann/json.hpp", "/usr/include/c++/12/bits/stl_vector.h",
          "/rustc/59807616e1fa2540/library/alloc/src/vec/mod.rs",
          "/rust/deps/hashbrown-0.16.1/src/raw/alloc.rs",
          "/home/me/.cargo/registry/src/index.crates.io-1/bytes-1.5.0/src/bytes.rs",
          "/home/me/.conan2/p/fmt/p/include/fmt/format.h",
          "/home/me/app/vcpkg_installed/x64-linux/include/fmt/format.h",
          "/v/lib/python3.11/site-packages/torch/include/ATen/core/TensorBody.h", "<string>",
          "<sqlalchemy generated f>"}) {
        INFO(file);
        CHECK(is_foreign_source(file));
    }
    for (const char* const file : {"/home/me/app/src/json.hpp", "src/main.rs", "<stdin>", ""}) {
        INFO(file);
        CHECK_FALSE(is_foreign_source(file));
    }
}
