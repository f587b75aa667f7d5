// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/formats_model.h"

#include "widgets/common/confidence_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace kernscope::ui {

using format::KernelFormatRow;
using format::RuleState;

namespace {

template <class T>
QString numberOrDash(const std::optional<T> &number)
{
    return number ? QString::number(*number) : QStringLiteral("\u2013");
}

} // namespace

QString legalityWords(const format::Legality &legality)
{
    const auto words = [](const char *text) {
        return QCoreApplication::translate("kernscope::Legality", text);
    };
    if (const format::LegalityRule *rule = legality.refusal())
        return words("\u2715 refused: %1").arg(fromUtf8(rule->name));
    if (legality.rules.empty())
        return words("\u2013 no rule applies");
    const auto unknown = std::count_if(
        legality.rules.begin(), legality.rules.end(),
        [](const format::LegalityRule &rule) { return rule.state == RuleState::Unknown; });
    return unknown > 0 ? words("? depends on the chip") : words("\u25b6 legal");
}

FormatsModel::FormatsModel(QObject *parent) : QAbstractTableModel(parent)
{
    judge();
    chooseRows();
}

void FormatsModel::setUse(const format::FormatUse &use)
{
    beginResetModel();
    m_use = use;
    judge();
    chooseRows();
    endResetModel();
}

void FormatsModel::setFilter(const QString &words)
{
    beginResetModel();
    m_filter = TextFilter(words);
    chooseRows();
    endResetModel();
}

void FormatsModel::judge()
{
    m_legality.clear();
    for (const KernelFormatRow &row : format::kernelFormats())
        m_legality.push_back(format::checkKernelFormat(row, m_use));
}

void FormatsModel::chooseRows()
{
    m_rows.clear();
    const auto all = format::kernelFormats();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string legal = legalityWords(m_legality[i]).toStdString();
        const std::string known = confidenceWords(all[i].confidence).toStdString();
        if (m_filter.passes({all[i].name, all[i].underlying, std::to_string(all[i].format.value),
                             format::kernelFormatKindName(all[i].kind), all[i].note, all[i].source,
                             legal, known}))
            m_rows.push_back(i);
    }
    orderRows();
}

void FormatsModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    const std::vector<std::size_t> old = m_rows;
    m_sortColumn = column;
    m_sortOrder = order;
    std::sort(m_rows.begin(), m_rows.end());
    orderRows();
    for (const QModelIndex &index : before) {
        const auto at =
            std::find(m_rows.begin(), m_rows.end(), old[static_cast<std::size_t>(index.row())]);
        changePersistentIndex(index,
                              createIndex(static_cast<int>(at - m_rows.begin()), index.column()));
    }
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void FormatsModel::orderRows()
{
    if (m_sortColumn < 0)
        return;
    std::stable_sort(m_rows.begin(), m_rows.end(), [this](std::size_t a, std::size_t b) {
        const QVariant left = sortKey(m_sortOrder == Qt::AscendingOrder ? a : b, m_sortColumn);
        const QVariant right = sortKey(m_sortOrder == Qt::AscendingOrder ? b : a, m_sortColumn);
        return QVariant::compare(left, right) == QPartialOrdering::Less;
    });
}

QVariant FormatsModel::sortKey(std::size_t entry, int column) const
{
    const KernelFormatRow &row = format::kernelFormats()[entry];
    const auto number = [](const auto &value) {
        return QVariant(value ? static_cast<qlonglong>(*value) : -1LL);
    };
    switch (column) {
    case Code: return static_cast<qlonglong>(row.format.value);
    case Bits: return number(row.bits);
    case Register: return number(row.registerValue);
    case TypeNumber: return row.typeNumber ? static_cast<qlonglong>(row.typeNumber->value) : -1LL;
    case Since: return number(row.sinceVersion);
    default: return text(entry, column);
    }
}

const KernelFormatRow &FormatsModel::rowAt(int row) const
{
    return format::kernelFormats()[m_rows[static_cast<std::size_t>(row)]];
}

const format::Legality &FormatsModel::legalityAt(int row) const
{
    return m_legality[m_rows[static_cast<std::size_t>(row)]];
}

int FormatsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FormatsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString FormatsModel::text(std::size_t entry, int column) const
{
    const KernelFormatRow &row = format::kernelFormats()[entry];
    switch (column) {
    case Code: return QString::number(row.format.value);
    case Name: return fromUtf8(row.name);
    case Kind: return fromUtf8(format::kernelFormatKindName(row.kind));
    case Bits: return numberOrDash(row.bits);
    case Underlying:
        return row.underlying.empty() ? QStringLiteral("\u2013") : fromUtf8(row.underlying);
    case Register: return numberOrDash(row.registerValue);
    case TypeNumber:
        return row.typeNumber ? QString::number(row.typeNumber->value) : QStringLiteral("\u2013");
    case Since: return numberOrDash(row.sinceVersion);
    case Legal: return legalityWords(m_legality[entry]);
    default: return confidenceWords(row.confidence);
    }
}

QVariant FormatsModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t entry = m_rows[static_cast<std::size_t>(index.row())];
    const KernelFormatRow &row = format::kernelFormats()[entry];
    switch (role) {
    case Qt::DisplayRole:
    case CopyRole: return text(entry, index.column());
    case SortRole: return sortKey(entry, index.column());
    case Qt::TextAlignmentRole: {
        const int column = index.column();
        const bool number = column == Code || column == Bits || column == Register ||
                            column == TypeNumber || column == Since;
        return QVariant((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    case Qt::ToolTipRole:
        return row.note.empty() ? fromUtf8(row.source)
                                : tr("%1\n%2").arg(fromUtf8(row.source), fromUtf8(row.note));
    default: return {};
    }
}

QVariant FormatsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static const char *const kTitles[] = {QT_TR_NOOP("code"),         QT_TR_NOOP("name"),
                                          QT_TR_NOOP("kind"),         QT_TR_NOOP("bits"),
                                          QT_TR_NOOP("type"),         QT_TR_NOOP("register"),
                                          QT_TR_NOOP("number"),       QT_TR_NOOP("since"),
                                          QT_TR_NOOP("on this chip"), QT_TR_NOOP("confidence")};
    static const char *const kTips[] = {
        QT_TR_NOOP("Kernel format: the compiler's number for a weight's storage"),
        QT_TR_NOOP("Name in public work on the compilers"),
        QT_TR_NOOP("Scalar, palette (7 to 27), unity (28 to 30) or microscaled"),
        QT_TR_NOOP("Bits of an element, or of a palette's index"),
        QT_TR_NOOP("Underlying type of an element, or of a palette's entries"),
        QT_TR_NOOP("Value of the kernel-configuration register"),
        QT_TR_NOOP("Element type number in descriptors and symbol catalogues"),
        QT_TR_NOOP("First descriptor version that has it, where known"),
        QT_TR_NOOP("Whether the chosen chip's descriptor can encode it, or the rule that refuses"),
        QT_TR_NOOP("How well the row is known; the tooltip names the source")};
    if (role == Qt::DisplayRole)
        return headerTitle(tr(kTitles[section]));
    return role == Qt::ToolTipRole ? QVariant(tr(kTips[section])) : QVariant();
}

} // namespace kernscope::ui
