// SPDX-License-Identifier: GPL-3.0-or-later
#include "results.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <fmt/format.h>

using namespace Qt::StringLiterals;

namespace kernscope::bench {

namespace {

/// The value that a share `p` of the samples does not exceed.
double percentile(std::vector<double> values, double p)
{
    std::ranges::sort(values);
    const auto rank = std::size_t(p * double(values.size()));
    return values[std::min(rank, values.size() - 1)];
}

QJsonObject figuresOf(const std::vector<Span> &samples, double (*part)(const Span &))
{
    std::vector<double> values;
    for (const Span &sample : samples)
        values.push_back(part(sample));
    return {{u"p50"_s, percentile(values, 0.5)},
            {u"p99"_s, percentile(values, 0.99)},
            {u"longest"_s, percentile(values, 1)}};
}

QJsonObject spanJson(const Span &span)
{
    return {{u"own"_s, span.own()}, {u"cpu"_s, span.cpu}, {u"wall"_s, span.wall}};
}

std::string cellOf(const QJsonObject &measure)
{
    if (measure.isEmpty())
        return "-";
    const auto goal = measure.value(u"goal"_s);
    double judged = 0;
    std::string text;
    if (measure.contains(u"figure"_s)) {
        judged = measure.value(u"figure"_s).toDouble();
        text = fmt::format("{:.1f}", judged);
    } else {
        const QJsonObject own = measure.value(u"own"_s).toObject();
        const QJsonObject cpu = measure.value(u"cpu"_s).toObject();
        const QJsonObject wall = measure.value(u"wall"_s).toObject();
        judged = own.value(measure.value(u"judged"_s).toString()).toDouble();
        const auto triple = [&](const char *key) {
            const QString name = QString::fromLatin1(key);
            return fmt::format("{:.1f}/{:.1f}/{:.1f}", own.value(name).toDouble(),
                               cpu.value(name).toDouble(), wall.value(name).toDouble());
        };
        text = measure.value(u"samples"_s).toInt() == 1
                   ? triple("p50")
                   : fmt::format("{:.1f} {} {:.1f}", own.value(u"p50"_s).toDouble(), triple("p99"),
                                 own.value(u"longest"_s).toDouble());
    }
    if (!goal.isUndefined())
        text += judged <= goal.toDouble() ? " holds" : " ABOVE";
    return text;
}

} // namespace

Results::Entry &Results::entryOf(const Measure &measure)
{
    for (Entry &entry : m_entries) {
        if (entry.measure.name == measure.name)
            return entry;
    }
    m_entries.push_back({measure, {}, {}});
    return m_entries.back();
}

void Results::add(const Measure &measure, const Span &sample)
{
    entryOf(measure).samples.push_back(sample);
}

void Results::addFigure(const Measure &measure, double figure)
{
    entryOf(measure).figure = figure;
}

QJsonObject Results::toJson() const
{
    QJsonArray measures, turns;
    for (const Entry &entry : m_entries) {
        QJsonObject row{{u"name"_s, entry.measure.name},
                        {u"unit"_s, entry.measure.unit},
                        {u"judged"_s, entry.measure.judged == Measure::Judged::Longest
                                          ? u"longest"_s
                                          : u"p99"_s}};
        if (entry.measure.goal)
            row.insert(u"goal"_s, *entry.measure.goal);
        if (entry.figure) {
            row.insert(u"figure"_s, *entry.figure);
        } else if (!entry.samples.empty()) {
            row.insert(u"samples"_s, int(entry.samples.size()));
            row.insert(u"own"_s, figuresOf(entry.samples, [](const Span &s) { return s.own(); }));
            row.insert(u"cpu"_s, figuresOf(entry.samples, [](const Span &s) { return s.cpu; }));
            row.insert(u"wall"_s, figuresOf(entry.samples, [](const Span &s) { return s.wall; }));
        }
        measures.append(row);
    }
    for (const Turn &turn : m_longest) {
        QJsonObject row = spanJson(turn.span);
        row.insert(u"step"_s, turn.step);
        row.insert(u"cause"_s, turn.cause);
        row.insert(u"event"_s, spanJson(turn.worst));
        turns.append(row);
    }
    QJsonArray memory;
    for (const DockMemory &row : m_memory)
        memory.append(
            QJsonObject{{u"dock"_s, row.dock}, {u"held"_s, row.held}, {u"more"_s, row.more}});
    return {{u"measures"_s, measures},
            {u"memory_by_dock"_s, memory},
            {u"longest_turns"_s, turns},
            {u"notes"_s, QJsonArray::fromStringList(m_notes)}};
}

namespace {

/// The first, the last, and the docks after which a tenth of a MiB more or less is held.
std::string memoryText(const QJsonArray &rows)
{
    std::string text;
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const QJsonObject row = rows[i].toObject();
        const double more = row.value(u"more"_s).toDouble();
        if (i == 0 || i + 1 == rows.size() || std::abs(more) >= 0.1)
            text += fmt::format("{:8.1f} {:+7.1f}  {}\n", row.value(u"held"_s).toDouble(), more,
                                row.value(u"dock"_s).toString().toStdString());
    }
    return text;
}

} // namespace

