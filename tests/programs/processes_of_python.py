# truth: oracle
# run: dumps=2..6
# multiprocessing by fork, and nested subprocesses: every process ends as it should.
import multiprocessing
import subprocess
import sys


def square(number):
    return len(bytearray(number * 1000)) // 1000 * number


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    pool = context.Pool(3)
    print(pool.map(square, range(20)))
    # Not terminate(): only one count may include the last call of a killed worker.
    pool.close()
    pool.join()
    text = "import subprocess; print(subprocess.check_output(['sh', '-c', 'echo deep']))"
    print(subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE).stdout)
