// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/bookmarks_dock.h"

#include "app/files.h"
#include "app/texts.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/qt.h"

namespace kernscope::app {

namespace {

constexpr std::size_t kMostSteps = 100; ///< that can be taken back

const report::TableOf<Bookmark> &bookmarkTable()
{
    using report::Value;
    using Row = Bookmark;
    static const report::TableOf<Row> kTable{
        "bookmarks",
        {{report::kWindow, "place", "place",
          "Where it leads, as Go To reads it; a double click goes there",
          [](const Row &row) -> Value { return placeInWords(row).toStdString(); }},
         {report::kWindow, "note", "note", "Your words; F2 edits them",
          [](const Row &row) -> Value { return row.note.toStdString(); }},
         {report::kWindow, "made", "made", "When the bookmark was made",
          [](const Row &row) -> Value {
              return QLocale().toString(row.made.toLocalTime(), QLocale::ShortFormat).toStdString();
          },
          report::sortedBy([](const Row &row) {
              return report::SortValue(static_cast<std::uint64_t>(row.made.toMSecsSinceEpoch()));
          })}}};
    return kTable;
}

} // namespace

QString placeInWords(const Bookmark &bookmark)
{
    const QString place = bookmark.place.isEmpty() ? BookmarkModel::tr("Overview") : bookmark.place;
    return bookmark.bytes > 1
               ? BookmarkModel::tr("%1, %2 bytes").arg(place, ui::groupedNumber(bookmark.bytes))
               : place;
}

QString bookmarksText(const Bookmarks &bookmarks)
{
    QString text;
    for (const Bookmark &bookmark : bookmarks) {
        QString note = bookmark.note;
        note.replace(QLatin1Char('\n'), QLatin1Char(' '))
            .replace(QLatin1Char('\t'), QLatin1Char(' '));
        text += placeInWords(bookmark) + QLatin1Char('\t') + note + QLatin1Char('\n');
    }
    return text;
}

BookmarkModel::BookmarkModel(QObject *parent)
    : QAbstractTableModel(parent), m_columns(bookmarkTable())
{
}

bool BookmarkModel::isNote(const QModelIndex &index) const
{
    return index.isValid() && m_columns.key(index.column()) == "note";
}

void BookmarkModel::setBookmarks(Bookmarks bookmarks)
{
    beginResetModel();
    m_bookmarks = std::move(bookmarks);
    m_before.clear();
    endResetModel();
}

void BookmarkModel::remember()
{
    if (m_before.size() == kMostSteps)
        m_before.erase(m_before.begin());
    m_before.push_back(m_bookmarks);
}

int BookmarkModel::rowOf(const QString &place, std::uint64_t bytes) const
{
    for (qsizetype row = 0; row < m_bookmarks.size(); ++row) {
        if (m_bookmarks[row].place == place && m_bookmarks[row].bytes == bytes)
            return static_cast<int>(row);
    }
    return -1;
}

int BookmarkModel::add(Bookmark bookmark)
{
    if (const int row = rowOf(bookmark.place, bookmark.bytes); row >= 0)
        return row;
    if (m_bookmarks.size() >= kMostBookmarks)
        return -1;
    remember();
    const int row = rowCount();
    beginInsertRows({}, row, row);
    m_bookmarks.push_back(std::move(bookmark));
    endInsertRows();
    Q_EMIT edited();
    return row;
}

int BookmarkModel::addAll(const Bookmarks &bookmarks)
{
    Bookmarks news;
    for (const Bookmark &bookmark : bookmarks) {
        const bool known = rowOf(bookmark.place, bookmark.bytes) >= 0 || news.contains(bookmark);
        if (!known && m_bookmarks.size() + news.size() < kMostBookmarks)
            news += bookmark;
    }
    if (news.isEmpty())
        return 0;
    remember();
    const int first = rowCount(), added = static_cast<int>(news.size());
    beginInsertRows({}, first, first + added - 1);
    m_bookmarks += news;
    endInsertRows();
    Q_EMIT edited();
    return added;
}

void BookmarkModel::remove(std::vector<int> rows)
{
    std::sort(rows.begin(), rows.end(), std::greater<>());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [this](int row) { return row < 0 || row >= rowCount(); }),
               rows.end());
    if (rows.empty())
        return;
    remember();
    for (const int row : rows) {
        beginRemoveRows({}, row, row);
        m_bookmarks.removeAt(row);
        endRemoveRows();
    }
    Q_EMIT edited();
}

