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
    pool = context.Pool(3)
    print(pool.map(square, range(20)))
    # Not terminate(): of a worker's last call before a kill, one may know and the other not.
    pool.close()
    pool.join()
    text = "import subprocess; print(subprocess.check_output(['sh', '-c', 'echo deep']))"
    print(subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE).stdout)
