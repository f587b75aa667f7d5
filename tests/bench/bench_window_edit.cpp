// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-window-edit [ELEMENTS]: how long the window stands still while all elements of a
// dense fp16 weight (128 Mi unless given) are filled, undone, made again, saved and undone anew.
// Run it with QT_QPA_PLATFORM=offscreen, or on a display.
#include "app/main_window.h"
#include "made_bundle.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>
#include <QUndoStack>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

using namespace kernscope;
using app::Document;

namespace {

/// The longest time between two turns of the event loop until `done`, and how long it all took.
class Watch
{
public:
    void run(const char *what, const std::function<void()> &start,
             const std::function<bool()> &done)
    {
        QEventLoop loop;
        QTimer timer;
        QElapsedTimer total, turn;
        qint64 longest = 0, turns = 0;
        double busiest = 0, cpu = ownSeconds(); // of this thread, however busy the machine is
        QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
            longest = std::max(longest, turn.nsecsElapsed());
            busiest = std::max(busiest, ownSeconds() - cpu);
            cpu = ownSeconds();
            turn.restart();
            ++turns;
            if (done())
                loop.quit();
        });
        total.start();
        turn.start();
        timer.start(0);
        start();
        longest = std::max(longest, turn.nsecsElapsed());
        loop.exec();
        fmt::print("{:8} {:9.1f} ms   longest pause {:7.1f} ms, {:7.1f} ms of it computing   "
                   "{} turns   {} MiB resident\n",
                   what, 1e-6 * double(total.nsecsElapsed()), 1e-6 * double(longest), 1e3 * busiest,
                   turns, residentMiB());
        std::fflush(stdout);
    }

private:
    static double ownSeconds()
    {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
    }
    static long residentMiB()
    {
        std::ifstream file("/proc/self/statm");
        long size = 0, resident = 0;
        file >> size >> resident;
        return resident * ::sysconf(_SC_PAGESIZE) / (1 << 20);
    }
};

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    const std::uint64_t elements = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 128u << 20;
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("large.bin"));
    {
        test::MadeBundle made;
        (void)made.blob(ElementType::Fp16, fmt::format("[{}]", elements),
                        test::Bytes(2 * elements));
        const test::Bytes content = made.weights();
        std::ofstream out(path.toStdString(), std::ios::binary);
        out.write(reinterpret_cast<const char *>(content.data()), std::streamsize(content.size()));
    }
    app::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    app::MainWindow window(settings);
    window.resize(1400, 900);
    window.show();
    Document &document = window.document();
    ui::Session &session = window.session();
    const auto settled = [&] {
        return document.busy() == Document::Busy::Idle && session.tasks().idle();
    };
    QObject::connect(&session, &ui::Session::editsRefused, &window,
                     [](const Error &error) { fmt::print("refused: {}\n", describe(error)); });
    Watch watch;
    watch.run(
        "open", [&] { document.open(path); }, [&] { return document.isOpen() && settled(); });
    session.setPatchingEnabled(true);
    const auto edit =
        parseEdit(Edit::Kind::Fill, session.bundle()->weights().front().name + "[:]=0.5");
    // A fork that takes the bundle's place was made aside; else the edit was laid here.
    const auto step = [&](const char *what, const std::function<void()> &start) {
        const BundlePtr before = session.bundle();
        watch.run(what, start, settled);
        if (session.bundle() == before)
            fmt::print("         laid on the GUI thread\n");
    };
    step("fill", [&] { session.requestEdits({*edit}, {}); });
    step("undo", [&] { document.goToStep(0); });
    step("redo", [&] { document.goToStep(1); });
    watch.run(
        "save", [&] { document.save(false); }, settled);
    step("undo", [&] { document.goToStep(0); });
    return 0;
}
