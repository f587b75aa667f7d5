// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/guarded_mapping.h"

#include "core/base/platform.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace kernscope {

namespace {

/// Each written unit splits the mapping, and the system limits the splits (some 65,000 a process).
constexpr std::size_t kMostUnits = 16384;
constexpr std::uint64_t kNothingLost = UINT64_MAX;

std::size_t pageBytes()
{
    static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

constexpr std::size_t roundedUp(std::size_t number, std::size_t step)
{
    return (number + step - 1) / step * step;
}

} // namespace

/// Where a mapping lies. Places are never freed, only used again, so that the handler may walk
/// their list at any moment; everything that it reads is atomic and lock-free.
struct GuardedMapping::Place {
    std::atomic<bool> taken{true};
    std::atomic<std::uintptr_t> begin{0}; ///< 0: nothing is mapped
    std::atomic<std::size_t> size{0};     ///< in whole pages
    std::atomic<std::size_t> unit{0};     ///< bytes that are made writable at once
    std::atomic<std::uint64_t> lostFrom{kNothingLost};
    /// A bit a unit: it is anonymous memory, which is not lost with the file.
    std::array<std::atomic<std::uint64_t>, kMostUnits / 64> own{};
    /// Held while pages are exchanged. Never held over an access to the mapping, so that the
    /// handler cannot interrupt its holder on the same thread.
    std::atomic_flag exchanging = ATOMIC_FLAG_INIT;
    Place *next = nullptr; ///< set before the place is published

    bool isOwn(std::size_t index) const
    {
        return (own[index / 64].load(std::memory_order_relaxed) >> (index % 64) & 1) != 0;
    }
    void lock()
    {
        while (exchanging.test_and_set(std::memory_order_acquire)) {
        }
    }
    void unlock() { exchanging.clear(std::memory_order_release); }
};

namespace {

using Place = GuardedMapping::Place;

std::atomic<Place *> g_places{nullptr};
std::size_t g_pageBytes = 0; ///< set before the handler is
struct sigaction g_previous = {};

static_assert(std::atomic<Place *>::is_always_lock_free &&
                  std::atomic<std::uintptr_t>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "used in a signal handler");

/// Zero pages from `offset` to the end, but for the units that are memory of our own.
bool layZeros(Place &place, std::uintptr_t begin, std::size_t size, std::size_t offset)
{
    const std::size_t unit = place.unit.load();
    for (std::size_t at = offset; at < size;) {
        if (place.isOwn(at / unit)) {
            at = (at / unit + 1) * unit;
            continue;
        }
        std::size_t end = at;
        while (end < size && !place.isOwn(end / unit))
            end = std::min(size, (end / unit + 1) * unit);
        // mmap is a plain system call here: it takes no lock of the C library and no memory.
        void *zeros = ::mmap(reinterpret_cast<void *>(begin + at), end - at, PROT_READ,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        if (zeros == MAP_FAILED)
            return at > offset; // the page that was read is there: the next one may ask again
        at = end;
    }
    return true;
}

bool replaceMissing(std::uintptr_t address)
{
    for (Place *place = g_places.load(); place != nullptr; place = place->next) {
        const std::uintptr_t begin = place->begin.load();
        const std::size_t size = place->size.load();
        if (begin == 0 || address < begin || address - begin >= size)
            continue;
        const std::size_t offset = (address - begin) / g_pageBytes * g_pageBytes;
        std::uint64_t known = place->lostFrom.load();
        while (offset < known && !place->lostFrom.compare_exchange_weak(known, offset)) {
        }
        place->lock();
        const bool replaced = layZeros(*place, begin, size, offset);
        place->unlock();
        return replaced;
    }
    return false;
}

extern "C" void onBusFault(int signal, siginfo_t *info, void *context)
{
    const int kept = errno;
    if (info->si_code == BUS_ADRERR &&
        replaceMissing(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        errno = kept;
        return;
    }
    errno = kept;
    if ((g_previous.sa_flags & SA_SIGINFO) != 0 && g_previous.sa_sigaction != nullptr) {
        g_previous.sa_sigaction(signal, info, context);
    } else if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
        g_previous.sa_handler(signal);
    } else {
        // The access is made again after the return and ends the process as it would have.
        std::signal(SIGBUS, SIG_DFL);
    }
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        g_pageBytes = pageBytes();
        struct sigaction action = {};
        action.sa_sigaction = onBusFault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &g_previous);
    });
}

Place *takePlace()
{
    for (Place *place = g_places.load(); place != nullptr; place = place->next) {
        bool free = false;
        if (place->taken.compare_exchange_strong(free, true))
            return place;
    }
    auto *place = new Place;
    place->next = g_places.load();
    while (!g_places.compare_exchange_weak(place->next, place)) {
    }
    return place;
}