void BookmarkModel::undo()
{
    if (m_before.empty())
        return;
    beginResetModel();
    m_bookmarks = std::move(m_before.back());
    m_before.pop_back();
    endResetModel();
    Q_EMIT edited();
}

int BookmarkModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_bookmarks.size());
}

int BookmarkModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_columns.count();
}

QVariant BookmarkModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Bookmark &bookmark = m_bookmarks[index.row()];
    const std::string_view key = m_columns.key(index.column());
    // For programs: what Go To reads, and a time in one format for all locales.
    if (role == ui::CopyRole && key == "place")
        return bookmark.place;
    if (role == ui::CopyRole && key == "made")
        return bookmark.made.toUTC().toString(Qt::ISODate);
    if (role == Qt::EditRole)
        return key == "note" ? QVariant(bookmark.note) : QVariant();
    return role == ui::SortRole ? m_columns.sortData(index.column(), bookmark)
                                : m_columns.cell(index.column(), bookmark, role);
}

bool BookmarkModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!isNote(index) || role != Qt::EditRole)
        return false;
    const QString note = value.toString().simplified();
    if (note == m_bookmarks[index.row()].note)
        return true;
    remember();
    m_bookmarks[index.row()].note = note;
    Q_EMIT dataChanged(index, index);
    Q_EMIT edited();
    return true;
}

Qt::ItemFlags BookmarkModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return isNote(index) ? flags | Qt::ItemIsEditable : flags;
}

QVariant BookmarkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    return m_columns.header(section, role);
}

BookmarksDock::BookmarksDock(ui::Session &session, QWidget *parent)
    : Dock(session, u"bookmarks"_s, tr("Bookmarks"), parent), m_model(new BookmarkModel(this))
{
    setShowsFiles(false); // places and notes stay when another program changes the files
    auto *content = new QWidget(this);
    QVBoxLayout *column = ui::contentColumn(content);
    m_table = ui::makeTable(content, tr("Bookmarks of the bundle"), m_model);
    m_table->setSortingEnabled(false); // the order in which they were made is that of Next
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed);
    ui::setColumnWidths(m_table->horizontalHeader(), {18, 20, 12});
    ui::growColumns(m_table, {m_model->columnOf("place"), m_model->columnOf("note")});
    column->addWidget(m_table, 1);
    setContent(content, m_table);
    buildActions();
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex &at) { go(at.row()); });
    connect(m_model, &BookmarkModel::edited, this, &BookmarksDock::keep);
    connect(&session, &ui::Session::bundleChanged, this, &BookmarksDock::load);
    connect(&session, &ui::Session::bytesChanged, this, &BookmarksDock::followSaveAs);
}

void BookmarksDock::buildActions()
{
    auto *go = ui::dockAction(this, tr("Go to Bookmark"), {},
                              [this] { this->go(m_table->currentIndex().row()); });
    auto *note = ui::dockAction(this, tr("Edit Note"), Qt::Key_F2, [this] {
        if (const QModelIndex at = m_table->currentIndex(); at.isValid())
            m_table->edit(at.siblingAtColumn(m_model->columnOf("note")));
    });
    auto *remove = ui::dockAction(this, tr("Delete Bookmark"), QKeySequence::Delete,
                                  [this] { removeSelected(); });
    m_undo = ui::dockAction(this, tr("Take Back the Last Change of Bookmarks"), {},
                            [this] { m_model->undo(); });
    auto *copy = ui::copyAction(this, tr("Copy Rows"), m_table);
    auto *save = ui::dockAction(this, tr("Export Bookmarks…"), {}, [this] { askExport(); });
    auto *read = ui::dockAction(this, tr("Import Bookmarks…"), {}, [this] { askImport(); });
    m_beside = ui::dockAction(this, tr("Keep Bookmarks beside the File"), {},
                              [this] { keepBeside(m_beside->isChecked()); });
    m_beside->setCheckable(true);
    m_beside->setToolTip(tr("In PATH.kernscope-bookmarks, for all who open the bundle; else in the "
                            "folder of your own state"));
    m_actions = {go, note, remove, m_undo, copy, save, read, m_beside};
    m_table->addActions(m_actions);
}

