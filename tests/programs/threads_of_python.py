# truth: oracle
# Threads, exceptions, big and small objects in Python: the totals equal the independent count.
import threading

kept = []


def work(number):
    for i in range(2000):
        kept.append(bytearray(i % 700 + 600))
        if i % 3 == 0:
            kept.pop(0)
    try:
        raise ValueError(number)
    except ValueError:
        pass


threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(kept))
