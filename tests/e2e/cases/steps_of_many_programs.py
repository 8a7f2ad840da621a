"""Steps without marks, in programs of many shapes: the iterations of a loop are counted exactly or
not at all, and the loop that a person would name is the one of the steps."""
import json
import shutil
import subprocess

from checks import dump_of
from harness import reporter, require, run
from loop_truth import check_native, check_python

# Programs, with their numbers of iterations (loop_truth.py).
PROGRAMS = {
    "while_true": """def read_block(state):
    state["left"] -= 1
    return None if state["left"] < 0 else bytearray(4096)
def main():
    state = {"left": 173}
    while True:  #* 173
        block = read_block(state)
        if block is None:
            break
        copy = bytes(block)
main()
""",
    "arms": """def text(i): return bytearray(1000)
def image(i): return bytearray(5000)
def sound(i): return bytearray(3000)
def main():
    for i in range(150):  #* 150
        if i % 3 == 0:
            x = text(i)
        elif i % 3 == 1:
            x = image(i)
        else:
            x = sound(i)
main()
""",
    "loops_in_arms": """def load(kind): return bytearray(1000 * (kind + 1))
def main():
    for i in range(90):  #* 90
        head = load(0)
        if i % 2:
            for k in range(3):  #= 135
                x = load(k)
                y = bytearray(700)
        elif i % 4 == 0:
            for k in range(2):  #= 46
                x = load(1)
                y = bytearray(800)
        else:
            z = load(3)
main()
""",
    "context_manager": """from contextlib import contextmanager
@contextmanager
def scratch(n):
    buf = bytearray(n)
    yield buf
    end = bytearray(500 + n)
def main():
    for i in range(66):  #? 66
        with scratch(2000) as buf:
            x = bytes(buf)
main()
""",
    "continue_first": """def main():
    for i in range(200):  #* 100
        if i % 2:
            continue
        a = bytearray(2500)
        b = bytearray(1500)
main()
""",
    "continue_between": """def main():
    for i in range(130):  #? 130
        head = bytearray(900)
        if i % 5 == 0:
            continue
        body = bytearray(4000)
        if i % 7 == 0:
            continue
        tail = bytes(body)
main()
""",
    "csv_rows": r"""import csv, io
text = "name,text\n" + "".join(f"n{i},{'y' * 1500}\n" for i in range(180))
def main():
    total = 0
    for row in csv.DictReader(io.StringIO(text)):  #* 180
        total += len(row["text"] + "!")
main()
""",
    "items_of_a_dict": """def main():
    sizes = {f"k{i}": 1000 + i for i in range(75)}
    for name, size in sizes.items():  #* 75
        data = bytearray(size)
        both = name.encode() + data
main()
""",
    "exceptions": """def risky(i):
    x = bytearray(2000)
    if i % 4 == 0:
        raise ValueError(bytearray(900))
    return bytes(x)
def main():
    for i in range(100):  #* 100
        try:
            y = risky(i)
            z = bytearray(1200)
        except ValueError as e:
            log = bytearray(700)
        finally:
            end = bytearray(800)
main()
""",
    "for_else": """def main():
    for i in range(50):  #* 50
        data = bytearray(3000)
        for k in range(10):  #= 330
            probe = bytearray(600)
            if k == i % 15:
                break
        else:
            miss = bytearray(9000)
main()
""",
    "headers": """from itertools import count, islice
def main():
    for i, size in zip(range(61), count(2000)):  #= 61
        x = bytearray(size)
    for i, size in enumerate(range(1000, 1072), 1):  #= 72
        x = bytearray(size)
    for i in islice(count(), 83):  #= 83
        x = bytearray(3000)
main()
""",
    "lines_of_json": r"""import json, os, tempfile
path = os.path.join(tempfile.mkdtemp(), "lines")
with open(path, "w") as out:
    out.write((json.dumps({"text": "x" * 2000, "tags": list(range(60))}) + "\n") * 200)
def main():
    for line in open(path):  #* 200
        record = json.loads(line)
        text = record["text"].upper()
main()
os.remove(path)
""",
    "logs_every_tenth": """def step(i):
    x = bytearray(4000)
    return bytes(x)
def main():
    for i in range(143):  #* 143
        step(i)
        if i % 10 == 0:
            log = " ".join(str(k) for k in range(400))
main()
""",
    "three_deep": """def cell(i, j, k): return bytearray(600 + i + j + k)
def main():
    for i in range(7):  #= 7
        plane = bytearray(10000)
        for j in range(9):  #= 63
            row = bytearray(5000)
            for k in range(11):  #= 693
                c = cell(i, j, k)
main()
""",
    "batches_of_generators": """def read(n):
    for i in range(n):
        yield bytearray(3000)
def keep(blocks):
    for b in blocks:
        c = bytearray(1000)
        yield b
def batches(items, size):
    batch = []
    for x in items:  #= 120
        batch.append(bytes(x))
        if len(batch) == size:
            yield batch
            batch = []
def main():
    for batch in batches(keep(read(120)), 4):  #* 30
        joined = b"".join(batch)
main()
""",
    "worker_of_a_queue": """import queue, threading
def worker(q, done):
    while True:  #* 140
        job = q.get()
        if job is None:
            break
        result = bytearray(job)
        done.append(bytes(result[:600]))
q, done = queue.Queue(), []
t = threading.Thread(target=worker, args=(q, done))
t.start()
for i in range(140):
    q.put(3000 + i)
q.put(None)
t.join()
""",
    "processes": """import multiprocessing as mp
def job(n): return bytes(n // 2)
if __name__ == "__main__":
    with mp.Pool(2) as pool:
        for i in range(40):  #* 40
            joined = b"".join(pool.map(job, [9000] * 4))
            copy = bytearray(joined)
""",
    "walrus": """import io
def main():
    f = io.BytesIO(bytes(64 * 4096))
    while chunk := f.read(4096):  #* 64
        text = chunk.hex()
main()
""",
}
NATIVE = {
    "getline": """#include <map>
#include <sstream>
#include <string>
int main() {
    std::stringstream in;
    for (int i = 0; i < 130; ++i) in << std::string(300, 'x') << ' ' << i << '\\n';
    std::map<std::string, int> words;
    std::string line;
    while (std::getline(in, line)) {  //* 130
        std::istringstream parts(line);
        std::string word;
        while (parts >> word) words[word] += 1;
    }
}
""",
    "epochs": """#include <vector>
using Row = std::vector<float>;
static Row forward(const Row& x) { return Row(x.size(), x[1] + 1); }
static Row backward(const Row& y) { return Row(y); }
int main() {
    float sum = 0;
    for (int epoch = 0; epoch < 5; ++epoch) {  //= 5
        const std::vector<Row> data(20, Row(1000, sum));
        for (const Row& x : data) {  //* 100
            const Row out = forward(x);
            sum += backward(out)[7];
        }
    }
    return sum == 1;
}
""",
    "lambda": """#include <algorithm>
#include <string>
#include <vector>
int main() {
    std::vector<int> sizes(111, 100);
    std::vector<std::string> out;
    out.reserve(20);
    for (int r = 0; r < 12; ++r) {  //= 12
        std::vector<double> heads(1000);
        std::for_each(sizes.begin(), sizes.end(), [&](int n) {
            std::string s(n, 'x');
            heads[0] += s.size();
        });
        out.push_back(std::string(100 + (heads[0] > 0), 'y'));
    }
    return out.empty();
}
""",
    "do": """#include <cstdlib>
#include <cstring>
int main() {
    int n = 0;
    char* volatile kept;
    do {  //* 64
        char* volatile text = static_cast<char*>(std::malloc(100 + n));
        kept = strdup("some text that is long");
        std::free(text);
        std::free(kept);
        n += 1;
    } while (n < 64);
}
""",
    "server": """#include <arpa/inet.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>
int main() {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    const auto address = reinterpret_cast<sockaddr*>(&at);
    if (bind(server, address, size) || listen(server, 9)) return 1;
    getsockname(server, address, &size);
    std::thread client([address, size] {
        char buffer[4096] = "a request that is long enough for the heap";
        for (int i = 0; i < 50; ++i) {
            const int s = socket(AF_INET, SOCK_STREAM, 0);
            if (connect(s, address, size) || write(s, buffer, 60) < 0) return;
            while (read(s, buffer, sizeof buffer) > 0) {}
            close(s);
        }
    });
    for (int served = 0; served < 50; ++served) {  //* 50
        pollfd waiting{server, POLLIN, 0};
        poll(&waiting, 1, 10000);
        const int s = accept(server, nullptr, nullptr);
        std::vector<char> buffer(2000);
        const ssize_t got = read(s, buffer.data(), buffer.size());
        const std::string reply = std::string(buffer.data(), got > 0 ? got : 0) + " is done";
        if (write(s, reply.data(), reply.size()) < 0) return 1;
        close(s);
    }
    client.join();
}
""",
    "recursion": """#include <memory>
#include <vector>
struct Node { std::unique_ptr<Node> left, right; std::vector<int> data; };
static std::unique_ptr<Node> make(int depth) {
    if (depth == 0) return nullptr;
    auto node = std::make_unique<Node>();
    node->data.resize(100);
    node->left = make(depth - 1);
    node->right = make(depth - 1);
    return node;
}
int main() {
    for (int i = 0; i < 60; ++i) {  //* 60
        auto tree = make(4);
        std::vector<char> note(tree->data.size());
        if (note[3] == 7) return 1;
    }
}
""",
}


def test():
    check_python(PROGRAMS)
    if shutil.which("c++") is None:
        return
    build, program = check_native(NATIVE, "-O2", "-pthread")
    # Without lines there are no loops.
    subprocess.run(build, check=True)
    ended = run([reporter(), "steps", "--json", "-", dump_of(program)])
    require(not [loop for loop in json.loads(ended.stdout)["steps"] if loop["count"]], ended.stdout)