QString BookmarksDock::bundlePath() const
{
    return session().bundle() ? toQString(session().bundle()->path()) : QString();
}

void BookmarksDock::setStore(const QString &folder)
{
    m_store.emplace(folder);
    load();
}

void BookmarksDock::load()
{
    m_path = bundlePath();
    m_fault.clear();
    Bookmarks bookmarks;
    if (m_store && !m_path.isEmpty()) {
        auto kept = m_store->load(m_path);
        if (kept)
            bookmarks = std::move(*kept);
        else
            m_fault = tr("The bookmarks in %1 cannot be read: %2 They are left as they are.")
                          .arg(ui::fromUtf8(kept.error().file), ui::fromUtf8(kept.error().message));
    }
    m_kept = bookmarks;
    m_model->setBookmarks(std::move(bookmarks));
    showRows();
}

/// A copy that became the document has the bookmarks of what it is a copy of, kept as its own.
void BookmarksDock::followSaveAs()
{
    const QString path = bundlePath();
    if (path == m_path)
        return;
    if (m_model->rowCount() == 0) {
        load();
        return;
    }
    m_path = path;
    keep();
}

void BookmarksDock::keep()
{
    if (m_store && !m_path.isEmpty() && m_fault.isEmpty()) {
        if (const auto kept = m_store->save(m_path, m_model->bookmarks(), m_kept); !kept)
            Q_EMIT session().statusMessage(ui::fromUtf8(describe(kept.error())));
        else
            m_kept = m_model->bookmarks();
    }
    showRows();
}

void BookmarksDock::keepBeside(bool beside)
{
    if (m_store && m_fault.isEmpty() && QFileInfo::exists(m_path)) {
        const auto kept = m_store->keepBeside(m_path, m_model->bookmarks(), beside);
        Q_EMIT session().statusMessage(
            !kept    ? ui::fromUtf8(describe(kept.error()))
            : beside ? tr("The bookmarks are kept in %1.").arg(BookmarkStore::besideOf(m_path))
                     : tr("The bookmarks are kept with your own state."));
    }
    showRows();
}

void BookmarksDock::showRows()
{
    m_undo->setEnabled(m_model->canUndo());
    m_beside->setEnabled(m_store && m_fault.isEmpty() && QFileInfo::exists(m_path));
    m_beside->setChecked(BookmarkStore::isBeside(m_path));
    if (!session().bundle())
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
    else if (!m_fault.isEmpty())
        showMessage(m_fault);
    else if (m_model->rowCount() == 0)
        showMessage(tr("Ctrl+D keeps the place that you are at, with a note: a weight, an element, "
                       "bytes."));
    else
        showContent();
    setNote(m_beside->isChecked() ? tr("kept beside the file") : QString());
}

void BookmarksDock::addHere()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle)
        return;
    if (!m_fault.isEmpty()) {
        Q_EMIT session().statusMessage(m_fault);
        return;
    }
    const ui::Place &here = session().place();
    Bookmark bookmark;
    bookmark.place = placeText(*bundle, here);
    if (here.bytes && !here.element && here.bytes->bytes.value > 1)
        bookmark.bytes = here.bytes->bytes.value;
    bookmark.made = QDateTime::currentDateTimeUtc();
    // The bytes of a place that its name says follow from the name.
    const auto again = parsePlace(*bundle, bookmark.place, here.file);
    if (again && !again->bytes)
        bookmark.bytes = 0;
    const int row = m_model->add(bookmark);
    if (row < 0) {
        Q_EMIT session().statusMessage(
            tr("A bundle has at most %1 bookmarks.").arg(kMostBookmarks));
        return;
    }
    const QModelIndex note = m_model->index(row, m_model->columnOf("note"));
    ui::revealRow(m_table, note);
    if (m_table->isVisible())
        m_table->edit(note);
}

