// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-window-simulator: edits in a window whose disk fails and that is killed, beside a
// second one.
//
//   kernscope-window-simulator [--seconds S | --runs N | --every-call] [--seed N]
//
// A run is one bundle and windows that open it one after the other, drawn from its seed. Each
// edits, undoes, saves, reloads, and is then killed, most often in the middle of that: at a system
// call, or at a moment. The next one must offer what was on the screen, and show the numbers of
// before the last step or of after it; a second window beside it must be offered nothing, and where
// that one saves an edit, both keep theirs. Where a call of a step fails, the numbers on the screen
// stay, the file holds those of before or of after, and the next step that the disk lets through
// makes all of it as safe as it was. After a power cut the disk holds what was saved once, and only
// numbers are offered that were entered. What goes wrong prints the seed and the fewest moves that
// do it. --every-call: one session, killed before each of its system calls in turn.
#include "tests/app/window_fixture.h"
#include "tests/simulator/power_cut.h"
#include "tests/simulator/steps.h"

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
    Window(QString path, const QString &state, const QString &watch)
        : m_path(std::move(path)), m_watch(simulator::makeWatch(watch.toUtf8().constData())),
          m_document(m_session)
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
            if (m_watch->plan.kind != Fault::KilledBefore) // which may come at a later step
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
    simulator::Watch *m_watch;
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
    std::string what, steps;
};

/// What a run does, drawn beforehand: a run with fewer of them does the same.
struct Move {
    enum class Kind : std::uint8_t { Step, FailingStep, Look, Collide, Kill, KillAtCall, KillSoon };
    Kind kind = Kind::Step;
    std::uint32_t draw = 0;
    bool cutsPower = false; ///< after a kill
};

std::vector<Move> drawMoves(std::uint32_t seed)
{
    using Kind = Move::Kind;
    std::mt19937 random(seed);
    std::vector<Move> moves;
    const auto add = [&](Kind kind, bool cuts = false) {
        moves.push_back({kind, static_cast<std::uint32_t>(random()), cuts});
    };
    for (int life = 0; life < 6; ++life) {
        for (auto count = random() % 7; count > 0; --count) {
            if (random() % 4 == 0)
                add(Kind::FailingStep);
            add(Kind::Step);
            if (const auto beside = random() % 12; beside < 3)
                add(beside == 0 ? Kind::Collide : Kind::Look);
        }
        const std::array kills{Kind::Kill, Kind::KillAtCall, Kind::KillSoon};
        add(kills[random() % 3], random() % 3 == 0);
    }
    return moves;
}

class Run
{
public:
    Run() : m_watch(simulator::makeWatch(m_folder.filePath(u"watch"_s).toUtf8().constData()))
    {
        QDir(m_folder.path()).mkpath(u"disk/state"_s);
        m_path = test::writeSample(m_folder.filePath(u"disk"_s), u"dense"_s);
    }

