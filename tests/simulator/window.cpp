// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-window-simulator: edits in a window whose disk fails and that is killed, beside a
// second one.
//
//   kernscope-window-simulator [--seconds S | --runs N] [--seed N]
//
// A run is one bundle and windows that open it one after the other, drawn from its seed. Each
// edits, undoes, saves, reloads, and is then killed, most often in the middle of that: at a system
// call, or at a moment. The next one must offer what was on the screen, and show the numbers of
// before the last step or of after it; a second window beside it must be offered nothing. Where a
// call of a step fails, the numbers on the screen stay, the file holds those of before or of after,
// and the next step that the disk lets through makes all of it as safe as it was. What goes wrong
// prints the seed and the steps.
#include "tests/app/window_fixture.h"
#include "tests/simulator/faults.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QUndoStack>

#include <cstdio>
#include <iostream>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

using app::Document;
using simulator::Fault;
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kElements = 12; ///< of the first weight that are edited

// ---- the window that is killed

/// Reads steps from standard input and says after each what the window shows.
class Window
{
public:
    Window(QString path, const QString &state) : m_path(std::move(path)), m_document(m_session)
    {
        m_document.keepEditsIn(state);
        m_document.setInterruptedAnswer(Document::Interrupted::Recover);
        const auto say = [](const Error &error) {
            std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
        };
        QObject::connect(&m_session, &ui::Session::editsRefused, say);
        QObject::connect(&m_document, &Document::saveFailed, say);
        QObject::connect(&m_document, &Document::saveFailed, [this] { m_unsaved = true; });
    }

    int run()
    {
        const std::string folder = QFileInfo(m_path).absolutePath().toStdString();
        folder.copy(m_watch->folder.data(), m_watch->folder.size() - 1);
        m_document.open(m_path);
        if (!idle() || !m_document.isOpen())
            return 1;
        m_session.setPatchingEnabled(true);
        tell();
        for (std::string line; std::getline(std::cin, line);) {
            std::istringstream step(line);
            simulator::watchCalls(m_watch);
            perform(step);
            if (!idle())
                return 1;
            m_document.editJournal()->flush();
            simulator::watchCalls(nullptr);
            if (m_watch->plan.kind != Fault::None && m_watch->struck) {
                std::fprintf(stderr, "fault at %s\n", m_watch->where.data());
                m_locks = m_locks && std::string_view(m_watch->where.data()).find("flock") != 0;
            }
            m_watch->plan = {};
            tell();
        }
        return 0;
    }

private:
    void perform(std::istringstream &step)
    {
        std::string name;
        step >> name;
        if (name == "fault") { // comes at a call of what follows
            int kind = 0;
            step >> kind >> m_watch->plan.call >> m_watch->plan.number >> name;
            m_watch->plan.kind = static_cast<Fault>(kind);
            m_watch->calls = 0;
            m_watch->struck = false;
        }
        if (name == "set") {
            std::size_t element = 0;
            double value = 0;
            step >> element >> value;
            m_session.requestEdits({test::setEdit(*m_session.bundle(), 0, element, value)}, {});
        } else if (name == "undo") {
            m_session.undoStack().undo();
        } else if (name == "redo") {
            m_session.undoStack().redo();
        } else if (name == "save") {
            m_document.save({});
        } else if (name == "reload") {
            m_document.reload(true);
        } else {
            for (const auto &left : m_document.editJournal()->left(m_path))
                name == "make" ? m_document.makeLeftEdits(left.file)
                               : m_document.editJournal()->discard(left.file);
        }
    }

    bool idle() const
    {
        return QTest::qWaitFor([this] { return m_document.busy() == Document::Busy::Idle; }, 60000);
    }

    /// "0.5 … | lists of edits that another window left, whether a save
    /// failed, whether the file system has locks"
    void tell()
    {
        std::array<float, kElements> values{};
        m_session.bundle()->decoder(0)->decodeFloat(0, values);
        for (const float value : values)
            std::printf("%.9g ", static_cast<double>(value));
        std::printf("| %zu %d %d\n", m_document.editJournal()->left(m_path).size(),
                    std::exchange(m_unsaved, false) ? 1 : 0, m_locks ? 1 : 0);
        std::fflush(stdout);
    }

    QString m_path;
    simulator::Watch *m_watch = simulator::makeWatch();
    bool m_unsaved = false; ///< a save failed since it was told
    bool m_locks = true;
    ui::Session m_session;
    Document m_document;
};

// ---- what may be seen

using Values = std::array<double, kElements>;

