// SPDX-License-Identifier: Apache-2.0
//
// memtrace-damages: damages a dump many times, and judges each (scripts/measure/damages).
//
//   memtrace-damages DUMP SEED FIRST COUNT    prints a line for each kind of damage: how many were
//                                             noticed and harmless; and one for each that was not
//   memtrace-damages DUMP SEED NUMBER         writes the dump with this damage to standard output
//
// Damages are numbered; number n is of the kind n modulo the number of kinds. They are judged in a
// child process: if one crashes it or takes too long, the next child goes on behind it.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/damage/kinds.h"
#include "tests/damage/verdict.h"

namespace memtrace::test {
namespace {

constexpr int seconds_max = 10;  // of processor time, for one damage
constexpr uint64_t memory_max = uint64_t{2} << 30;
constexpr size_t kinds_max = 64;

// What children leave behind, in memory that they share with their parent.
struct Counts {
    uint64_t at;  // the damage that is judged now
    uint64_t noticed[kinds_max];
    uint64_t harmless[kinds_max];
};

Bytes read_file(const char* path) {
    std::ifstream in(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
}

class Trial {
public:
    Trial(const Bytes& whole, uint64_t seed)
        : patient_(make_patient(whole)),
          seed_(seed),
          counts_(static_cast<Counts*>(mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}

    Bytes make(uint64_t number) const {
        return damaged(patient_, kind(number), seed_ * 0x9e3779b97f4a7c15 + number);
    }

    void run(const Judge& judge, uint64_t first, uint64_t count) {
        counts_->at = first;
        while (counts_->at < first + count) {
            const pid_t child = fork();
            if (child == 0) {
                judge_from(judge, first + count);
                std::fflush(stdout);
                _exit(0);
            }
            int status = 0;
            waitpid(child, &status, 0);
            if (WIFSIGNALED(status)) {
                say(WTERMSIG(status) == SIGPROF ? "hung" : "crashed");
                counts_->at += 1;
            } else if (counts_->at < first + count) {
                say("ended");
                counts_->at += 1;
            }
        }
        report();
    }

private:
    static const DamageKind& kind(uint64_t number) {
        return damage_kinds()[number % damage_kinds().size()];
    }

    void judge_from(const Judge& judge, uint64_t end) {
        const rlimit limit{memory_max, memory_max};
        setrlimit(RLIMIT_AS, &limit);
        for (uint64_t number = counts_->at; number < end; counts_->at = ++number) {
            const itimerval timer{{0, 0}, {seconds_max, 0}};
            setitimer(ITIMER_PROF, &timer, nullptr);
            const Verdict verdict = judge.judge(make(number));
            const size_t k = number % damage_kinds().size();
            counts_->noticed[k] += verdict == Verdict::noticed;
            counts_->harmless[k] += verdict == Verdict::harmless;
            if (verdict == Verdict::passed) say("passed");
        }
    }

    void say(const char* what) {
        std::printf("%s %llu %s\n", what, static_cast<unsigned long long>(counts_->at),
                    kind(counts_->at).name);
        std::fflush(stdout);
    }

    void report() const {
        for (size_t k = 0; k < damage_kinds().size(); ++k) {
            std::printf("kind %llu %llu %s\n", static_cast<unsigned long long>(counts_->noticed[k]),
                        static_cast<unsigned long long>(counts_->harmless[k]),
                        damage_kinds()[k].name);
        }
    }

    Patient patient_;
    uint64_t seed_;
    Counts* counts_;
};

int main(int argc, char** argv) {
    if (argc != 4 && argc != 5) {
        std::fputs("usage: memtrace-damages DUMP SEED FIRST COUNT | DUMP SEED NUMBER\n", stderr);
        return 2;
    }
    const Bytes whole = read_file(argv[1]);
    Trial trial(whole, std::strtoull(argv[2], nullptr, 10));
    const uint64_t first = std::strtoull(argv[3], nullptr, 10);
    if (argc == 4) {
        const Bytes bytes = trial.make(first);
        std::fwrite(bytes.data(), 1, bytes.size(), stdout);
        return 0;
    }
    const Judge judge(whole);
    if (!judge.fault().empty()) {
        std::fprintf(stderr, "%s is not whole: %s\n", argv[1], judge.fault().c_str());
        return 2;
    }
    trial.run(judge, first, std::strtoull(argv[4], nullptr, 10));
    return 0;
}

}  // namespace
}  // namespace memtrace::test

int main(int argc, char** argv) { return memtrace::test::main(argc, argv); }
