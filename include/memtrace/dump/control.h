// SPDX-License-Identifier: Apache-2.0
//
// What other processes ask of a program that is recorded, and what the program answers. The words
// stand in the header page of the program's dump. Whoever may write to the dump may ask, so only
// the same user can. Each word is written by one aligned store; zero bytes mean that nothing was
// ever asked.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/format.h"

namespace memtrace {

struct Control {
    // How many searches for lost blocks were asked for (`memtrace lost`), and how many of them have
    // ended. The program writes the second.
    TwinNumber<0x1057b10c> searches;
    TwinNumber<0x70d27e5b> searches_ended;
    // The newest request to record or not, by its number: odd asks to record, even not to. The
    // program begins with 1, and with 2 if it is to wait (start=later). 0: nobody can ask.
    TwinNumber<0x2ec0bd19> recording_asked;
    // The newest request that the program has obeyed.
    TwinNumber<0x0be7ed62> recording_obeyed;
    // The section `past` that counts, as the page of the file where it begins. Whoever compacts the
    // dump of a running program writes it when that section is whole. 0: there is none.
    TwinNumber<0xc0a9ac7d> newest_past;
    // Pages of the file that are holes, because of that.
    TwinNumber<0x9a9e5b1c> pages_given_back;
    // How many compactions the program has asked for, and how many of them have ended. Its helper
    // sleeps on the low half of the first (futex), and writes the second.
    TwinNumber<0xa5ced407> compactions_asked;
    TwinNumber<0xe4dedc0a> compactions_ended;
    // How many of them came to nothing because they failed, and why the newest one did: the number
    // of the signal that ended it, or compaction_error. The helper writes both; the program writes
    // a Note.
    TwinNumber<0xfa11edc0> compactions_failed;
    TwinNumber<0x51617a1e> compaction_failure;
};

inline constexpr uint32_t compaction_error = 0x100;

constexpr bool asks_to_record(uint32_t request) { return request % 2 != 0; }

inline constexpr size_t control_offset = 2048;  // in the file
// The byte of the file that the helper of a program holds a lock on (F_OFD_SETLK) while it lives.
inline constexpr size_t helper_lock_offset = control_offset;
// The byte that a reader holds a lock on if nothing of the dump may go meanwhile.
inline constexpr size_t reader_lock_offset = control_offset + 1;
// Such a lock, for fcntl(). `type` is F_RDLCK or F_WRLCK.
inline struct flock lock_of_byte(short type, size_t offset) {
    struct flock lock = {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(offset);
    lock.l_len = 1;
    return lock;
}
static_assert(control_offset >= sizeof(FileHeader));
static_assert(control_offset + sizeof(Control) <= page_bytes);

// Returns what a word says; 0 if nothing was asked or if the word is damaged.
template <uint32_t whole>
constexpr uint32_t asked(TwinNumber<whole> word) {
    return word.value() == word.again(format_version) ? word.value() : 0;
}

// The same of a word in memory that other processes write at this moment.
template <uint32_t whole>
uint32_t asked_now(const TwinNumber<whole>& word) {
    return asked(TwinNumber<whole>{__atomic_load_n(&word.word, __ATOMIC_ACQUIRE)});
}

}  // namespace memtrace