void givePlace(Place *place)
{
    for (auto &word : place->own)
        word.store(0);
    place->lostFrom.store(kNothingLost);
    place->taken.store(false);
}

} // namespace

GuardedMapping::~GuardedMapping()
{
    if (m_place == nullptr)
        return;
    // A reader keeps the mapping alive: no fault of one can come between these.
    void *const mapping = reinterpret_cast<void *>(m_place->begin.exchange(0));
    ::munmap(mapping, m_place->size.load());
    givePlace(m_place);
}

int GuardedMapping::map(int descriptor, std::size_t bytes)
{
    installHandler();
    void *mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED)
        return errno;
    m_place = takePlace();
    m_place->unit.store(roundedUp(std::max<std::size_t>(bytes / kMostUnits + 1, 1), pageBytes()));
    m_place->size.store(roundedUp(bytes, pageBytes()));
    m_place->begin.store(reinterpret_cast<std::uintptr_t>(mapping));
    m_bytes = {static_cast<const std::byte *>(mapping), bytes};
    return 0;
}

std::byte *GuardedMapping::writable(std::size_t offset)
{
    return const_cast<std::byte *>(m_bytes.data()) + offset;
}

std::optional<ByteRange> GuardedMapping::lost() const
{
    const std::uint64_t from = m_place == nullptr ? kNothingLost : m_place->lostFrom.load();
    if (from == kNothingLost)
        return std::nullopt;
    return ByteRange{FileOffset(from), ByteCount(m_bytes.size() - from)};
}

int GuardedMapping::makeWritable(std::size_t offset, std::size_t bytes)
{
    constexpr std::size_t kMostAtOnce = std::size_t{4} << 20; // bounds the memory in between
    const std::size_t unit = m_place->unit.load(), size = m_place->size.load();
    std::size_t last = (offset + bytes - 1) / unit;
    // Who writes on and on gets some more units at once, fewer than are there already: each call
    // takes as long as copying several units.
    if (!m_place->isOwn(last))
        last = std::min(last + ownBefore(offset / unit), (size - 1) / unit);
    for (std::size_t index = offset / unit; index <= last;) {
        if (m_place->isOwn(index)) {
            ++index;
            continue;
        }
        std::size_t end = index + 1;
        while (end <= last && !m_place->isOwn(end) && (end - index) * unit < kMostAtOnce)
            ++end;
        const std::size_t from = index * unit;
        if (const int fault = detach(from, std::min(end * unit, size) - from); fault != 0) {
            // Out of splits: copy-on-write pages do for everything, though a file that becomes
            // shorter takes those along that lie behind its new end.
            constexpr int kAccess = PROT_READ | PROT_WRITE;
            return fault == ENOMEM && ::mprotect(writable(0), size, kAccess) == 0 ? 0 : fault;
        }
        index = end;
    }
    return 0;
}

/// How many units right before that one are memory of our own, of the last megabyte.
std::size_t GuardedMapping::ownBefore(std::size_t index) const
{
    constexpr std::size_t kMostAhead = std::size_t{1} << 20;
    const std::size_t most = std::min(index, kMostAhead / m_place->unit.load());
    std::size_t count = 0;
    while (count < most && m_place->isOwn(index - 1 - count))
        ++count;
    return count;
}

void GuardedMapping::giveUp(std::size_t offset, std::size_t bytes)
{
    const std::size_t first = roundedUp(offset, pageBytes());
    const std::size_t end = (offset + bytes) / pageBytes() * pageBytes();
    if (first < end)
        ::madvise(writable(first), end - first, MADV_DONTNEED);
}

/// Whole units that are still pages of the file: copies them aside and puts the copy in their place
/// in one step, so that no reader finds anything else meanwhile.
int GuardedMapping::detach(std::size_t offset, std::size_t bytes)
{
#ifdef MAP_POPULATE // every page is written at once: handed out together, in place of a fault each
    constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
#else
    constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS;
#endif
    void *copy = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kKind, -1, 0);
    if (copy == MAP_FAILED)
        return errno;
    std::memcpy(copy, m_bytes.data() + offset, bytes);
    const std::size_t unit = m_place->unit.load();
    const auto mark = [&](bool own) {
        for (std::size_t index = offset / unit; index * unit < offset + bytes; ++index) {
            const std::uint64_t bit = std::uint64_t{1} << (index % 64);
            if (own)
                m_place->own[index / 64].fetch_or(bit);
            else
                m_place->own[index / 64].fetch_and(~bit);
        }
    };
    m_place->lock();
    mark(true);
    const int fault = platform::replacePages(copy, writable(offset), bytes);
    if (fault != 0)
        mark(false);
    m_place->unlock();
    if (fault != 0)
        ::munmap(copy, bytes);
    return fault;
}

} // namespace kernscope
