// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/row_table_model.h"

#include "widgets/models/theme.h"

#include <QCollator>
#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace kernscope::ui {

namespace {

constexpr char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

TextFilter::TextFilter(const QString &words)
{
    const QStringList parts = words.simplified().split(u' ', Qt::SkipEmptyParts);
    for (const QString &part : parts) {
        std::string word = part.toStdString();
        std::transform(word.begin(), word.end(), word.begin(), lower);
        m_words.push_back(std::move(word));
    }
}

bool TextFilter::passes(std::initializer_list<std::string_view> texts) const
{
    return std::all_of(m_words.begin(), m_words.end(), [texts](const std::string &word) {
        return std::any_of(texts.begin(), texts.end(),
                           [&word](std::string_view text) { return contains(text, word); });
    });
}

bool TextFilter::contains(std::string_view text, std::string_view lowerCaseWord)
{
    const auto at = std::search(text.begin(), text.end(), lowerCaseWord.begin(),
                                lowerCaseWord.end(), [](char a, char b) { return lower(a) == b; });
    return lowerCaseWord.empty() || at != text.end();
}

namespace {

/// Terms of the declarations, which are in English, in the language of the window.
QString translated(std::string_view term)
{
    return term.empty()
               ? QString()
               : QCoreApplication::translate("kernscope::Column", std::string(term).c_str());
}

QString markGlyph(report::Mark mark)
{
    switch (mark) {
    case report::Mark::Good: return theme::glyph(Token::OutStreams);
    case report::Mark::Chosen:
    case report::Mark::Passes: return QStringLiteral("\u2713");
    case report::Mark::Bad: return theme::glyph(Token::OutRefused);
    case report::Mark::Open: return theme::glyph(Token::OutUnknown);
    case report::Mark::Folds: return theme::glyph(Token::OutFolds);
    case report::Mark::Dense: return theme::glyph(Token::OutDense);
    case report::Mark::Contested: return theme::glyph(Token::MarkContested);
    case report::Mark::Assumed: return theme::glyph(Token::MarkAssumed);
    case report::Mark::None: break;
    }
    return {};
}

QString termText(const report::Word &word)
{
    QString text = markGlyph(word.mark);
    if (!text.isEmpty())
        text += u' ';
    if (word.text.empty())
        return text + fromUtf8(word.detail);
    text += translated(word.text);
    return word.detail.empty() ? text : text + QStringLiteral(": ") + fromUtf8(word.detail);
}

/// For those who hear the cell: no dash and no blank.
QString spokenText(const report::Value &value, std::string_view unknown)
{
    if (std::holds_alternative<report::Unknown>(value))
        return translated("unknown");
    if (std::holds_alternative<report::Nothing>(value) ||
        std::holds_alternative<report::Absent>(value))
        return translated("none");
    return cellText(value, unknown);
}

/// Numbers by their size, texts as people sort them: "w2" before "w10"; and what has neither last,
/// in either direction.
class InOrder
{
public:
    explicit InOrder(bool ascending) : m_ascending(ascending) { m_collator.setNumericMode(true); }

