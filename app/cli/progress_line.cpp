// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"

#include <chrono>
#include <cstdio>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

namespace kernscope::cli {

ProgressLine::ProgressLine(const Context &context, std::string label) : m_label(std::move(label))
{
    if (!context.quiet && isatty(STDERR_FILENO) == 1)
        try {
            m_thread = std::thread([this, &context] { run(context.progress); });
        } catch (const std::system_error &) { // no thread is left: no line
        }
}

ProgressLine::~ProgressLine()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_done = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void ProgressLine::run(const Progress &progress)
{
    using namespace std::chrono_literals;
    blockSignals();
    bool shown = false;
    std::unique_lock lock(m_mutex);
    // Work that ends at once should not flash a line.
    for (auto pause = 400ms; !m_wake.wait_for(lock, pause, [this] { return m_done; });
         pause = 100ms) {
        const std::string line =
            fmt::format("\r{} {:3.0f} %\x1b[K", m_label, progress.fraction() * 100);
        std::fwrite(line.data(), 1, line.size(), stderr);
        shown = true;
    }
    if (shown)
        std::fputs("\r\x1b[K", stderr);
}

} // namespace kernscope::cli
