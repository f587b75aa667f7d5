// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"
#include "widgets/program/operation_panel.h"

namespace kernscope::ui {

namespace {

const ProgramModel *programOf(const QModelIndex &index)
{
    return qobject_cast<const ProgramModel *>(index.model());
}

} // namespace

QColor ProgramRowDelegate::color(ProgramSpan::Kind kind, const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    switch (kind) {
    case ProgramSpan::Kind::Keyword:
        return dark ? QColor(0xC9, 0xA6, 0xE8) : QColor(0x6B, 0x2F, 0x8F);
    case ProgramSpan::Kind::Weight:
        return dark ? QColor(0xEB, 0xB2, 0x33) : QColor(0x7A, 0x54, 0x00);
    case ProgramSpan::Kind::Value: return design::accent(palette);
    case ProgramSpan::Kind::Literal:
        return dark ? QColor(0x6F, 0xCF, 0xB2) : QColor(0x00, 0x66, 0x4B);
    case ProgramSpan::Kind::Faint: return palette.color(QPalette::PlaceholderText);
    case ProgramSpan::Kind::Plain:
    case ProgramSpan::Kind::Name: break;
    }
    return palette.color(QPalette::Text);
}

int ProgramRowDelegate::numberWidth(const QFontMetrics &metrics)
{
    return metrics.horizontalAdvance(u"00000 "_s);
}

void ProgramRowDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                               const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const ProgramModel *model = programOf(index);
    if (!model)
        return;
    painter->save();
    painter->setClipRect(cell.rect);
    const QFontMetrics &metrics = cell.fontMetrics;
    const int line =
        cell.rect.top() + (cell.rect.height() - metrics.height()) / 2 + metrics.ascent();
    const int wide = numberWidth(metrics), blank = metrics.horizontalAdvance(QLatin1Char(' '));
    int x = cell.rect.left();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::PlaceholderText));
    const QString number = model->numberText(index);
    painter->drawText(x + wide - blank - metrics.horizontalAdvance(number), line, number);
    x += wide;
    QFont font = cell.font;
    for (const ProgramSpan &span : model->spans(index)) {
        if (x > cell.rect.right())
            break;
        font.setUnderline(span.isLink());
        font.setBold(span.kind == ProgramSpan::Kind::Name);
        painter->setFont(font);
        painter->setPen(color(span.kind, cell.palette));
        painter->drawText(x, line, span.text);
        x += QFontMetrics(font).horizontalAdvance(span.text);
    }
    painter->restore();
}

QSize ProgramRowDelegate::sizeHint(const QStyleOptionViewItem &option,
                                   const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    return {numberWidth(cell.fontMetrics) + cell.fontMetrics.horizontalAdvance(cell.text) +
                theme::em(cell.widget, 2),
            cell.fontMetrics.height() + 2};
}

std::optional<ProgramSpan> ProgramRowDelegate::linkAt(const QFontMetrics &metrics,
                                                      const QRect &rect, const QModelIndex &index,
                                                      int x)
{
    const ProgramModel *model = programOf(index);
    int from = rect.left() + numberWidth(metrics);
    if (!model || x < from)
        return std::nullopt;
    for (const ProgramSpan &span : model->spans(index)) {
        // The font is one of fixed pitch: bold is as wide.
        const int to = from + metrics.horizontalAdvance(span.text);
        if (x < to)
            return span.isLink() ? std::optional(span) : std::nullopt;
        from = to;
    }
    return std::nullopt;
}

ProgramView::ProgramView(QWidget *parent) : QTreeView(parent)
{
    setFont(fixedFont());
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(ExtendedSelection);
    setIndentation(theme::em(this, 1.0));
    setItemDelegate(new ProgramRowDelegate(this));
    setHorizontalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    setExpandsOnDoubleClick(false);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    // Of the rows in sight: a program may have many thousand.
    header()->setResizeContentsPrecision(0);
    viewport()->setMouseTracking(true);
}

std::optional<ProgramSpan> ProgramView::linkAt(const QPoint &position) const
{
    const QModelIndex index = indexAt(position);
    return index.isValid()
               ? ProgramRowDelegate::linkAt(fontMetrics(), visualRect(index), index, position.x())
               : std::nullopt;
}

void ProgramView::unfoldAll()
{
    const auto *program = qobject_cast<const ProgramModel *>(model());
    if (!program || !program->tree())
        return;
    scheduleDelayedItemsLayout(); // one layout for all of them
    const ProgramTree &tree = *program->tree();
    for (std::size_t row = 0; row < tree.rows(); ++row) {
        if (tree.node(row).children > 0)
            expand(program->indexOf(row));
    }
    executeDelayedItemsLayout();
}

