"""check: a space that an option left out keeps no limit. Reports say that memory of GPUs was
switched off, and not that the program used no GPU."""
import gpu
from checks import check, dump_of
from harness import PYTHON, expect, reporter, require, run, trace


def judge(dump, space, status, what):
    for limit in ("--max-peak-bytes", "--max-leaked-bytes"):
        found = check(dump, limit, f"{space}=1K")
        expect(found.status, status, f"{what}: {limit} {space}: {found.stdout}")
    return found.stdout


def recorded(option):
    run_of_gpu = gpu.GpuRun("gpu_linked", "plain", options=option, check_report=False)
    return run_of_gpu.traced.dumps[0]


def test():
    for option in ("gpu=off", "gpu=runtime"):
        dump = recorded(option)
        for space in ("device:0", "pinned", "managed"):
            text = judge(dump, space, 3, option)
            require(option in text and "gpu=auto" in text, text)
        expect(check(dump, "--max-peak-bytes", "1K").status, 1, f"{option}: the host is judged")
        text = run([reporter(), "oom", dump]).stdout
        require("is not known" in text and option in text, text)
    off = recorded("gpu=off")
    for command in ("info", "gpu"):
        text = run([reporter(), command, off]).stdout
        require("switched off" in text and "used no GPU" not in text, text)
    judge(recorded("gpu=auto"), "device:0", 1, "recorded")
    judge(trace("stack_of_c").dumps[0], "device:0", 0, "a program without a GPU")
    python = dump_of([PYTHON, "-c", "x = [{} for _ in range(9999)]"], options="python_allocs=off")
    require("python_allocs" in judge(python, "python", 3, "python_allocs=off"), "what to do")
