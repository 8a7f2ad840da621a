"""Steps of loops that wait in the midst of an iteration (await, yield, co_await): where such a
function goes on looks like where one begins. The number is right or is not given."""
from loop_truth import check_native, check_python

PROGRAMS = {
    "coroutines": """import asyncio
async def get(i):
    a = bytearray(600 + i)
    await asyncio.sleep(0)
    return bytes(a)
async def client(n):
    t = 0
    for i in range(n):  #= 350
        r = await get(i)
        t += len(bytearray(r))
        q = await get(i)
        t += len(bytearray(q))
    return t
async def main():
    await asyncio.gather(client(200), client(150))
asyncio.run(main())
""",
    "only_waits": """import asyncio
async def get(i):
    a = bytearray(600 + i)
    await asyncio.sleep(0)
    return bytearray(a)
async def main():
    for i in range(300):  #? 300
        await get(i)
asyncio.run(main())
""",
    "workers": """import asyncio
def process(item):
    return len(bytearray(1000 + item)) + len([bytearray(600) for _ in range(3)])
async def worker(queue, sums):
    while True:  #= 500
        item = await queue.get()
        if item is None: return
        sums.append(process(item))
        queue.task_done()
async def main():
    queue, sums = asyncio.Queue(maxsize=5), []
    workers = [asyncio.create_task(worker(queue, sums)) for _ in range(4)]
    for i in range(500):  #? 500
        await queue.put(i)
        if i % 7 == 0: await asyncio.sleep(0)
    for _ in workers: await queue.put(None)
    await asyncio.gather(*workers)
asyncio.run(main())
""",
    "generators": """def blocks(n):
    for i in range(n):  #? 150
        a = bytearray(2000 + i)
        yield a
        b = bytes(3000)
        yield b
def main():
    t = 0
    for x in blocks(150):  #= 300
        y = bytearray(len(x) + 1)
        t += len(y)
    print(t)
main()
""",
}

COROUTINE = """#include <coroutine>
#include <cstdlib>
#include <deque>
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
std::deque<std::coroutine_handle<>> ready;
struct Later {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) { ready.push_back(h); }
    void await_resume() {}
};
void* volatile sink;
Task client(int n) {
    for (int i = 0; i < n; ++i) {  //= 303
        void* a = malloc(1000 + i);
        sink = a;
        co_await Later{};
        free(a);
        void* b = malloc(3000);
        sink = b;
        co_await Later{};
        free(b);
    }
}
int main() {
    for (int i = 0; i < 3; ++i) client(100 + i);
    while (!ready.empty()) {
        auto h = ready.front();
        ready.pop_front();
        h.resume();
    }
}
"""


def test():
    check_python(PROGRAMS)
    check_native({"coroutine": COROUTINE}, "-std=c++20", "-fcoroutines", "-O1")
