// SPDX-License-Identifier: Apache-2.0
//
// Streams and events. Nothing runs, so all work is done at once, unless a test holds the events
// back. Then a recorded event is not ready until it is released.
#include <atomic>

#include "tests/doubles/libcudart/driver.h"

using namespace cudart_double;

namespace {

struct Stream {
    int priority;
};

struct Event {
    std::atomic<bool> is_waiting{false};
};

std::atomic<bool> events_are_held{false};

Event& event_of(cudaEvent_t event) { return *static_cast<Event*>(event); }

}  // namespace

// For tests: while `held`, recorded events are not ready.
CUDART_DOUBLE void double_cudart_hold_events(int held) { events_are_held = held != 0; }

CUDART_DOUBLE cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned,
                                                       int priority) {
    *stream = new Stream{priority};
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete static_cast<Stream*>(stream);
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
CUDART_DOUBLE cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

CUDART_DOUBLE cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaStreamIsCapturing(cudaStream_t, int* status) {
    *status = 0;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, int* status, uint64_t* id, ...) {
    *status = 0;
    if (id != nullptr) *id = 0;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaThreadExchangeStreamCaptureMode(int*) { return cudaSuccess; }

CUDART_DOUBLE cudaError_t cudaGraphNodeGetDependencies(void*, void*, void*, size_t* count) {
    *count = 0;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new Event;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete static_cast<Event*>(event);
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event_of(event).is_waiting = true;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event_of(event).is_waiting && events_are_held ? cudaErrorNotReady : cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    event_of(event).is_waiting = false;
    return cudaSuccess;
}

CUDART_DOUBLE cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 0;
    return cudaSuccess;
}