struct Model {
    Values shown{};
    std::set<Values> disk; ///< what it may hold: more than one where a save failed
    /// Steps of this window: element, what it was, what it became.
    struct Made {
        std::size_t element = 0;
        double before = 0, after = 0;
    };
    std::vector<Made> made;
    std::size_t current = 0; ///< those after it are undone
};

struct Told {
    Values values{};
    std::size_t left = 0;
    bool unsaved = false; ///< a save failed
    bool locks = true;
};

struct Failure {
    std::string what;
};

class Run
{
public:
    Run(QString path, QString state, std::uint32_t seed)
        : m_path(std::move(path)), m_state(std::move(state)), m_random(seed)
    {
    }

    /// The failure, after the steps that led to it.
    std::optional<Failure> perform()
    {
        try {
            for (int life = 0; life < 6; ++life)
                live(life == 0);
        } catch (const Failure &failure) {
            return Failure{m_steps + failure.what};
        }
        return std::nullopt;
    }
    std::uint64_t steps() const { return m_count; }

private:
    void live(bool first)
    {
        QProcess window;
        start(window);
        const Told begun = hear(window);
        if (first)
            m_model = {begun.values, {begun.values}, {}, 0};
        else
            begin(window, begun);
        m_before = m_model;
        m_halfSaved = false;
        m_locks = true;
        m_model.made.clear();
        m_model.current = 0;
        const auto count = m_random() % 7;
        for (std::uint32_t i = 0; i < count; ++i) {
            const bool fails = m_random() % 4 == 0;
            step(window, fails);
            if (fails)
                step(window, false);
            if (m_random() % 6 == 0 && m_locks)
                lookBeside();
        }
        m_before = m_model;
        if (m_random() % 3 != 0) { // killed in the middle of a step
            const bool atCall = m_random() % 2 == 0;
            say(window, (atCall ? drawFault(true) : "") + draw());
            if (atCall)
                window.waitForReadyRead(5000);
            else
                QThread::usleep(m_random() % 2 == 0 ? m_random() % 20000 : m_random() % 2000);
        }
        window.kill();
        window.waitForFinished();
        m_steps += "killed\n";
    }

    void step(QProcess &window, bool fails)
    {
        const Model before = m_model;
        const std::string drawn = draw();
        fails = fails && drawn != "reload"; // of what cannot be read no value can be told
        say(window, (fails ? drawFault(false) : "") + drawn);
        const Told told = hear(window);
        m_locks = told.locks;
        if (told.unsaved && !fails && !m_halfSaved)
            fail("a save failed on a sound disk");
        // Its old bytes could not be put back: it has to be recovered before the next save.
        m_halfSaved = m_halfSaved || told.unsaved;
        std::set<Values> disk = m_model.disk;
        if (fails || told.unsaved)
            disk.insert(before.disk.begin(), before.disk.end());
        if (fails && told.values != m_model.shown) // the step was refused
            m_model = before;
        m_model.disk = std::move(disk);
        if (told.values != m_model.shown)
            fail("the window shows other numbers than were entered");
    }

    /// "fault kind call errno ", of the step that follows.
    std::string drawFault(bool kills)
    {
        constexpr std::array kKills{Fault::KilledBefore, Fault::KilledAfter};
        constexpr std::array kFails{Fault::Fails, Fault::FailsOnwards, Fault::Full, Fault::Short};
        constexpr std::array kErrors{EIO, ENOSPC, EACCES, EROFS, EMFILE};
        const Fault kind = kills ? kKills[m_random() % 2] : kFails[m_random() % 4];
        return fmt::format("fault {} {} {} ", static_cast<int>(kind), 1 + m_random() % 80,
                           kErrors[m_random() % kErrors.size()]);
    }

    /// The next window after a kill. What was on the disk is that of before the last step or of
    /// after it, and so is what is made again.
    void begin(QProcess &window, const Told &begun)
    {
        if (!m_before.disk.contains(begun.values) && !m_model.disk.contains(begun.values))
            fail("the disk holds neither what was saved before the kill nor after it");
        const bool unsaved = m_before.shown != begun.values && m_model.shown != begun.values;
        if (begun.left > 1 || (unsaved && begun.left == 0))
            fail(QString(u"%1 lists of edits are offered"_s).arg(begun.left).toStdString());
        Told after = begun;
        const bool discards = m_random() % 5 == 0;
        if (begun.left == 1) {
            say(window, discards ? "discard" : "make");
            after = hear(window);
            if (after.left != 0)
                fail("edits are offered a second time");
        }
        const bool kept = after.values == m_before.shown || after.values == m_model.shown;
        if (begun.left == 1 && discards ? after.values != begun.values : !kept)
            fail(fmt::format("the numbers that were on the screen are lost: {} where {} were",
                             fmt::join(after.values, " "), fmt::join(m_model.shown, " ")));
        m_model.shown = after.values;
        m_model.disk = {begun.values};
    }

