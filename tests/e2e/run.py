#!/usr/bin/env python3
# Runs one end-to-end test:  run.py [--build DIR] case FILE | program NAME
#
#   case     a file of tests/e2e/cases: its docstring states the claim, test() checks it
#   program  a program of tests/programs, compared with its own truth line and with the oracle
#
# Exit codes: 0 passed, 1 failed, 77 skipped (the reason is printed).
import argparse
import importlib.util
import os
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser(description="Runs one end-to-end test of memtrace.")
    parser.add_argument("--build", default="build/dev", help="where libmemtrace.so is (build/dev)")
    parser.add_argument("kind", choices=("case", "program"))
    parser.add_argument("what", help="path of a case, or name of a program")
    arguments = parser.parse_args()
    os.environ["MEMTRACE_BUILD"] = arguments.build
    import harness
    try:
        if arguments.kind == "case":
            run_case(arguments.what)
        else:
            import program
            program.check(arguments.what)
    except harness.Skipped as reason:
        print(f"skipped: {reason}")
        return 77
    except harness.Failed as failure:
        print(f"FAILED: {failure}")
        where = traceback.extract_tb(failure.__traceback__)
        for step in where:
            if step.filename != __file__ and not step.filename.endswith("harness.py"):
                print(f"  {os.path.relpath(step.filename)}:{step.lineno}: {step.line}")
        return 1
    finally:
        harness.clean_up()
    return 0


def run_case(path):
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    case = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(case)
    print((case.__doc__ or "").strip())
    case.test()


if __name__ == "__main__":
    sys.exit(main())
