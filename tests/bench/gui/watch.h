// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QHash>
#include <QPointer>
#include <QSet>
#include <QString>

#include <cstdint>
#include <vector>

/// Measures every turn of the event loop of the GUI thread.
namespace kernscope::bench {

/// What a piece of work took, in milliseconds.
struct Span {
    double wall = 0;
    double cpu = 0;   ///< the GUI thread computed
    double queue = 0; ///< it was ready to run, but other programs had the processors

    /// What it takes on a machine with nothing else to do: computing, and waiting for disks and
    /// for other threads of ours.
    double own() const { return wall > queue ? wall - queue : 0; }
    Span &operator+=(const Span &other)
    {
        wall += other.wall;
        cpu += other.cpu;
        queue += other.queue;
        return *this;
    }
};

/// The clocks at one moment, in milliseconds.
struct Moment {
    double wall = 0, cpu = 0, queue = 0;
};
Moment momentNow();
Span between(const Moment &from, const Moment &to);

/// Milliseconds of CLOCK_MONOTONIC, which all processes share.
double monotonicNow();

/// One turn of the loop: from the first event until it waits again, or begins another turn.
struct Turn {
    Span span;
    Span worst;    ///< of the event that took longest
    QString step;  ///< of the script, during which it was
    QString cause; ///< dock, class and event of that one
    bool painted = false;
};

/// An application that measures the events of its event loops. What the script itself does to wait
/// (ignore()) is not counted.
class WatchedApplication final : public QApplication
{
    Q_OBJECT

public:
    WatchedApplication(int &argc, char **argv);

    bool notify(QObject *receiver, QEvent *event) override;

    void ignore(QObject *receiver) { m_ignored.insert(receiver); }
    void setStep(const QString &step) { m_step = step; }
    const QString &step() const { return m_step; }
    /// monotonicNow() at the end of the last event that was counted.
    double lastEvent() const { return m_lastEvent; }

    /// Forgets what was taken so far.
    void clearFrames() { m_frames.clear(); }
    /// Work since the frame before, through its paint: one entry a frame.
    const std::vector<Span> &frames() const { return m_frames; }
    /// Everything since clearBusy().
    const Span &busy() const { return m_busy; }
    void clearBusy() { m_busy = {}; }
    /// The longest turns, worst first, at most that number of each step.
    std::vector<Turn> longest(std::size_t ofStep) const;
    const std::vector<Turn> &turns() const { return m_turns; }

Q_SIGNALS:
    void framePainted();

private:
    void endTurn();
    void count(QObject *receiver, const QEvent &event, const Span &span);

    QSet<QObject *> m_ignored;
    QString m_step;
    int m_depth = 0;
    bool m_paints = false;
    double m_lastEvent = 0;
    Turn m_turn;
    bool m_inTurn = false;
    Span m_sinceFrame, m_busy;
    std::vector<Span> m_frames;
    std::vector<Turn> m_turns; ///< of a millisecond and more
};

} // namespace kernscope::bench
