// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plot_tickers.h"

#include "core/report/column.h"
#include "widgets/models/table_text.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace kernscope::ui {

namespace {

/// "2,500", "150k", "1.2M": short enough for the narrow axis of a small plot.
QString countLabel(double count)
{
    if (count < 0 || count != std::floor(count))
        return {};
    if (count < 1e5)
        return groupedNumber(static_cast<std::uint64_t>(count));
    struct Unit {
        double size;
        const char *letter;
    };
    for (const Unit &unit : {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}}) {
        if (count >= unit.size)
            return QString::number(count / unit.size, 'g', 4) + QLatin1String(unit.letter);
    }
    return {};
}

class CountTicker final : public QCPAxisTicker
{
protected:
    double getTickStep(const QCPRange &range) override
    {
        return std::max(1.0, QCPAxisTicker::getTickStep(range));
    }
    int getSubTickCount(double step) override
    {
        return step > 1 ? QCPAxisTicker::getSubTickCount(step) : 0;
    }
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return countLabel(tick);
    }
};

class LogTicker final : public QCPAxisTickerLog
{
protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return countLabel(std::round(tick));
    }
};

/// Of either scale.
template <class Base>
class QuantityTicker final : public Base
{
public:
    explicit QuantityTicker(const QString &unit) : m_unit(unit.toStdString()) {}

protected:
    QString getTickLabel(double tick, const QLocale &, QChar, int) override
    {
        return tick == 0 ? QStringLiteral("0")
                         : QString::fromStdString(report::siText(tick, m_unit));
    }

private:
    std::string m_unit;
};

} // namespace

QSharedPointer<QCPAxisTicker> quantityTicker(const QString &unit)
{
    return QSharedPointer<QuantityTicker<QCPAxisTicker>>::create(unit);
}

QSharedPointer<QCPAxisTicker> logQuantityTicker(const QString &unit)
{
    return QSharedPointer<QuantityTicker<QCPAxisTickerLog>>::create(unit);
}

QSharedPointer<QCPAxisTicker> countTicker()
{
    return QSharedPointer<CountTicker>::create();
}

QSharedPointer<QCPAxisTicker> logTicker()
{
    return QSharedPointer<LogTicker>::create();
}

} // namespace kernscope::ui