QString resultTable(const QStringList &inputs, const QList<QJsonObject> &results)
{
    QStringList names, titles;
    QList<QList<QJsonObject>> rows;
    for (qsizetype i = 0; i < results.size(); ++i) {
        for (const QJsonValue &value : results[i].value(u"measures"_s).toArray()) {
            const QJsonObject measure = value.toObject();
            const QString name = measure.value(u"name"_s).toString();
            if (!names.contains(name)) {
                names += name;
                const auto goal = measure.value(u"goal"_s);
                const QString unit = measure.value(u"unit"_s).toString();
                titles += goal.isUndefined()
                              ? u"%1 (%2)"_s.arg(name, unit)
                              : u"%1 (%2, goal %3)"_s.arg(name, unit).arg(goal.toDouble());
                rows += QList<QJsonObject>(results.size());
            }
            rows[names.indexOf(name)][i] = measure;
        }
    }
    std::string text =
        "Times of the GUI thread in milliseconds: own/computing/wall, where own is the wall time\n"
        "without waiting for a processor. Several samples: p50 of own, p99, longest own.\n\n";
    text += fmt::format("{:52}", "");
    for (const QString &input : inputs)
        text += fmt::format(" | {:38}", input.toStdString());
    text += '\n';
    for (qsizetype row = 0; row < names.size(); ++row) {
        text += fmt::format("{:52}", titles[row].toStdString());
        for (const QJsonObject &measure : rows[row])
            text += fmt::format(" | {:38}", cellOf(measure));
        text += '\n';
    }
    for (qsizetype i = 0; i < results.size(); ++i) {
        text +=
            fmt::format("\nLongest turns, {} (own/computing/wall; of which its longest event):\n",
                        inputs[i].toStdString());
        for (const QJsonValue &value : results[i].value(u"longest_turns"_s).toArray()) {
            const QJsonObject turn = value.toObject();
            const QJsonObject event = turn.value(u"event"_s).toObject();
            const auto part = [](const QJsonObject &span, const char *key) {
                return span.value(QString::fromLatin1(key)).toDouble();
            };
            text += fmt::format(
                "{:8.1f}/{:.1f}/{:.1f}  {}: {} {:.1f}\n", part(turn, "own"), part(turn, "cpu"),
                part(turn, "wall"), turn.value(u"step"_s).toString().toStdString(),
                turn.value(u"cause"_s).toString().toStdString(), part(event, "own"));
        }
        const QJsonArray memory = results[i].value(u"memory_by_dock"_s).toArray();
        if (!memory.isEmpty())
            text += "Allocated after each step and dock, and the difference (MiB):\n" +
                    memoryText(memory);
        for (const QJsonValue &note : results[i].value(u"notes"_s).toArray())
            text += "    " + note.toString().toStdString() + '\n';
    }
    return QString::fromStdString(text);
}

double liveMemory()
{
#ifdef __GLIBC__
    const struct mallinfo2 info = ::mallinfo2();
    return double(info.uordblks + info.hblkhd) / (1024.0 * 1024.0);
#else
    return 0;
#endif
}

double memoryOverFiles()
{
    std::ifstream file("/proc/self/smaps");
    std::uint64_t kibibytes = 0, dirty = 0;
    bool ofFile = false;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (!key.ends_with(':')) { // a mapping: addresses, rights, offset, device, inode, path
            std::string rights, offset, device, inode, path;
            words >> rights >> offset >> device >> inode >> path;
            ofFile = path.starts_with('/') && !path.starts_with("/memfd:") &&
                     !path.starts_with("/dev/") && !path.starts_with("/SYSV");
            continue;
        }
        std::uint64_t value = 0;
        words >> value;
        if (key == "Private_Dirty:")
            // Those of a file that was written a moment ago are the file's own, not the window's.
            dirty = ofFile ? 0 : value;
        else if (key == "Anonymous:") // pages of a file that the window changed are among these
            kibibytes += std::max(value, dirty);
    }
    return double(kibibytes) / 1024;
}

} // namespace kernscope::bench
