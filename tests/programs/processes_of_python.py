# truth: oracle
# run: dumps=2..6
# multiprocessing by fork, and a chain of subprocesses: every process ends as it should.
import multiprocessing
import subprocess
import sys


def square(number):
    return len(bytearray(number * 1000)) // 1000 * number


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(3) as pool:
        print(pool.map(square, range(20)))
    text = "import subprocess; print(subprocess.check_output(['sh', '-c', 'echo deep']))"
    print(subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE).stdout)
