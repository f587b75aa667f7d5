// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP: a command stops within half a second, leaves every file as
/// it was or says what was saved, and exits with 4.
///
/// The signal cancels context.progress, which long work looks at. Work that does not look is ended
/// by a thread that waits for a quarter of a second; but not inside of a WritingScope, whose work
/// looks at the progress itself and removes what it began.
namespace kernscope::cli {

struct Context;

/// Catches the signals and starts the thread. Call once, before anything else.
void beginInterrupt(Context &context);
/// Ends the thread. Returns `exitCode`, or 4 where a signal came.
int endInterrupt(const Context &context, int exitCode);
bool interrupted();

/// As long as it lives, the process is not ended from outside: files are being written.
class WritingScope
{
public:
    WritingScope();
    ~WritingScope();
    WritingScope(const WritingScope &) = delete;
    WritingScope &operator=(const WritingScope &) = delete;
};

/// To be called inside of a WritingScope: this output is in its place, whatever comes now.
void noteWritten(const std::string &path);
/// "Stopped; nothing was written", or what was.
std::string stoppedText();

/// Standard output belongs to the command from its first byte on: false where the thread that ends
/// it has begun to write there.
bool takeStandardOutput();

/// Keeps the signals away from the calling thread, so that the main one gets them.
void blockSignals();

} // namespace kernscope::cli
