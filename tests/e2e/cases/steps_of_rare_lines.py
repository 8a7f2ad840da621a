"""Steps of loops in which some line takes memory only now and then, beside one that takes it each
time: a cache that is filled, a table that grows. No iteration hides: the number is right or is not
given."""
import shutil

from loop_truth import check_native, check_python

PROGRAMS = {
    "many_in_one_call": """import pickle
def main():
    text = " ".join("the long word number %d " % i + "x" * 600 for i in range(10))
    data = pickle.dumps(["x" * (600 + i) for i in range(10)])
    for i in range(300):  #? 300
        words = text.split("number")
    for i in range(300):  #? 300
        words = pickle.loads(data)
    for i in range(300):  #? 300
        words = list(map(bytearray, [1000] * 10))
    for i in range(300):  #= 300
        block = bytearray(1000)
main()
""",
    "skips": """kept = []
def keep(i): kept.append(bytearray(1000 + i))
def behind_return(i):
    if i % 3: return
    keep(i)
def main():
    for i in range(3000):  #? 3000
        keep(i)
        behind_return(i)
    for i in range(3000):  #? 1000
        if i % 3: continue
        keep(i)
        kept.append(bytearray(i))
    for i in range(3000):  #? 3000
        keep(i)
        i % 7 == 0 and keep(i)
main()
""",
    "lru": """from collections import OrderedDict
import random
class Cache:
    def __init__(self, most): self.most = most; self.kept = OrderedDict()
    def get(self, key):
        if key in self.kept: self.kept.move_to_end(key); return self.kept[key]
        value = bytearray(3000); self.kept[key] = value
        if len(self.kept) > self.most: self.kept.popitem(last=False)
        return value
def main():
    random.seed(3)
    cache = Cache(1000)
    for i in range(6000): cache.get(random.randrange(4000))  #? 4590
main()
""",
    "session": """class Sessions:
    def __init__(self): self.by_user = {}
    def of(self, user):
        found = self.by_user.get(user)
        if found is None: found = self.by_user[user] = bytearray(2000)
        return found
def main():
    sessions = Sessions()
    for i in range(3000):  #? 3000
        body = bytearray(1500)
        sessions.of(i * i % 211)
main()
""",
}

NATIVE = {
    "copies": """#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>
int main() {
    std::list<int> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<std::unique_ptr<int>> kept;
    kept.reserve(4000);
    size_t sum = 0;
    for (int i = 0; i < 300; ++i) {  //? 300
        std::list<int> copy(numbers);
        sum += copy.size();
    }
    for (int i = 0; i < 300; ++i) {  //? 300
        std::set<int> copy(numbers.begin(), numbers.end());
        sum += copy.size();
    }
    for (int i = 0; i < 300; ++i) {  //? 300
        std::generate_n(std::back_inserter(kept), 10, [] { return std::make_unique<int>(1); });
    }
    for (int i = 0; i < 300; ++i) {  //= 300
        kept.push_back(std::make_unique<int>(2));
    }
    return sum == 0;
}
""",
    "skips": """#include <memory>
#include <string>
#include <vector>
static std::vector<std::unique_ptr<std::string>> kept;
#define APART __attribute__((noinline)) static
APART void keep(int i) { kept.push_back(std::make_unique<std::string>(100 + i % 50, 'x')); }
APART void in_arm(int i) { if (i % 3 == 0) keep(i); }
APART void behind_return(int i) {
    if (i % 3) return;
    keep(i);
}
APART void some(int i) { for (int k = 0; k < 2 + i % 3; ++k) keep(k); }
int main() {
    kept.reserve(200000);
    for (int i = 0; i < 3000; ++i) {  //? 1000
        if (i % 3) continue;
        keep(i);
    }
    for (int i = 0; i < 3000; ++i) {  //? 3000
        some(i);
        in_arm(i);
    }
    for (int i = 0; i < 3000; ++i) {  //? 3000
        behind_return(i);
        some(i);
    }
    for (int i = 0; i < 3000; ++i) {  //? 3000
        some(i);
        if (i % 3) continue;
        keep(i);
    }
    for (int i = 0; i < 3000; ++i) {  //? 3000
        some(i);
        (i % 3) ? (void)0 : keep(i);
    }
    for (int i = 0; i < 3000; ++i) {  //? 3000
        some(i);
        keep(i);
        behind_return(i);
    }
}
""",
    "words": """#include <random>
#include <string>
#include <unordered_map>
int main() {
    std::mt19937 random(7);
    std::unordered_map<std::string, int> count;
    for (int i = 0; i < 20000; ++i) {  //? 20000
        double u = (random() % 1000000 + 1) / 1e6;
        std::string word = "the word number " + std::to_string(int(1000 * u * u)) + " of the text";
        ++count[word];
    }
    return count.size() == 0;
}
""",
    "seen": """#include <string>
#include <unordered_map>
#include <random>
int main() {
    std::mt19937 random(7);
    auto& seen = *new std::unordered_map<std::string, int>;
    for (int i = 0; i < 20000; ++i) {  //? 20000
        int who = random() % 20 == 0 ? i : 0;
        std::string key = "the request of user number " + std::to_string(who) + " of this service";
        ++seen[key];
    }
}
""",
    "callee": """#include <map>
#include <string>
#include <random>
static std::map<int, std::string> known;
__attribute__((noinline)) static const std::string& name_of(int number) {
    std::string key = "number " + std::to_string(number) + " of all the numbers that there are";
    auto& name = known[number];
    if (name.empty()) name = key + "!";
    return name;
}
int main() {
    std::mt19937 random(7);
    size_t sum = 0;
    for (int i = 0; i < 20000; ++i)  //? 20000
        sum += name_of(random() % 700).size();
    return sum == 0;
}
""",
}


def test():
    check_python(PROGRAMS)
    if shutil.which("c++") is None:
        return
    for level in ("-O2", "-O0"):
        check_native(NATIVE, level)
