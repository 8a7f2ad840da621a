// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("pages are safe on file systems that write in place, and on no other", "[file_system]") {
    CHECK(is_safe_file_system(0xef53));            // ext4
    CHECK(is_safe_file_system(0x58465342));        // xfs
    CHECK(is_safe_file_system(0x01021994));        // tmpfs
    CHECK_FALSE(is_safe_file_system(0x9123683e));  // btrfs
    CHECK_FALSE(is_safe_file_system(0x6969));      // NFS
    CHECK_FALSE(is_safe_file_system(0x65735546));  // FUSE
    CHECK_FALSE(is_safe_file_system(12345));       // one that nobody has heard of
}

TEST_CASE("the mounts of a container tell what lies below its overlay", "[file_system]") {
    const std::string_view root =
        "588 531 0:46 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/l\n";
    const std::string on_btrfs = std::string(root) +
                                 "601 588 0:28 /@/var/lib/docker/containers/6f/hosts /etc/hosts "
                                 "rw,relatime - btrfs /dev/sda2 rw,ssd\n";
    const std::string on_ext4 = std::string(root) +
                                "601 588 8:1 /var/lib/docker/containers/6f/hosts /etc/hosts "
                                "rw,relatime - ext4 /dev/sda1 rw\n";
    CHECK(has_unsafe_mount(on_btrfs));
    CHECK_FALSE(has_unsafe_mount(on_ext4));
    CHECK_FALSE(has_unsafe_mount(""));
}

TEST_CASE("a file of /proc is on no file system for dumps", "[file_system]") {
    const int fd = open("/proc/self/maps", O_RDONLY);
    REQUIRE(fd >= 0);
    FileSystemName name;
    CHECK_FALSE(has_safe_pages(fd, name));
    CHECK(name.view().substr(0, 5) == "type ");
    close(fd);
    FileSystemName closed;
    CHECK_FALSE(has_safe_pages(fd, closed));
    CHECK(closed.view() == "unknown");
}
