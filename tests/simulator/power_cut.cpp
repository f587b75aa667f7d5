// SPDX-License-Identifier: GPL-3.0-or-later
#include "power_cut.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fcntl.h>
#include <stdio.h> // renameat2
#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::simulator {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBlock = 512;

bool isName(Change change)
{
    return change != Change::Write && change != Change::Sync && change != Change::SyncFolder;
}

/// How many of the changed names are sure.
std::size_t sureNames(const std::vector<LogEntry> &log)
{
    std::size_t names = 0, sure = 0;
    std::map<fs::path, std::size_t> last; // of a folder: names up to its last change
    for (const LogEntry &entry : log) {
        if (isName(entry.change)) {
            ++names;
            last[fs::path(entry.first).parent_path()] = names;
            if (!entry.second.empty() && entry.change != Change::Bury)
                last[fs::path(entry.second).parent_path()] = names;
        } else if (entry.change == Change::SyncFolder) {
            if (const auto found = last.find(entry.first); found != last.end())
                sure = std::max(sure, found->second);
        }
    }
    return sure;
}

void rename(const std::string &from, const std::string &to, unsigned flags = 0)
{
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) != 0)
        throw std::runtime_error("the simulator cannot take a name back: " + to);
}

void takeBack(const LogEntry &entry)
{
    switch (entry.change) {
    case Change::Create:
    case Change::Link: {
        const std::string &name = entry.change == Change::Create ? entry.first : entry.second;
        if (::unlink(name.c_str()) != 0)
            throw std::runtime_error("the simulator cannot take a file back: " + name);
        return;
    }
    case Change::MakeFolder: ::rmdir(entry.first.c_str()); return;
    case Change::RemoveFolder: ::mkdir(entry.first.c_str(), 0700); return;
    case Change::Rename: rename(entry.second, entry.first); return;
    case Change::Exchange: rename(entry.second, entry.first, RENAME_EXCHANGE); return;
    case Change::Bury: rename(entry.second, entry.first); return;
    case Change::Write:
    case Change::Sync:
    case Change::SyncFolder: return;
    }
}

/// Undoes the last `lost` of the writes that touched a block, in that block.
void undoBlock(int descriptor, std::uint64_t block, const std::vector<const LogEntry *> &writes,
               std::size_t lost)
{
    for (std::size_t i = 0; i < lost; ++i) {
        const LogEntry &entry = *writes[writes.size() - 1 - i];
        const std::uint64_t begin = std::max(block * kBlock, entry.offset);
        const std::uint64_t end = std::min((block + 1) * kBlock, entry.offset + entry.bytes);
        for (std::uint64_t at = begin; at < end; ++at) {
            const std::uint64_t index = at - entry.offset;
            const std::byte old = index < entry.old.size() ? entry.old[index] : std::byte{0};
            if (::pwrite(descriptor, &old, 1, static_cast<off_t>(at)) != 1)
                throw std::runtime_error("the simulator cannot take bytes back");
        }
    }
}

void undoWrites(const fs::path &path, const std::vector<const LogEntry *> &writes,
                std::mt19937 &random, unsigned share)
{
    struct stat before = {};
    if (::stat(path.c_str(), &before) != 0)
        return;
    ::chmod(path.c_str(), 0600);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        throw std::runtime_error("the simulator cannot open " + path.string());
    std::map<std::uint64_t, std::vector<const LogEntry *>> blocks;
    for (const LogEntry *entry : writes) {
        for (std::uint64_t at = entry->offset / kBlock;
             entry->bytes > 0 && at <= (entry->offset + entry->bytes - 1) / kBlock; ++at)
            blocks[at].push_back(entry);
    }
    bool all = true;
    for (const auto &[block, touching] : blocks) {
        const bool some = random() % 100 < share;
        const std::size_t lost = some ? 1 + random() % touching.size() : 0;
        undoBlock(descriptor, block, touching, lost);
        all = all && lost == touching.size();
    }
    // A length is lost as well, or comes to the disk before the bytes do. What shortens a file
    // (with bytes to come back) is only taken back as a whole.
    const std::uint64_t old = writes.front()->oldSize;
    const auto now = static_cast<std::uint64_t>(before.st_size);
    const bool grown = now > old;
    const bool cut = grown ? all && random() % 2 == 0 : !all && now < old;
    if (cut && ::ftruncate(descriptor, static_cast<off_t>(grown ? old : now)) != 0)
        throw std::runtime_error("the simulator cannot take a length back");
    ::close(descriptor);
    ::chmod(path.c_str(), before.st_mode & 07777);
}

} // namespace

void cutPower(const std::vector<LogEntry> &log, const fs::path &root, std::mt19937 &random)
{
    std::map<std::uint64_t, std::vector<const LogEntry *>> unsynced;
    for (const LogEntry &entry : log) {
        if (entry.change == Change::Write)
            unsynced[entry.inode].push_back(&entry);
        else if (entry.change == Change::Sync)
            unsynced.erase(entry.inode);
    }
    constexpr std::array<unsigned, 6> kShares{0, 10, 50, 90, 100, 100};
    const unsigned share = kShares[random() % kShares.size()];
    std::map<std::uint64_t, fs::path> places;
    for (const auto &entry : fs::recursive_directory_iterator(root)) {
        struct stat status = {};
        if (entry.is_regular_file() && ::lstat(entry.path().c_str(), &status) == 0)
            places[status.st_ino] = entry.path();
    }
    for (const auto &[inode, writes] : unsynced) {
        if (const auto place = places.find(inode); place != places.end())
            undoWrites(place->second, writes, random, share);
    }
    std::size_t names = static_cast<std::size_t>(std::count_if(
        log.begin(), log.end(), [](const LogEntry &entry) { return isName(entry.change); }));
    const std::size_t sure = sureNames(log);
    const std::size_t kept = random() % 3 == 0 ? sure : sure + random() % (names - sure + 1);
    for (auto entry = log.rbegin(); entry != log.rend() && names > kept; ++entry) {
        if (!isName(entry->change))
            continue;
        takeBack(*entry);
        --names;
    }
}

} // namespace kernscope::simulator
