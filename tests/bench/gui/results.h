// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "watch.h"

#include <QJsonObject>
#include <QStringList>

#include <optional>

namespace kernscope::bench {

/// A row of the table: what is measured, and how much of it is good enough.
struct Measure {
    QString name;
    std::optional<double> goal;
    QString unit = QStringLiteral("ms");
    enum class Judged : std::uint8_t { P99, Longest } judged = Judged::P99; ///< against the goal
};

/// What is allocated after a dock was shown, and how much more that is than before. MiB.
struct DockMemory {
    QString dock;
    double held = 0, more = 0;
};

/// What one input gave: samples by the name of their measure, in the order of the first of each.
class Results
{
public:
    void add(const Measure &measure, const Span &sample);
    void addFigure(const Measure &measure, double figure); ///< that is no time
    void setTurns(std::vector<Turn> longest) { m_longest = std::move(longest); }
    void addMemory(const DockMemory &memory) { m_memory.push_back(memory); }
    void addNote(const QString &note) { m_notes += note; }

    QJsonObject toJson() const;

private:
    struct Entry {
        Measure measure;
        std::vector<Span> samples;
        std::optional<double> figure;
    };
    Entry &entryOf(const Measure &measure);

    std::vector<Entry> m_entries;
    std::vector<Turn> m_longest;
    std::vector<DockMemory> m_memory;
    QStringList m_notes;
};

/// One column an input (what toJson() gave), then the longest turns of each.
QString resultTable(const QStringList &inputs, const QList<QJsonObject> &results);

/// Resident bytes of this process that no file backs: anonymous, or private and written. MiB.
double memoryOverFiles();

/// What is allocated and not freed, in all heaps, whether resident or not. MiB; 0 where the C
/// library does not tell.
double liveMemory();

} // namespace kernscope::bench
