// run: manual libraries=double-libcupti
// A program with a profiler that uses CUPTI, as PyTorch's does: `gpu_profiled STORY WHEN HOW`.
// WHEN is before (the driver is initialised), after (the story ran once) or never. HOW is
//   old      cuptiSubscribe, which this program is linked to
//   new      cuptiSubscribe_v2, together with others if the version allows it
//   asked    cuptiSubscribe, found by dlsym
//   activity no subscription: cuptiActivityEnable
#include "preload/cuda/cupti_types.h"
#include "tests/programs/gpu_stories.h"

namespace {

using namespace memtrace::preload::cupti;

extern "C" {
Result cuptiGetVersion(uint32_t* version);
Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* ours);
Result cuptiSubscribe_v2(Subscriber* subscriber, Callback callback, void* ours,
                         SubscriberParameters* parameters);
Result cuptiEnableDomain(uint32_t enable, Subscriber subscriber, int domain);
Result cuptiActivityEnable(int kind);
Result cuptiActivityRegisterCallbacks(void* request, void* complete);
}

unsigned long long seen;
void count_callback(void*, int, uint32_t, const void*) { ++seen; }

Result subscribe_newly(Subscriber* subscriber) {
    uint32_t version = 0;
    cuptiGetVersion(&version);
    SubscriberParameters parameters{};
    parameters.size = version < first_with_long_parameters ? short_parameters : sizeof parameters;
    parameters.name = "the program";
    parameters.allows_others = 1;
    return cuptiSubscribe_v2(subscriber, count_callback, nullptr, &parameters);
}

void begin_profile(const std::string& how) {
    Subscriber subscriber = nullptr;
    Result result = 0;
    if (how == "old") result = cuptiSubscribe(&subscriber, count_callback, nullptr);
    if (how == "new") result = subscribe_newly(&subscriber);
    if (how == "asked") {
        void* const library = dlopen("libcupti.so.13", RTLD_LAZY);
        result = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(library, "cuptiSubscribe"))(
            &subscriber, count_callback, nullptr);
    }
    if (how == "activity") {
        result = cuptiActivityRegisterCallbacks(nullptr, nullptr) + cuptiActivityEnable(3);
    }
    printf("the profiler begins: %d\n", result);
    if (subscriber != nullptr) printf("callbacks: %d\n", cuptiEnableDomain(1, subscriber, 1));
}

}  // namespace

int main(int, char** arguments) {
    using gpu::cu;
    const std::string when = arguments[2];
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    cu.spelling = reinterpret_cast<decltype(cu.spelling)>(dlsym(library, #spelling));
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    cu.spelling = reinterpret_cast<decltype(cu.spelling)>(dlsym(library, #spelling));
#include "preload/cuda/cuda_entries.def"
#define GPU_FIND(name, parameters) \
    cu.name = reinterpret_cast<decltype(cu.name)>(dlsym(library, #name));
    GPU_PLAIN_FUNCTIONS(GPU_FIND)
    if (when == "before") begin_profile(arguments[3]);
    gpu::tell(arguments[1]);
    if (when == "after") {
        begin_profile(arguments[3]);
        gpu::tell(arguments[1]);
    }
    printf("the profiler saw %llu callbacks\n", seen);
}
