# SPDX-License-Identifier: Apache-2.0
"""The tag of the wheel: any Python 3, and the programs' own platform, which scripts/wheel names."""
import os

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.dist import Distribution


class PlatformWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ["MEMTRACE_WHEEL_PLATFORM"]


class WithPrograms(Distribution):
    def has_ext_modules(self):
        return True  # The wheel is for one platform, and its root is not `purelib`.


setup(distclass=WithPrograms, cmdclass={"bdist_wheel": PlatformWheel})
