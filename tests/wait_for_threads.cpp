// SPDX-License-Identifier: GPL-3.0-or-later
// Linked into every test program of a sanitizer build. Qt Test's watchdog thread is joined before
// the thread's own storage is released: a leak check in between reports Qt's 152 bytes as lost.
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace {

/// Destroyed before the leak check: waits until the main thread is the only one, a second at most.
struct WaitForThreads {
    ~WaitForThreads()
    {
        using namespace std::chrono_literals;
        const auto last = std::chrono::steady_clock::now() + 1s;
        while (threads() > 1 && std::chrono::steady_clock::now() < last)
            std::this_thread::sleep_for(1ms);
    }

    static std::ptrdiff_t threads()
    {
        std::error_code fault;
        std::filesystem::directory_iterator tasks("/proc/self/task", fault);
        std::ptrdiff_t count = 0;
        while (!fault && tasks != std::filesystem::directory_iterator()) {
            ++count;
            tasks.increment(fault);
        }
        return fault ? 0 : count;
    }
} waitForThreads;

} // namespace