void ProgramView::mouseMoveEvent(QMouseEvent *event)
{
    QTreeView::mouseMoveEvent(event);
    viewport()->setCursor(linkAt(event->pos()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ProgramView::mouseReleaseEvent(QMouseEvent *event)
{
    QTreeView::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || event->modifiers() != Qt::NoModifier)
        return;
    if (const auto link = linkAt(event->pos()))
        Q_EMIT linkFollowed(*link);
}

/// The words of what a person looks for: separated by blanks.
QStringList programWords(const QString &text);
/// The next row behind (or before) `from`, in the order of the text and around its end, whose text
/// has every word in any case; kNone where none has, or where it was cancelled. `from`: kNone
/// begins at an end. Writes the text of every row on the way: of a large program a task.
std::size_t programRowWith(const ProgramTree &tree, const QStringList &words, std::size_t from,
                           bool forward, Progress *progress = nullptr);
/// The number of rows of that kind.
std::size_t programRowsWith(const ProgramTree &tree, const QStringList &words,
                            Progress *progress = nullptr);

namespace {

bool hasWords(const ProgramTree &tree, std::size_t row, const QStringList &words)
{
    const QString text = programText(programSpans(tree, row));
    return std::ranges::all_of(
        words, [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
}

/// Asked every some dozen rows: whether to go on.
bool goesOn(std::size_t row, Progress *progress)
{
    return row % 64 != 0 || !progress || progress->advance(0);
}

} // namespace

QStringList programWords(const QString &text)
{
    return text.split(u' ', Qt::SkipEmptyParts);
}

std::size_t programRowWith(const ProgramTree &tree, const QStringList &words, std::size_t from,
                           bool forward, Progress *progress)
{
    const std::size_t count = tree.rows();
    if (words.isEmpty() || count == 0)
        return ProgramTree::kNone;
    // Rows are numbered in the order of the text.
    const std::size_t start = from < count ? from : (forward ? count - 1 : 0);
    for (std::size_t step = 1; step <= count && goesOn(step, progress); ++step) {
        const std::size_t row =
            forward ? (start + step) % count : (start + count - step % count) % count;
        if (hasWords(tree, row, words))
            return row;
    }
    return ProgramTree::kNone;
}

std::size_t programRowsWith(const ProgramTree &tree, const QStringList &words, Progress *progress)
{
    std::size_t found = 0;
    for (std::size_t row = 0; !words.isEmpty() && row < tree.rows() && goesOn(row, progress); ++row)
        found += hasWords(tree, row, words) ? 1 : 0;
    return found;
}

ProgramDock::ProgramDock(Session &session, QWidget *parent)
    : Dock(session, u"program"_s, tr("Program"), parent), m_model(new ProgramModel(this))
{
    auto *content = new QWidget(this);
    m_view = named(new ProgramView(content), tr("Operations of the program"));
    m_view->setModel(m_model);
    m_find = filterBox(content, tr("Find an operation, a value or a type; Enter goes on"), m_view);
    m_found = new QLabel(content);
    m_found->setForegroundRole(QPalette::PlaceholderText);
    auto *bar = laidOut(new QHBoxLayout, {{m_find, 1}, m_found});
    laidOut(contentColumn(content), {bar, {m_view, 1}});
    setContent(content, m_view);
    buildActions();
    connectParts();
}

void ProgramDock::buildActions()
{
    auto *find = findAction(this, tr("Find in Program"), m_find);
    auto *next = dockAction(this, tr("Find Next in Program"), QKeySequence(Qt::Key_F3),
                            [this] { this->find(true); });
    auto *previous =
        dockAction(this, tr("Find Previous in Program"), QKeySequence(Qt::SHIFT | Qt::Key_F3),
                   [this] { this->find(false); });
    auto *links = dockAction(this, tr("Links of This Operation\u2026"),
                             QKeySequence(Qt::CTRL | Qt::Key_Return), [this] { popLinks(); });
    auto *back = dockAction(this, tr("Back to the Row before the Link"),
                            QKeySequence(Qt::Key_Backspace), [this] { goBackHere(); });
    auto *hex = dockAction(this, tr("Show in Hex"), {}, [this] { showInHex(); });
    auto *copy = copyAction(this, tr("Copy Statements"), m_view);
    auto *unfold = dockAction(this, tr("Unfold All"), {}, [this] { m_view->unfoldAll(); });
    auto *fold = dockAction(this, tr("Fold All"), {}, [this] { m_view->collapseAll(); });
    m_again = dockAction(this, tr("Read the Program Again"), {}, [this] { scheduleRefresh(); });
    m_again->setEnabled(false);
    m_actions = {find, next, previous, links, back, hex, copy, unfold, fold, m_again};
    m_view->addActions(m_actions);
}

void ProgramDock::connectParts()
{
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &ProgramDock::onCurrent);
    connect(m_view, &QTreeView::clicked, this, &ProgramDock::onCurrent); // current by following
    connect(m_view, &ProgramView::linkFollowed, this, &ProgramDock::followLink);
    connect(m_view, &QTreeView::activated, this, [this] { popLinks(); });
    connect(m_find, &QLineEdit::returnPressed, this, [this] { find(true); });
    connect(m_find, &QLineEdit::textChanged, this, &ProgramDock::countFound);
    connect(&session(), &Session::bundleChanged, this, [this] {
        const BundlePtr bundle = session().bundle(); // an edit or a reload keeps the rows
        if (!bundle || bundle->path() != m_shownPath)
            m_model->setTree(nullptr);
    });
    m_task.whenCancelled([this] {
        m_model->setTree(nullptr);
        m_shownPath.clear();
        m_again->setEnabled(true);
        showMessage(tr("Reading the program was cancelled. Read the Program Again in the Tools "
                       "menu starts it anew."));
    });
}

void ProgramDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    m_task.stop();
    stopFinding();
    m_again->setEnabled(false);
    if (!bundle || bundle->program()->functions.empty()) {
        m_model->setTree(nullptr);
        m_shownPath.clear();
        showMessage(
            bundle ? tr("%1 has no program.\nBundles (.mlmodelc, .mlpackage, .aimodel) have one.")
                         .arg(fromUtf8(bundle->name()))
                   : tr("Open a bundle to see its program (Ctrl+O)."));
        return;
    }
    // An edit may change what the program writes, but rarely does: the rows are kept where the
    // bundle still has the same program.
    if (m_model->tree() && &m_model->tree()->bundle() == bundle.get())
        return showContent();
    if (!m_model->tree() || m_shownPath != bundle->path())
        showMessage(tr("Reading the program\u2026"));
    m_task.start(
        tr("Reading the program"),
        [bundle](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return ProgramTree::build(bundle, &progress);
        },
        [this](std::shared_ptr<const ProgramTree> tree) { showTree(std::move(tree)); });
}

void ProgramDock::showTree(std::shared_ptr<const ProgramTree> tree)
{
    const std::filesystem::path path = tree->bundle().path();
    const std::size_t rows = m_model->tree() ? m_model->tree()->rows() : 0;
    const bool same = path == m_shownPath && rows == tree->rows();
    const std::size_t row =
        same && m_view->currentIndex().isValid() ? m_model->nodeOf(m_view->currentIndex()) : 0;
    m_following = true;
    m_model->setTree(std::move(tree));
    m_view->unfoldAll();
    countFound();
    if (same) {
        chooseRow(m_view, m_model->indexOf(row));
    } else {
        m_visited.clear();
        m_view->scrollToTop(); // not where the program before was
    }
    m_following = false;
    m_shownPath = path;
    setNote(countedWords(m_model->tree()->operations(), tr("1 operation"), tr("%1 operations")));
    showContent();
    followPlace();
}

void ProgramDock::follow(const Place &place, QObject *origin)
{
    const auto &tree = m_model->tree();
    if (!tree || origin == this)
        return;
    std::size_t row = ProgramTree::kNone;
    if (place.bytes && tree->bundle().isProgramFile(place.file))
        row = tree->rowAtByte(place.file, place.bytes->offset.value);
    if (row == ProgramTree::kNone) // also of a weight that lies beside the code (.mlirb, .odix)
        row = tree->readerOf(place.weight);
    const QScopedValueRollback guard(m_following, true);
    if (row != ProgramTree::kNone)
        showRow(row);
}

void ProgramDock::showRow(std::size_t node)
{
    const QModelIndex index = m_model->indexOf(node);
    if (!index.isValid() || index == m_view->currentIndex())
        return;
    for (QModelIndex above = index.parent(); above.isValid(); above = above.parent())
        m_view->expand(above);
    chooseRow(m_view, index);
    m_view->scrollTo(index, QAbstractItemView::PositionAtCenter);
    // Statements are wider than the view: their beginnings are what one looks for.
    m_view->horizontalScrollBar()->setValue(0);
}

void ProgramDock::onCurrent(const QModelIndex &index)
{
    if (m_following || !index.isValid())
        return;
    const auto &tree = m_model->tree();
    if (const auto place = placeOfOperation(*tree, m_model->nodeOf(index)))
        session().goTo(*place, this);
}

std::vector<ProgramDock::Link> ProgramDock::linksOf(const QModelIndex &index) const
{
    std::vector<Link> links;
    const auto &tree = m_model->tree();
    if (!tree || !index.isValid())
        return links;
    const std::size_t node = m_model->nodeOf(index);
    const mil::Operation *operation = tree->operation(node);
    for (const ProgramSpan &span : m_model->spans(index)) {
        if (span.weight != ProgramTree::kNone)
            links.push_back({tr("Weight %1").arg(span.text), span});
        else if (span.isLink())
            links.push_back({tr("Definition of %1").arg(span.text), span});
    }
    if (tree->node(node).kind != ProgramTree::Kind::Operation)
        return links;
    for (std::size_t output = 0; output < operation->outputs.size(); ++output) {
        for (const std::size_t use : tree->uses(node, output)) {
            ProgramSpan to;
            to.node = use;
            const mil::Operation *reader = tree->operation(use);
            links.push_back(
                {tr("Read by %1 %2").arg(fromUtf8(reader->type), fromUtf8(reader->displayName())),
                 to});
        }
    }
    return links;
}

void ProgramDock::popLinks()
{
    const QModelIndex index = m_view->currentIndex();
    const std::vector<Link> links = linksOf(index);
    if (links.empty()) {
        Q_EMIT session().statusMessage(tr("This row leads nowhere."));
        return;
    }
    auto *menu = new QMenu(m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const Link &link : links)
        menu->addAction(link.text, this, [this, to = link.to] { followLink(to); });
    menu->setActiveAction(menu->actions().front());
    const QRect at = m_view->visualRect(index);
    menu->popup(m_view->viewport()->mapToGlobal(QPoint(theme::em(this, 4), at.bottom())));
}

void ProgramDock::followLink(const ProgramSpan &link)
{
    if (m_view->currentIndex().isValid())
        m_visited.push_back(m_model->nodeOf(m_view->currentIndex()));
    if (link.weight != ProgramTree::kNone) {
        session().goToWeight(link.weight, this);
        Q_EMIT raiseRequested(u"weight"_s);
    } else {
        showRow(link.node);
    }
}

void ProgramDock::goBackHere()
{
    if (m_visited.empty()) {
        Q_EMIT session().statusMessage(tr("No link was followed here."));
        return;
    }
    const std::size_t row = m_visited.back();
    m_visited.pop_back();
    showRow(row);
}

void ProgramDock::stopFinding()
{
    m_finding.stop();
    m_counting.stop();
}

/// How many rows have the words, beside the box.
void ProgramDock::countFound()
{
    m_counting.stop();
    m_found->clear();
    const QStringList words = programWords(m_find->text());
    const auto &tree = m_model->tree();
    if (!tree || words.isEmpty())
        return;
    const auto say = [this](std::size_t rows) {
        m_found->setText(countedWords(rows, tr("1 row"), tr("%1 rows")));
    };
    if (tree->rows() <= kFoundAtOnce)
        return say(programRowsWith(*tree, words));
    m_counting.start(
        tr("Finding in the program"),
        [tree, words](Progress &progress) { return programRowsWith(*tree, words, &progress); },
        say);
}

void ProgramDock::find(bool forward)
{
    m_finding.stop();
    const auto &tree = m_model->tree();
    const QString text = m_find->text();
    const QModelIndex current = m_view->currentIndex();
    const std::size_t from = current.isValid() ? m_model->nodeOf(current) : ProgramTree::kNone;
    const QStringList words = programWords(text);
    if (!tree || tree->rows() <= kFoundAtOnce)
        return goToFound(tree ? programRowWith(*tree, words, from, forward) : ProgramTree::kNone,
                         text);
    m_finding.start(
        tr("Finding in the program"),
        [tree, words, from, forward](Progress &progress) {
            return programRowWith(*tree, words, from, forward, &progress);
        },
        [this, text](std::size_t row) { goToFound(row, text); });
}

void ProgramDock::goToFound(std::size_t row, const QString &words)
{
    if (row != ProgramTree::kNone)
        showRow(row);
    else
        Q_EMIT session().statusMessage(tr("No row has %1.").arg(words));
}

void ProgramDock::showInHex()
{
    const QModelIndex index = m_view->currentIndex();
    const auto &tree = m_model->tree();
    if (!tree || !index.isValid())
        return;
    const SourceSpan span = tree->span(m_model->nodeOf(index));
    const std::size_t file = tree->fileOf(m_model->nodeOf(index));
    if (span.length == 0 || file == kNoIndex) {
        Q_EMIT session().statusMessage(tr("The place of this row in the file is not known."));
        return;
    }
    session().goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
    raiseHex();
}

} // namespace kernscope::ui

#include "moc_program_dock.cpp"
