// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/pair_element.h"

#include "core/diff/value_difference.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/compare_row.h"
#include "widgets/weight/slice_map.h"

#include <QHeaderView>

#include <cmath>

namespace kernscope::ui {

namespace {

using ElementSide = std::optional<StoredElement>;

const QString kNone = QStringLiteral("\u2013");

template <class Text>
QString ofSide(const ElementSide &side, const Text &text)
{
    const QString made = side ? text(*side) : QString();
    return made.isEmpty() ? kNone : made;
}

/// As many digits as tell a number of the type from the next one.
QString numberOf(double value, ElementType type)
{
    const bool narrow = bitWidth(type) <= 16 && isFloatingPoint(type);
    return QString::number(value, 'g', narrow ? 5 : 9);
}

QString codeOf(const StoredElement &element)
{
    if (!element.stored)
        return PairElementTable::tr("left out by the mask");
    return element.code ? QString::number(*element.code) : QString();
}

QString codebookOf(const StoredElement &element)
{
    return element.entry && element.codebook ? groupedNumber(*element.codebook) : QString();
}

QString bytesOf(const StoredElement &element)
{
    QStringList bytes;
    for (const std::byte byte : element.bytes)
        bytes << QStringLiteral("%1").arg(std::to_integer<unsigned>(byte), 2, 16, QLatin1Char('0'));
    return bytes.join(QLatin1Char(' '));
}

QString fileOf(const BundlePtr &bundle, const StoredElement &element)
{
    if (!bundle || !element.place || element.place->file >= bundle->files().size())
        return {};
    return fromUtf8(bundle->files()[element.place->file].path);
}

QString offsetOf(const StoredElement &element)
{
    return element.place ? QStringLiteral("0x%1").arg(element.place->bytes.offset.value, 0, 16)
                         : QString();
}

QString distanceOf(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return PairElementTable::tr("equal");
    const double distance = b - a;
    return std::isfinite(distance) ? QString::number(distance, 'g', 5)
                                   : PairElementTable::tr("not finite");
}

} // namespace

PairElementTable::PairElementTable(QWidget *parent) : QTableWidget(parent)
{
    setAccessibleName(tr("The picked element in both builds"));
    setColumnCount(3);
    setHorizontalHeaderLabels({tr("Element"), tr("A"), tr("B")});
    prepareTable(this);
    setSortingEnabled(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    dockAction(this, tr("Copy Element"), QKeySequence::Copy, [this] { copySelection(*this); });
    clearElement();
}

void PairElementTable::add(const QString &what, const QString &a, const QString &b)
{
    const int row = rowCount();
    insertRow(row);
    int column = 0;
    for (const QString &text : {what, a, b}) {
        auto *item = new QTableWidgetItem(text);
        item->setToolTip(text);
        setItem(row, column++, item);
    }
}

void PairElementTable::addDistance(double a, double b, ElementType type)
{
    add(tr("B \u2212 A"), QString(), distanceOf(a, b));
    if (a != 0 && a != b && std::isfinite(b - a))
        add(tr("(B \u2212 A) / |A|"), QString(), QString::number((b - a) / std::abs(a), 'g', 3));
    if (std::isfinite(a) && std::isfinite(b))
        add(tr("Steps of %1").arg(fromUtf8(elementTypeName(type))), QString(),
            groupedNumber(ulpDistance(type, a, b)));
}

void PairElementTable::showElement(const PairSubject &subject, const ElementReadings &readings)
{
    setRowCount(0);
    const ElementSide &a = readings.a, &b = readings.b;
    const auto both = [&](const QString &what, const auto &text) {
        const QString ofA = ofSide(a, text), ofB = ofSide(b, text);
        if (ofA != kNone || ofB != kNone)
            add(what, ofA, ofB);
    };
    const auto indexOf = [&](bool ofA) {
        const BundlePtr &bundle = ofA ? subject.a : subject.b;
        const std::size_t weight = ofA ? subject.weightA : subject.weightB;
        return bundle && weight < bundle->weights().size()
                   ? SliceMap(bundle->weights()[weight].shape)
                         .indexText(subject.elementOn(ofA, readings.element))
                   : kNone;
    };
    add(tr("Index"), a ? indexOf(true) : kNone, b ? indexOf(false) : kNone);
    const auto numbers = [&](const QString &what, const auto &of) {
        const auto text = [&](const BundlePtr &bundle, std::size_t weight) {
            return [&of, bundle, weight](const StoredElement &element) {
                const std::optional<double> number = of(element);
                return number ? numberOf(*number, bundle->weights()[weight].type) : QString();
            };
        };
        const QString ofA = ofSide(a, text(subject.a, subject.weightA));
        const QString ofB = ofSide(b, text(subject.b, subject.weightB));
        if (ofA != kNone || ofB != kNone)
            add(what, ofA, ofB);
    };
    numbers(tr("Value"), [](const StoredElement &element) { return std::optional(element.value); });
    if (a && b && subject.comparable())
        addDistance(a->value, b->value, subject.a->weights()[subject.weightA].type);
    both(tr("Code"), codeOf);
    both(tr("Codebook"), codebookOf);
    numbers(tr("Entry"), [](const StoredElement &element) { return element.entry; });
    both(tr("Bytes"), bytesOf);
    both(tr("Offset"), offsetOf);
    add(tr("File"), ofSide(a, [&](const StoredElement &e) { return fileOf(subject.a, e); }),
        ofSide(b, [&](const StoredElement &e) { return fileOf(subject.b, e); }));
    fitColumns();
}

/// No number is cut: what does not fit is scrolled to. A path may be, for its tooltip has all of
/// it.
void PairElementTable::fitColumns()
{
    resizeColumnToContents(0);
    const int share = (viewport()->width() - columnWidth(0)) / 2;
    for (const int column : {1, 2}) {
        int needed = 0;
        for (int row = 0; row < rowCount(); ++row) {
            const QTableWidgetItem *cell = item(row, column);
            if (item(row, 0)->text() != tr("File"))
                needed = std::max(needed, fontMetrics().horizontalAdvance(cell->text()));
        }
        setColumnWidth(column, std::max(share, needed + theme::em(this, 0.8)));
    }
}

void PairElementTable::clearElement()
{
    setRowCount(0);
    add(tr("None"), tr("Pick a cell in a picture."), QString());
    resizeColumnToContents(0);
}

} // namespace kernscope::ui