    /// A step that is possible, and what it makes of the model.
    std::string draw()
    {
        ++m_count;
        const auto which = m_random() % 10;
        auto &[shown, disk, made, current] = m_model;
        // The first edit of a cell may become one with the last that was made again.
        if (which < 2 && current > 1) {
            --current;
            shown[made[current].element] = made[current].before;
            return "undo";
        }
        if (which == 2 && current < made.size()) {
            shown[made[current].element] = made[current].after;
            ++current;
            return "redo";
        }
        if (which == 3) {
            disk = {shown};
            return "save";
        }
        if (which == 4) {
            made.clear();
            current = 0;
            return "reload";
        }
        made.resize(current);
        std::size_t element = m_random() % kElements;
        if (current > 0 && made.back().element == element) // two edits of a cell become one
            element = (element + 1) % kElements;
        double value = 0;
        do // which fp16 holds
            value = static_cast<double>(m_random() % 2048) / 64;
        while (value == shown[element]);
        made.push_back({element, shown[element], value});
        ++current;
        shown[element] = value;
        return fmt::format("set {} {}", element, value);
    }

    void lookBeside()
    {
        QProcess second;
        start(second);
        const Told told = hear(second);
        if (told.left != 0)
            fail("a second window is offered the edits of a living one");
        if (!m_model.disk.contains(told.values))
            fail("a second window shows what is not on the disk");
        second.closeWriteChannel();
        if (!second.waitForFinished(60000) || second.exitCode() != 0)
            fail("a second window does not end");
    }

    void start(QProcess &process) const
    {
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QCoreApplication::applicationFilePath(), {u"--window"_s, m_path, m_state});
    }

    void say(QProcess &process, const std::string &step)
    {
        m_steps += step + '\n';
        process.write((step + '\n').c_str());
        process.waitForBytesWritten();
    }

    Told hear(QProcess &process)
    {
        while (!process.canReadLine()) {
            if (!process.waitForReadyRead(60000))
                fail("the window does not answer");
        }
        const QList<QByteArray> words = process.readLine().simplified().split(' ');
        if (words.size() != kElements + 4)
            fail("the window's answer cannot be read");
        Told told;
        for (std::size_t i = 0; i < kElements; ++i)
            told.values[i] = words[qsizetype(i)].toDouble();
        told.left = words[kElements + 1].toULongLong();
        told.unsaved = words[kElements + 2] == "1";
        told.locks = words.back() == "1";
        return told;
    }

    [[noreturn]] static void fail(std::string what) { throw Failure{std::move(what)}; }

    QString m_path, m_state;
    std::mt19937 m_random;
    Model m_model, m_before;  ///< after the last step, and before it
    bool m_halfSaved = false; ///< a save failed and is to be recovered first
    bool m_locks = true;      ///< else a second window is offered what the first one has
    std::string m_steps;
    std::uint64_t m_count = 0;
};

} // namespace

int main(int argc, char **argv)
{
    const QApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() == 4 && words[1] == u"--window"_s)
        return Window(words[2], words[3]).run();
    const auto option = [&words](const QString &name, double otherwise) {
        const auto at = words.indexOf(name);
        return at > 0 ? words.value(at + 1).toDouble() : otherwise;
    };
    const double seconds = option(u"--seconds"_s, 0), runs = option(u"--runs"_s, 1);
    const auto first = static_cast<std::uint32_t>(option(u"--seed"_s, 1));
    QElapsedTimer timer;
    timer.start();
    std::uint64_t steps = 0;
    std::uint32_t done = 0;
    const auto more = [&] {
        return seconds > 0 ? static_cast<double>(timer.elapsed()) < seconds * 1000 : done < runs;
    };
    for (; more(); ++done) {
        const std::uint32_t seed = first + done;
        const QTemporaryDir folder;
        Run run(test::writeSample(folder.path(), u"dense"_s), folder.filePath(u"state"_s), seed);
        if (const auto failure = run.perform()) {
            std::printf("FAILS, seed %u:\n%s\n", seed, failure->what.c_str());
            return 1;
        }
        steps += run.steps();
    }
    std::printf("%llu steps of windows in %u runs\n", static_cast<unsigned long long>(steps), done);
    return 0;
}