    ~Run()
    {
        if (m_window)
            kill();
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    std::optional<Failure> perform(const std::vector<Move> &moves)
    {
        return guarded([&] {
            for (const Move &move : moves) {
                m_random.seed(move.draw);
                if (!m_window)
                    live(true);
                make(move);
            }
            if (!m_window)
                live(true);
        });
    }

    /// Each window goes on with what the one before left.
    std::optional<Failure> killAtEveryCall()
    {
        constexpr std::array kSession{&Run::enter, &Run::enter,  &Run::undo,  &Run::redo,
                                      &Run::enter, &Run::reload, &Run::enter, &Run::save,
                                      &Run::enter, &Run::undo};
        return guarded([&] {
            for (bool killed = true; killed;) {
                live(false);
                killed = false;
                std::string fault =
                    fmt::format("fault {} {} 0 ", static_cast<int>(Fault::KilledBefore), ++m_calls);
                for (const auto step : kSession) {
                    m_before = m_model;
                    say(*m_window, std::exchange(fault, {}) + (this->*step)());
                    killed = !answers(*m_window);
                    if (killed)
                        break;
                    hear(*m_window);
                }
                kill();
            }
        });
    }
    std::uint64_t steps() const { return m_count; }
    std::uint32_t calls() const { return m_calls - 1; }

private:
    template <class Work>
    std::optional<Failure> guarded(const Work &work)
    {
        try {
            work();
        } catch (const Failure &failure) {
            return Failure{failure.what, m_steps};
        } catch (const std::runtime_error &) {
            // Of a call that was done when its process was killed nothing is known: no power cut.
        }
        return std::nullopt;
    }

    /// A new window, which finds what the one before left.
    void live(bool mayDiscard)
    {
        const bool first = m_lives++ == 0;
        const QString grave = m_folder.filePath(u"grave"_s);
        QDir(grave).removeRecursively();
        QDir().mkpath(grave);
        grave.toStdString().copy(m_watch->grave.data(), m_watch->grave.size() - 1);
        m_watch->logBytes = m_watch->buried = 0;
        m_watch->plan = {};
        m_watch->recording = true;
        m_window = std::make_unique<QProcess>();
        start(*m_window, true);
        const Told begun = hear(*m_window);
        if (first)
            m_model = {begun.values, {begun.values}, {}, 0};
        else
            begin(*m_window, begun, mayDiscard);
        m_cut = m_halfSaved = false;
        m_locks = true;
        m_listed.clear();
        m_model.made.clear();
        m_model.current = 0;
        remember();
    }

    void make(const Move &move)
    {
        switch (move.kind) {
        case Move::Kind::Step:
        case Move::Kind::FailingStep:
            step(*m_window, move.kind == Move::Kind::FailingStep);
            return remember();
        case Move::Kind::Look: return m_locks ? lookBeside() : void();
        case Move::Kind::Collide: return m_locks && !m_halfSaved ? collide() : void();
        case Move::Kind::Kill: m_before = m_model; break;
        case Move::Kind::KillAtCall:
        case Move::Kind::KillSoon: {
            const bool atCall = move.kind == Move::Kind::KillAtCall;
            m_before = m_model;
            const std::string drawn = draw();
            say(*m_window, (atCall ? drawFault(true) : "") + drawn);
            remember();
            if (atCall)
                m_window->waitForReadyRead(5000);
            else
                QThread::usleep(m_random() % 2 == 0 ? m_random() % 20000 : m_random() % 2000);
            break;
        }
        }
        kill();
        m_cut = move.cutsPower;
        m_everCut = m_everCut || m_cut;
        if (m_cut) {
            m_steps += "the power is cut\n";
            simulator::cutPower(logOf(*m_watch), m_folder.path().toStdString(), m_random);
        }
    }

    void kill()
    {
        m_window->kill();
        m_window->waitForFinished();
        m_window.reset();
        m_steps += "killed\n";
    }

    /// What was on the screen and on the disk: all that a power cut may leave.
    void remember()
    {
        m_everOnDisk.insert(m_model.disk.begin(), m_model.disk.end());
        for (std::size_t i = 0; i < kElements; ++i) {
            m_everShown[i].insert(m_model.shown[i]);
            for (const Values &values : m_model.disk)
                m_everShown[i].insert(values[i]);
        }
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
        if (fails)
            m_listed.insert(before.shown);
        else
            m_listed.clear();
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
    void begin(QProcess &window, const Told &begun, bool mayDiscard)
    {
        // Of several lists, as a power cut can bring back, it is not told which one was the last.
        if (m_cut || (m_everCut && begun.left > 1))
            return beginAfterCut(window, begun);
        if (!m_before.disk.contains(begun.values) && !m_model.disk.contains(begun.values))
            fail("the disk holds neither what was saved before the kill nor after it");
        m_listed.insert({m_before.shown, m_model.shown});
        const bool unsaved = !m_listed.contains(begun.values);
        if (begun.left > 1 || (unsaved && begun.left == 0))
            fail(QString(u"%1 lists of edits are offered"_s).arg(begun.left).toStdString());
        Told after = begun;
        const bool discards = mayDiscard && m_random() % 5 == 0;
        if (begun.left == 1) {
            say(window, discards ? "discard" : "make");
            after = hear(window);
            if (after.left != 0)
                fail("edits are offered a second time");
        }
        if (begun.left == 1 && discards ? after.values != begun.values
                                        : !m_listed.contains(after.values))
            fail(fmt::format("the numbers that were on the screen are lost: {} where {} were",
                             fmt::join(after.values, " "), fmt::join(m_model.shown, " ")));
        m_model.shown = after.values;
        m_model.disk = {begun.values};
    }

    void beginAfterCut(QProcess &window, const Told &begun)
    {
        if (!m_everOnDisk.contains(begun.values))
            fail("after a power cut the disk holds what was never saved");
        Told after = begun;
        for (std::size_t lists = begun.left; lists > 0; --lists) {
            say(window, after.left > 0 ? "make" : "discard");
            after = hear(window);
        }
        if (after.left > 0)
            fail("edits are offered again and again");
        for (std::size_t i = 0; i < kElements; ++i) {
            if (!m_everShown[i].contains(after.values[i]))
                fail("after a power cut numbers are shown that were never entered");
        }
        m_model.shown = after.values;
        m_model.disk = {begun.values};
    }

    // Steps, and what they make of the model.
    std::string undo()
    {
        --m_model.current;
        m_model.shown[m_model.made[m_model.current].element] = m_model.made[m_model.current].before;
        return "undo";
    }
    std::string redo()
    {
        m_model.shown[m_model.made[m_model.current].element] = m_model.made[m_model.current].after;
        ++m_model.current;
        return "redo";
    }
    std::string save()
    {
        m_model.disk = {m_model.shown};
        return "save";
    }
    std::string enter()
    {
        auto &[shown, disk, made, current] = m_model;
        made.resize(current);
        std::size_t element = m_random() % kElements;
        if (current > 0 && made.back().element == element) // two edits of a cell become one
            element = (element + 1) % kElements;
        const double value = otherThan(shown[element]);
        made.push_back({element, shown[element], value});
        ++current;
        shown[element] = value;
        return fmt::format("set {} {}", element, value);
    }
    /// One that is possible.
    std::string draw()
    {
        ++m_count;
        const auto which = m_random() % 10;
        // The first edit of a cell may become one with the last that was made again.
        if (which < 2 && m_model.current > 1)
            return undo();
        if (which == 2 && m_model.current < m_model.made.size())
            return redo();
        if (which == 3)
            return save();
        return which == 4 ? reload() : enter();
    }
    /// Its steps may become one with later ones.
    std::string reload()
    {
        m_model.made.clear();
        m_model.current = 0;
        return "reload";
    }

    /// Which fp16 holds.
    double otherThan(double shown)
    {
        double value = 0;
        do
            value = static_cast<double>(m_random() % 2048) / 64;
        while (value == shown);
        return value;
    }

    /// A second window edits and saves: the first one does not write over that, and shows it beside
    /// its own numbers once it has read the bundle again.
    void collide()
    {
        ++m_count;
        QProcess second;
        start(second, false);
        const Values before = hear(second).values;
        const std::size_t element = m_random() % kElements;
        say(second, fmt::format("set {} {}", element, otherThan(before[element])));
        hear(second);
        say(second, "save");
        const Told saved = hear(second);
        if (saved.unsaved || saved.values == before)
            fail("a second window cannot save");
        second.closeWriteChannel();
        second.waitForFinished(60000);
        Values both = saved.values;
        for (std::size_t i = 0; i < kElements; ++i)
            both[i] = m_model.shown[i] != before[i] ? m_model.shown[i] : both[i];
        say(*m_window, "save");
        const bool refused = hear(*m_window).unsaved;
        say(*m_window, "reload");
        const Told told = hear(*m_window);
        if (told.values != both)
            fail(fmt::format("of two windows one loses its numbers: {} where {} were entered",
                             fmt::join(told.values, " "), fmt::join(both, " ")));
        m_model = {both, {refused ? saved.values : both}, {}, 0};
        remember();
    }

    void lookBeside()
    {
        QProcess second;
        start(second, false);
        const Told told = hear(second);
        if (told.left != 0)
            fail("a second window is offered the edits of a living one");
        if (!m_model.disk.contains(told.values))
            fail("a second window shows what is not on the disk");
        second.closeWriteChannel();
        if (!second.waitForFinished(60000) || second.exitCode() != 0)
            fail("a second window does not end");
    }

    void start(QProcess &process, bool recorded) const
    {
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QCoreApplication::applicationFilePath(),
                      {u"--window"_s, m_path, m_folder.filePath(u"disk/state"_s),
                       recorded ? m_folder.filePath(u"watch"_s) : QString()});
    }

    void say(QProcess &process, const std::string &step)
    {
        m_steps += step + '\n';
        process.write((step + '\n').c_str());
        process.waitForBytesWritten();
    }

    static bool answers(QProcess &process)
    {
        while (!process.canReadLine()) {
            if (!process.waitForReadyRead(60000))
                return false;
        }
        return true;
    }

    static Told hear(QProcess &process)
    {
        if (!answers(process))
            fail("the window does not answer");
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

    [[noreturn]] static void fail(std::string what) { throw Failure{std::move(what), {}}; }

    QTemporaryDir m_folder;
    QString m_path;
    simulator::Watch *m_watch; ///< of the window, in a file that both map
    std::unique_ptr<QProcess> m_window;
    std::mt19937 m_random;
    Model m_model, m_before;   ///< after the last step, and before it
    std::set<Values> m_listed; ///< of steps that failed since the last one that went through
    std::set<Values> m_everOnDisk;
    std::array<std::set<double>, kElements> m_everShown;
    bool m_cut = false;       ///< the power, after the last kill
    bool m_everCut = false;   ///< or after one before
    bool m_halfSaved = false; ///< a save failed and is to be recovered first
    bool m_locks = true;      ///< else a second window is offered what the first one has
    std::string m_steps;
    std::uint32_t m_lives = 0, m_calls = 0;
    std::uint64_t m_count = 0;
};

/// The failure, after the fewest moves that lead to it.
Failure shrunk(std::vector<Move> moves, Failure failure)
{
    const auto rule = [](const Failure &of) { return of.what.substr(0, of.what.find(':')); };
    simulator::shrink(moves, [&](const std::vector<Move> &fewer) {
        const auto again = Run().perform(fewer);
        const bool same = again && rule(*again) == rule(failure);
        failure = same ? *again : failure;
        return same;
    });
    return failure;
}

} // namespace

int main(int argc, char **argv)
{
    const QApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() == 5 && words[1] == u"--window"_s)
        return Window(words[2], words[3], words[4]).run();
    const auto said = [](const Failure &failure, const std::string &again) {
        std::printf("FAILS, %s:\n%s%s\n", again.c_str(), failure.steps.c_str(),
                    failure.what.c_str());
        return 1;
    };
    if (words.contains(u"--every-call"_s)) {
        Run run;
        if (const auto failure = run.killAtEveryCall())
            return said(*failure, fmt::format("killed before call {}", run.calls() + 1));
        std::printf("killed before each of %u system calls\n", run.calls());
        return run.calls() > 50 ? 0 : 1;
    }
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
        const auto moves = drawMoves(first + done);
        Run run;
        if (const auto failure = run.perform(moves))
            return said(shrunk(moves, *failure), fmt::format("seed {}", first + done));
        steps += run.steps();
    }
    std::printf("%llu steps of windows in %u runs\n", static_cast<unsigned long long>(steps), done);
    return 0;
}