    bool operator()(const report::SortValue &x, const report::SortValue &y) const
    {
        const bool hasX = !std::holds_alternative<std::monostate>(x),
                   hasY = !std::holds_alternative<std::monostate>(y);
        if (!hasX || !hasY)
            return hasX && !hasY;
        const auto *textX = std::get_if<std::string>(&x), *textY = std::get_if<std::string>(&y);
        if (textX != nullptr && textY != nullptr) {
            const int order = m_collator.compare(fromUtf8(*textX), fromUtf8(*textY));
            return m_ascending ? order < 0 : order > 0;
        }
        return m_ascending ? x < y : y < x;
    }

private:
    bool m_ascending;
    QCollator m_collator;
};

} // namespace

void RowTableModel::setFilter(const QString &words)
{
    if (std::exchange(m_filter, words) == words)
        return;
    chooseAnew();
}

void RowTableModel::chooseAnew()
{
    beginResetModel();
    chooseRows();
    endResetModel();
}

QVariant sortVariant(const report::SortValue &sort, const report::Value &value)
{
    if (const auto *number = std::get_if<std::uint64_t>(&sort))
        return QVariant(static_cast<qulonglong>(*number));
    if (const auto *real = std::get_if<double>(&sort))
        return QVariant(*real);
    if (const auto *text = std::get_if<std::string>(&sort);
        text && sort != report::sortValue(value))
        return fromUtf8(*text);
    return std::holds_alternative<std::monostate>(sort) ? QVariant() : QVariant(cellText(value));
}

QVariant columnHeader(const report::ColumnFacts &column, int role)
{
    switch (role) {
    case Qt::DisplayRole: {
        const QString title = headerTitle(translated(column.title));
        // Times have their unit in the cell.
        return column.unit.empty() || column.unit == "s" ? title
                                                         : title + u' ' + fromUtf8(column.unit);
    }
    case Qt::ToolTipRole: return translated(column.explanation);
    case KeyRole: return fromUtf8(column.key);
    case Qt::InitialSortOrderRole: // of figures the largest first
        return static_cast<int>(column.number() ? Qt::DescendingOrder : Qt::AscendingOrder);
    case Qt::TextAlignmentRole:
        return QVariant((column.number() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant columnCell(const report::ColumnFacts &column, const report::Value &value, int role)
{
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole: return cellText(value, column.unknown);
    case Qt::AccessibleTextRole: return spokenText(value, column.unknown);
    case SortRole: return sortVariant(report::sortValue(value), value);
    case CopyRole: return QString::fromStdString(report::plainText(value));
    case Qt::TextAlignmentRole:
        return QVariant((column.number() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default: return {};
    }
}

QString cellText(const report::Value &value, std::string_view unknown)
{
    if (const auto *word = std::get_if<report::Word>(&value))
        return termText(*word);
    if (const auto *yes = std::get_if<bool>(&value))
        return translated(*yes ? "yes" : "no");
    if (const auto *time = std::get_if<report::Seconds>(&value))
        return QString::fromStdString(report::siText(time->number, "s"));
    if (const auto *view = std::get_if<report::View>(&value))
        return *view == "-" ? QStringLiteral("\u2013") : fromUtf8(*view); // the window's dash
    const QString text = fromUtf8(report::text(value, {}));
    const bool absent = std::holds_alternative<report::Nothing>(value) ||
                        std::holds_alternative<report::Absent>(value);
    const bool texts =
        std::holds_alternative<std::string>(value) || std::holds_alternative<report::List>(value);
    if (!text.isEmpty() || absent || texts)
        return text;
    return unknown == "-" || unknown.empty() ? QStringLiteral("\u2013") : translated(unknown);
}

RowTableModel::RowTableModel(const std::vector<report::ColumnFacts> &declared,
                             const std::vector<std::string_view> &first, QObject *parent)
    : QAbstractTableModel(parent), m_places(report::columnOrder(declared, first, report::kWindow)),
      m_titles(m_places.size())
{
    for (const std::size_t place : m_places)
        m_columns.push_back(declared[place]);
}

void RowTableModel::setColumns(std::vector<report::ColumnFacts> columns,
                               std::vector<QString> titles)
{
    m_columns = std::move(columns);
    m_titles = std::move(titles);
    m_titles.resize(m_columns.size());
    m_places.resize(m_columns.size());
    std::iota(m_places.begin(), m_places.end(), std::size_t{0});
}

int RowTableModel::columnOf(std::string_view key) const
{
    const auto at = std::find_if(m_columns.begin(), m_columns.end(),
                                 [key](const auto &column) { return column.key == key; });
    return at == m_columns.end() ? -1 : static_cast<int>(at - m_columns.begin());
}

std::string_view RowTableModel::keyOf(int column) const
{
    return m_columns[static_cast<std::size_t>(column)].key;
}

void RowTableModel::setTitle(std::string_view key, const QString &title)
{
    const int column = columnOf(key);
    m_titles[static_cast<std::size_t>(column)] = title;
    Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
}

QVariant RowTableModel::lookOf(std::size_t, int, int) const
{
    return {};
}

bool RowTableModel::isAbsent(int column) const
{
    for (std::size_t row = 0; row < rowTotal(); ++row) {
        if (!std::holds_alternative<report::Absent>(value(row, column)))
            return false;
    }
    return true;
}

report::SortValue RowTableModel::orderOf(std::size_t row, std::size_t declared) const
{
    return report::sortValue(valueOf(row, declared));
}

report::Value RowTableModel::value(std::size_t row, int column) const
{
    return valueOf(row, m_places[static_cast<std::size_t>(column)]);
}

void RowTableModel::replaceRows(bool same, const std::function<void()> &replace)
{
    m_shortNames.clear();
    if (same) {
        replace();
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    replace();
    chooseRows();
    endResetModel();
}

std::string RowTableModel::searchedText(std::size_t row, TermTexts &terms) const
{
    std::string all;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (!searches(m_columns[i]))
            continue;
        const report::Value value = valueOf(row, m_places[i]);
        if (const auto *view = std::get_if<report::View>(&value)) {
            all += *view;
        } else if (const auto *word = std::get_if<report::Word>(&value)) {
            std::string &term = terms[word->text];
            if (term.empty())
                term = translated(word->text).toStdString();
            all += term + ' ' + word->detail;
        } else {
            all += cellText(value, m_columns[i].unknown).toStdString();
        }
        all += ' ';
    }
    return all;
}

std::vector<std::uint32_t> RowTableModel::chosenRows() const
{
    std::vector<std::uint32_t> rows;
    const std::size_t total = rowTotal();
    const TextFilter words(filter());
    TermTexts terms;
    for (std::size_t i = 0; i < total; ++i) {
        if (admits(i) && (words.empty() || words.passes({searchedText(i, terms), alsoSearched(i)})))
            rows.push_back(static_cast<std::uint32_t>(i));
    }
    rows.shrink_to_fit();
    return rows;
}

void RowTableModel::chooseRows()
{
    std::vector<std::uint32_t> rows = chosenRows();
    orderShown(rows);
    show(std::move(rows));
}

void RowTableModel::orderShown(std::vector<std::uint32_t> &shown) const
{
    if (sortColumn() < 0 || sortColumn() >= columnCount())
        return;
    const std::size_t declared = m_places[static_cast<std::size_t>(sortColumn())];
    std::vector<std::pair<report::SortValue, std::uint32_t>> keys;
    keys.reserve(shown.size());
    for (const std::uint32_t row : shown)
        keys.emplace_back(orderOf(row, declared), row);
    const InOrder less(sortOrder() == Qt::AscendingOrder);
    std::stable_sort(keys.begin(), keys.end(),
                     [&less](const auto &x, const auto &y) { return less(x.first, y.first); });
    for (std::size_t i = 0; i < keys.size(); ++i)
        shown[i] = keys[i].second;
}

void RowTableModel::show(std::vector<std::uint32_t> rows)
{
    m_shown = std::move(rows);
    m_rowOf.assign(rowTotal(), -1);
    for (std::size_t row = 0; row < m_shown.size(); ++row)
        m_rowOf[m_shown[row]] = static_cast<int>(row);
}

void RowTableModel::showReordered(std::vector<std::uint32_t> rows)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    const std::vector<std::uint32_t> sources = m_shown;
    show(std::move(rows));
    QModelIndexList after;
    for (const QModelIndex &at : before) {
        const auto row = static_cast<std::size_t>(at.row()); // beyond them: sums, which stay
        after.push_back(index(row < sources.size() ? rowOf(sources[row]) : at.row(), at.column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

void RowTableModel::reorder()
{
    std::vector<std::uint32_t> rows = m_shown;
    std::sort(rows.begin(), rows.end());
    orderShown(rows);
    if (rows != m_shown)
        showReordered(std::move(rows));
}

void RowTableModel::chooseAgain()
{
    std::vector<std::uint32_t> rows = chosenRows();
    std::vector<std::uint32_t> before = m_shown;
    std::sort(before.begin(), before.end());
    const bool same = rows == before;
    orderShown(rows);
    if (same && rows != m_shown)
        showReordered(std::move(rows));
    if (same)
        return;
    beginResetModel();
    show(std::move(rows));
    endResetModel();
}

void RowTableModel::sort(int column, Qt::SortOrder order)
{
    if (column == m_sortColumn && order == m_sortOrder)
        return;
    m_sortColumn = column;
    m_sortOrder = order;
    reorder();
}

int RowTableModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int RowTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RowTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const std::size_t row = sourceRow(index.row());
    const report::ColumnFacts &column = m_columns[static_cast<std::size_t>(index.column())];
    if (const QVariant look = lookOf(row, index.column(), role); look.isValid())
        return look;
    switch (role) {
    case SortRole:
        return sortVariant(orderOf(row, m_places[static_cast<std::size_t>(index.column())]),
                           value(row, index.column()));
    case kShortNameRole:
        if (column.key != "weight")
            return {};
        return m_shortNames.of(row, rowTotal(), [&](std::size_t at) {
            return cellText(value(at, index.column()), column.unknown);
        });
    case Qt::ToolTipRole: {
        const std::string origin =
            originOf(row, m_places[static_cast<std::size_t>(index.column())]);
        return origin.empty() ? columnCell(column, value(row, index.column()), role)
                              : QVariant(linesFromUtf8(origin));
    }
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
    case CopyRole:
    case Qt::TextAlignmentRole: return columnCell(column, value(row, index.column()), role);
    default: return {};
    }
}

QVariant RowTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const auto at = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole && !m_titles[at].isEmpty())
        return m_titles[at];
    return columnHeader(m_columns[at], role);
}

} // namespace kernscope::ui

#include "moc_row_table_model.cpp"
