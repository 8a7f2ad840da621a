// SPDX-License-Identifier: Apache-2.0
//
// Files of distributions outside of the folders that Python has for them.
#include "analyzer/frames/distribution_files.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "analyzer/frames/user_code.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
namespace fs = std::filesystem;

namespace {

// A folder like that of `pip install --target`.
class Target {
public:
    Target() {
        fs::create_directories(folder_ / "requests-2.31.0.dist-info");
        std::ofstream(folder_ / "requests-2.31.0.dist-info/RECORD")
            << "requests/api.py,sha256=abc,6449\n"
            << "\"requests/a, \"\"b\"\".py\",sha256=abc,1\n"
            << "six.py,sha256=abc,34549\n";
    }
    ~Target() { fs::remove_all(folder_); }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }

private:
    fs::path folder_ = fs::temp_directory_path() /
                       ("memtrace-distributions-" +
                        std::to_string(std::hash<const void*>{}(this) ^ std::random_device{}()));
};

}  // namespace

TEST_CASE("what a list beside it has is of a distribution, and nothing else") {
    const Target target;
    CHECK(is_of_distribution(target.path("requests/api.py")));
    CHECK(is_of_distribution(target.path("requests/a, \"b\".py")));
    CHECK(is_of_distribution(target.path("six.py")));
    CHECK_FALSE(is_of_distribution(target.path("train.py")));
    CHECK_FALSE(is_of_distribution(target.path("requests/mine.py")));
    CHECK_FALSE(is_of_distribution("requests/api.py"));
    CHECK_FALSE(is_of_distribution("/six.py"));
    CHECK_FALSE(is_of_distribution(""));
}

TEST_CASE("a distribution in a folder of the user's choice is no own code, unless it is named") {
    const Target target;
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = "get";
    frame.file = target.path("requests/api.py");
    CHECK_FALSE(is_user_code(frame));
    CHECK(is_user_code(frame, {{"requests"}, {}}));
    frame.file = target.path("train.py");
    CHECK(is_user_code(frame));
}