void BookmarksDock::step(int direction)
{
    const int rows = m_model->rowCount();
    if (rows == 0) {
        Q_EMIT session().statusMessage(tr("There are no bookmarks; Ctrl+D makes one."));
        return;
    }
    const int now = m_table->currentIndex().row();
    const int row = now < 0 ? (direction > 0 ? 0 : rows - 1) : (now + direction + rows) % rows;
    ui::chooseRow(m_table, m_model->index(row, m_model->columnOf("place")));
    go(row);
}

void BookmarksDock::go(int row)
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle || row < 0 || row >= m_model->rowCount())
        return;
    const Bookmark &bookmark = m_model->bookmarks()[row];
    if (bookmark.place.isEmpty()) {
        session().goTo({}, this);
        return;
    }
    auto place = parsePlace(*bundle, bookmark.place, kNoIndex);
    if (!place) {
        Q_EMIT session().statusMessage(tr("The bookmark leads nowhere in this bundle: %1")
                                           .arg(ui::fromUtf8(describe(place.error()))));
        return;
    }
    if (place->bytes && bookmark.bytes > 0 && place->file < bundle->files().size()) {
        const std::uint64_t end = bundle->files()[place->file].file->size().value;
        const std::uint64_t left = end - place->bytes->offset.value;
        place->bytes->bytes = ByteCount(std::min(bookmark.bytes, left));
    }
    session().goTo(*place, this);
}

void BookmarksDock::removeSelected()
{
    std::vector<int> rows;
    for (const QModelIndex &index : m_table->selectionModel()->selectedRows())
        rows.push_back(index.row());
    m_model->remove(std::move(rows));
}

QString BookmarksDock::exportTo(const QString &path) const
{
    QSaveFile file(path);
    const bool text = path.endsWith(".txt"_L1, Qt::CaseInsensitive);
    const QByteArray bytes = text ? bookmarksText(m_model->bookmarks()).toUtf8()
                                  : bookmarksJson(m_path, m_model->bookmarks());
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return {};
    return tr("%1 could not be written: %2").arg(path, file.errorString());
}

QString BookmarksDock::importFrom(const QString &path)
{
    if (!m_fault.isEmpty())
        return m_fault;
    const auto text = readSmallFile(QFile::encodeName(path).toStdString(), kMostBookmarkBytes);
    if (!text)
        return tr("%1 could not be read: %2").arg(path, ui::fromUtf8(describe(text.error())));
    const auto bookmarks = parseBookmarks(QByteArray::fromStdString(*text));
    if (!bookmarks)
        return tr("%1: %2").arg(path, ui::fromUtf8(describe(bookmarks.error())));
    m_model->addAll(*bookmarks);
    return {};
}

void BookmarksDock::askExport()
{
    const QString path = ui::askSavePath(this, tr("Export Bookmarks"), u"bookmarks.json"_s,
                                         tr("Bookmarks (*.json);;Text, a line a bookmark (*.txt)"));
    if (path.isEmpty())
        return;
    if (const QString fault = exportTo(path); !fault.isEmpty())
        Q_EMIT session().statusMessage(fault);
}

void BookmarksDock::askImport()
{
    const auto take = [this](const QString &path) {
        if (const QString fault = importFrom(path); !fault.isEmpty())
            Q_EMIT session().statusMessage(fault);
    };
    ui::openPathDialog(ui::OpenDialog::Lists::Files, this, tr("Import Bookmarks"),
                       tr("Bookmarks (*.json *.kernscope-bookmarks)"), take);
}

} // namespace kernscope::app

#include "moc_bookmarks_dock.cpp"
