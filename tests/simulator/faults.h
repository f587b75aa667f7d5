// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// System calls on files below one folder: counted, broken at a chosen one, and recorded so that a
/// power cut can take back what was not brought to the disk. The program defines the functions of
/// the C library itself (faults.cpp), so that nothing has to be loaded before it.
namespace kernscope::simulator {

enum class Fault : std::uint8_t {
    None,
    Fails,        ///< that call, with an error
    FailsOnwards, ///< that call and all after it
    Full,         ///< from that call on nothing new and nothing longer finds room
    Short,        ///< a read or a write does half of it
    Lost,         ///< a write reports success and writes nothing
    Corrupt,      ///< a write changes one byte
    KilledBefore,
    KilledAfter,
    Stops, ///< before that call, until it is continued
    Signal ///< one that ends the process comes in
};
constexpr std::array<std::string_view, 11> kFaultNames{
    "no fault",      "fails",         "fails onwards", "full disk", "short", "lost write",
    "corrupt write", "killed before", "killed after",  "stops",     "signal"};

struct FaultPlan {
    Fault kind = Fault::None;
    std::uint32_t call = 0; ///< from 1; one that it cannot come at leaves it to the next
    int number = 0;         ///< errno, or the signal
};

/// What a call did to the disk, with what it takes to undo it.
enum class Change : std::uint8_t {
    Write, ///< `old` is what was there; also of a change of length
    Sync,
    SyncFolder,
    Create,
    MakeFolder,
    RemoveFolder,
    Link,     ///< second is a further name of first
    Rename,   ///< first became second
    Exchange, ///< first and second changed places
    Bury      ///< first lost its name; it lies at second now, outside of the folder
};

struct LogEntry {
    Change change = Change::Write;
    std::uint64_t inode = 0;             ///< Write, Sync
    std::uint64_t offset = 0, bytes = 0; ///< Write
    std::uint64_t oldSize = 0;           ///< Write: of the file before
    std::string first, second;           ///< paths
    std::vector<std::byte> old;          ///< Write: fewer than `bytes` at the file's old end
};

/// Shared between the simulator and a process that it watches.
struct Watch {
    static constexpr std::size_t kLogBytes = std::size_t{24} << 20;
    static constexpr std::size_t kAnswerBytes = std::size_t{8} << 20;
    std::array<char, 512> folder; ///< paths below it count
    std::array<char, 512> grave;  ///< where removed files go while changes are recorded
    FaultPlan plan;
    bool recording;
    bool struck;                  ///< the fault has come
    std::array<char, 256> where;  ///< the call that it came at
    std::uint32_t calls, changes; ///< so far; those that changed the disk
    std::uint32_t buried;
    std::uint64_t logBytes, answerBytes;
    std::array<std::byte, kLogBytes> log;
    std::array<std::byte, kAnswerBytes> answer;
};

/// New shared memory, all zero; with a path that of a file, which another process maps as well.
Watch *makeWatch(const char *path = "");
/// Watches this process from here on; null: no longer.
void watchCalls(Watch *watch);
std::vector<LogEntry> logOf(const Watch &watch);

} // namespace kernscope::simulator
