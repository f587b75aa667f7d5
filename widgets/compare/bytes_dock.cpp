// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/bytes_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/models/byte_models.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostListed = 1u << 20; ///< differences whose rows are shown alone

} // namespace

BytesDock::BytesDock(Session &session, QWidget *parent)
    : Dock(session, u"bytes"_s, tr("Bytes Side by Side"), parent),
      m_model(new ByteSectionModel(this))
{
    auto *content = new QWidget(this);
    const int gap = theme::em(this, 0.25);
    QVBoxLayout *column = contentColumn(content);
    m_stack = new QStackedWidget(content);
    auto *side = new QWidget(m_stack);
    auto *row = withoutMargins(new QHBoxLayout(side), gap);
    m_view = new ByteCompareView(side);
    m_strip = new DifferenceStrip(side);
    laidOut(row, {{m_view, 1}, m_strip});
    m_table = makeTable(m_stack, tr("Sections of both bundles"), m_model,
                        {20, 6, 7, 6, 7, 6, 5.5, 5.5, 5.5, 8});
    m_stack->addWidget(side);
    m_stack->addWidget(m_table);
    m_readout = named(new ElidedLabel(Qt::ElideRight, content), tr("Byte under the cursor"));
    m_readout->setTextInteractionFlags(Qt::TextSelectableByMouse);
    buildActions();
    laidOut(column, {buildToolRow(content), {m_stack, 1}, m_readout});
    setContent(content, m_view);
    connectParts();
}

void BytesDock::buildActions()
{
    m_next = dockAction(this, tr("Next Difference"), QKeySequence(Qt::Key_F8),
                        [this] { goToNextDifference(); });
    m_previous = dockAction(this, tr("Previous Difference"), QKeySequence(Qt::SHIFT | Qt::Key_F8),
                            [this] { goToPreviousDifference(); });
    for (QAction *action : {m_next, m_previous}) {
        action->setToolTip(tr("%1 (%2)").arg(
            action->text(), action->shortcut().toString(QKeySequence::NativeText)));
        action->setEnabled(false);
    }
    m_next->setIconText(u"\u25BC"_s);
    m_previous->setIconText(u"\u25B2"_s);
    m_onlyAction = new QAction(tr("Only Differences"), this);
    m_onlyAction->setCheckable(true);
    m_onlyAction->setEnabled(false);
    m_onlyAction->setToolTip(tr("Leave out the rows that are the same in both"));
    connect(m_onlyAction, &QAction::toggled, this, &BytesDock::listOnly);
    m_tableAction = new QAction(tr("Sections as Table"), this);
    m_tableAction->setCheckable(true);
    m_tableAction->setToolTip(
        tr("Show the sections and how many of their bytes differ as a table"));
    auto *copy = copyAction(m_table, tr("Copy Rows"), m_table);
    auto *save =
        exportAction(this, this->session(), tr("Export Sections\u2026"), *m_model, "sections");
    m_againAction = dockAction(this, tr("Compare Bytes Again"), {}, [this] {
        forget();
        scheduleRefresh();
    });
    m_againAction->setEnabled(false);
    m_actions = {m_next, m_previous, m_onlyAction, m_tableAction, m_againAction, copy, save};
    setCompareTask({m_next, m_previous}, CompareTask::GoTo);
    setCompareTask({m_againAction}, CompareTask::Limits);
    setCompareTask({copy, save}, CompareTask::Export);
    m_table->addActions({m_tableAction, save});
}

QWidget *BytesDock::buildToolRow(QWidget *parent)
{
    auto *box = new QWidget(parent);
    auto *row = withoutMargins(new QHBoxLayout(box), theme::em(this, 0.3));
    m_files = narrowChooser(box, tr("File"), 18);
    m_files->setMaximumWidth(theme::em(this, 32));
    row->addWidget(m_files, 1);
    const auto button = [box, row](QAction *action) {
        auto *made = actionButton(action, box);
        row->addWidget(made);
    };
    button(m_previous);
    button(m_next);
    m_summary = named(new ElidedLabel(Qt::ElideRight, box), tr("Summary"));
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_summary, 2);
    button(m_onlyAction);
    button(m_tableAction);
    return box;
}

void BytesDock::connectParts()
{
    connect(&session(), &Session::otherChanged, this, &BytesDock::scheduleRefresh);
    for (const auto changed :
         {&Session::bundleChanged, &Session::bytesChanged, &Session::otherChanged})
        connect(&session(), changed, this, &BytesDock::forget);
    // What was under way then is never delivered.
    connect(&session(), &Session::filesHoldChanged, this, &BytesDock::forget);
    m_task.whenCancelled([this] {
        m_current = false;
        Q_EMIT comparisonCancelled();
        m_againAction->setEnabled(true);
        m_summary->setWholeText(tr("The comparison was cancelled."));
        if (!m_bytes)
            showMessage(tr("The comparison was cancelled."));
    });
    connect(m_view, &ByteCompareView::cursorMoved, this, &BytesDock::onCursor);
    connect(m_view, &ByteCompareView::scrolled, this, &BytesDock::onScrolled);
    connect(m_strip, &DifferenceStrip::rowWanted, m_view, &ByteCompareView::scrollToRow);
    connect(m_files, &QComboBox::activated, this, [this](int file) {
        m_view->showFile(static_cast<std::size_t>(file));
        onCursor();
    });
    connect(m_tableAction, &QAction::toggled, this, &BytesDock::showTable);
    connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex &index) {
        m_tableAction->setChecked(false);
        m_view->showSection(m_model->sectionAt(index.row()));
        m_view->setFocus();
        onCursor();
    });
}

void BytesDock::setSwapped(bool swapped)
{
    if (std::exchange(m_swapped, swapped) == swapped)
        return;
    forget();
    scheduleRefresh();
}

void BytesDock::setChoices(const PairChoices &choices)
{
    if (m_choices == choices)
        return;
    m_choices = choices;
    forget();
    scheduleRefresh();
}

void BytesDock::cancel()
{
    m_task.stop();
    m_listing.stop();
    m_differences = nullptr;
    m_onlyAction->setEnabled(false);
    m_next->setEnabled(false);
    m_previous->setEnabled(false);
    m_againAction->setEnabled(false);
}

/// What was found is not of the current bytes.
void BytesDock::forget()
{
    cancel();
    m_current = false;
    Q_EMIT differencesChanged(nullptr, nullptr, m_swapped);
}

/// On view it comes by itself.
void BytesDock::compareHidden()
{
    if (!onView())
        refresh();
}

void BytesDock::refresh()
{
    if (m_current)
        return; // compared while it was hidden
    m_current = true;
    cancel();
    if (session().bundle() && session().other()) {
        align();
        return;
    }
    m_bytes = nullptr;
    m_order.clear();
    m_view->setBytes(nullptr);
    m_model->setBytes(nullptr);
    m_strip->clear();
    m_files->clear();
    showMessage(needsPair());
}

void BytesDock::align()
{
    if (!m_bytes)
        showMessage(tr("Aligning the bytes of both bundles\u2026"));
    const BundlePtr document = session().bundle(), other = session().other();
    m_task.start(
        tr("Aligning bytes"),
        [a = m_swapped ? other : document, b = m_swapped ? document : other,
         chosen = m_choices.resolve(*document, *other, m_swapped)](Progress &progress) {
            const auto paired = pairWeights(*a, *b, chosen, &progress);
            if (progress.cancelled())
                return AlignedBytesPtr(); // the result is not delivered
            const BundleReadLock lock(*a, *b);
            ByteAlignment alignment(*a, *b, paired.pairs);
            auto kept = std::make_shared<const KeptSides>(findKeptSides(a, b, alignment));
            if (!countLargeMasks(*kept, progress))
                return AlignedBytesPtr();
            return AlignedBytesPtr(std::make_shared<AlignedBytes>(
                AlignedBytes{a, b, std::move(alignment), std::move(kept)}));
        },
        [this](AlignedBytesPtr bytes) { showAligned(std::move(bytes)); });
}

void BytesDock::showAligned(AlignedBytesPtr bytes)
{
    const bool same =
        m_bytes && m_bytes->a->path() == bytes->a->path() && m_bytes->b->path() == bytes->b->path();
    const auto under = same ? byteUnderCursor() : std::nullopt;
    m_bytes = std::move(bytes);
    m_order.clear();
    m_view->setBytes(m_bytes, same);
    if (under) {
        const auto at = m_bytes->alignment.placeOf(under->ofA, under->file, under->offset);
        const ByteCursor cursor{at.segment, at.offset};
        if (at.segment != kNoIndex &&
            !(cursor == m_view->cursor() && under->ofA == m_view->onSideA()))
            m_view->setCursor(cursor, under->ofA);
        m_readout->setWholeText(m_view->cursorText());
    }
    m_model->setBytes(m_bytes);
    fillFiles();
    updateStrip();
    m_summary->setWholeText(tr("comparing\u2026"));
    showContent();
    if (!same) {
        m_visited = false;
        followPlace();
        showPair();
    }
    m_task.start(
        tr("Comparing bytes"),
        [bytes = m_bytes](Progress &progress) {
            auto found = ByteDifferences::find(*bytes, progress);
            return found ? std::make_shared<const ByteDifferences>(*std::move(found)) : nullptr;
        },
        [this](std::shared_ptr<const ByteDifferences> found) {
            showDifferences(std::move(found));
        });
}

void BytesDock::showDifferences(std::shared_ptr<const ByteDifferences> differences)
{
    m_differences = std::move(differences);
    m_view->setDifferences(m_differences);
    m_model->setDifferences(m_differences);
    updateStrip();
    fillFiles();
    const bool any = m_differences && m_differences->tally().any();
    m_next->setEnabled(any);
    m_previous->setEnabled(any);
    m_onlyAction->setEnabled(any);
    listOnly();
    Q_EMIT differencesChanged(m_bytes, m_differences, m_swapped);
    std::size_t sections = 0;
    for (std::size_t i = 0; any && i < m_bytes->alignment.sections().size(); ++i)
        sections += m_differences->tallyOf(i).any() ? 1 : 0;
    // The file beside is one of them.
    const QString files =
        m_bytes->alignment.files().size() > 1 ? tr(" \u00B7 all files") : QString();
    m_summary->setWholeText((any ? u"\u2260 "_s + fromUtf8(tallyText(m_differences->tally()))
                                 : tr("= every byte is the same")) +
                            files);
    if (any)
        m_summary->setToolTip(
            m_summary->wholeText() + u'\n' +
            tr("in %1 of %2 sections")
                .arg(groupedNumber(sections), groupedNumber(m_bytes->alignment.sections().size())));
}

void BytesDock::listOnly()
{
    m_listing.stop();
    if (!m_onlyAction->isChecked() || !m_differences || !m_differences->tally().any()) {
        m_view->setOnly(nullptr);
        return;
    }
    m_listing.start(
        tr("Listing differences"),
        [bytes = m_bytes, differences = m_differences](Progress &progress) {
            const BundleReadLock lock(*bytes->a, *bytes->b);
            return differences->list(*bytes, kMostListed, progress);
        },
        [this](std::optional<ByteDifferences::Runs> found) {
            if (!found)
                return;
            if (found->cut)
                Q_EMIT session().statusMessage(tr("The rows of the first %1 differences are shown.")
                                                   .arg(groupedNumber(kMostListed)));
            m_view->setOnly(
                std::make_shared<const std::vector<DifferenceRun>>(std::move(found->runs)));
        });
}

bool BytesDock::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto *press = static_cast<QKeyEvent *>(event);
        const bool back = press->modifiers() == Qt::ShiftModifier;
        if (press->key() == Qt::Key_F8 && (back || press->modifiers() == Qt::NoModifier)) {
            if (event->type() == QEvent::KeyPress)
                (back ? m_previous : m_next)->trigger();
            event->accept();
            return true;
        }
    }
    return Dock::event(event);
}

void BytesDock::fillFiles()
{
    const int current = m_files->currentIndex();
    m_files->clear();
    for (const AlignedFile &file : m_bytes->alignment.files()) {
        QString text = fromUtf8(file.pathA.empty() ? file.pathB : file.pathA);
        if (file.pathA.empty())
            text += tr("  (only in B)");
        else if (file.pathB.empty())
            text += tr("  (only in A)");
        else if (file.pathB != file.pathA)
            text += u"  \u21C4  "_s + fromUtf8(file.pathB);
        if (m_differences && !file.pathA.empty() && !file.pathB.empty()) {
            bool differs = false;
            for (std::size_t i = 0; i < file.sections; ++i)
                differs |= m_differences->tallyOf(file.firstSection + i).any();
            text += differs ? u"  \u2260"_s : u"  ="_s;
        }
        m_files->addItem(text);
    }
    m_files->setCurrentIndex(std::max(0, current));
}

void BytesDock::updateStrip()
{
    if (m_bytes)
        m_strip->setDifferences(m_view->rows(), *m_bytes, m_differences.get());
    m_strip->setView(m_view->topRow(), m_view->visibleRows());
}

void BytesDock::onScrolled()
{
    if (!m_bytes || m_bytes->alignment.empty())
        return;
    updateStrip();
    const ByteRows::Row top = m_view->rows().at(m_bytes->alignment, m_view->topRow());
    std::size_t file = top.index;
    if (top.kind == ByteRows::Row::Kind::SectionTitle)
        file = m_bytes->alignment.sections()[top.index].file;
    else if (top.kind == ByteRows::Row::Kind::Bytes)
        file = m_bytes->alignment.sections()[m_bytes->alignment.segments()[top.index].section].file;
    m_files->setCurrentIndex(static_cast<int>(file));
}

void BytesDock::onCursor()
{
    m_readout->setWholeText(m_view->cursorText());
    tellPlace(1);
}

/// Moves the others to the bytes under the cursor, or, where that is on the side of the other
/// bundle, to what the document has for them.
void BytesDock::tellPlace(std::uint64_t length)
{
    const ByteCursor &cursor = m_view->cursor();
    if (!m_bytes || cursor.segment >= m_bytes->alignment.segments().size())
        return;
    const bool own = m_view->onSideA() != m_swapped;
    const ByteCounterpart &other = m_view->counterpart();
    if (!own && other.runs.empty())
        return;
    const SegmentRun run =
        own ? SegmentRun{cursor.segment, cursor.offset, length} : other.runs.front();
    const AlignedSegment &segment = m_bytes->alignment.segments()[run.segment];
    const AlignedFile &file = m_bytes->alignment.fileOf(segment);
    const std::uint64_t size = m_swapped ? segment.lengthB : segment.lengthA;
    if (run.first >= size)
        return;
    Place place;
    place.file = m_swapped ? file.b : file.a;
    place.bytes = ByteRange{FileOffset((m_swapped ? segment.firstB : segment.firstA) + run.first),
                            ByteCount(std::min(run.length, size - run.first))};
    const auto &elements = own ? other.elements : other.otherElements;
    const std::size_t weight = own ? other.weight : other.otherWeight;
    if (!elements.empty() && weight < document().weights().size()) {
        // A byte may hold several: the current one stays as long as it is one of them.
        const Place &now = session().place();
        const bool stays = now.weight == weight && now.element &&
                           std::ranges::find(elements, *now.element) != elements.end();
        place.weight = weight;
        place.element = stays ? *now.element : elements.front();
    }
    session().goTo(place, this);
}

bool BytesDock::goTo(const std::optional<DifferenceRun> &run)
{
    if (!run) {
        Q_EMIT session().statusMessage(tr("There is no further difference."));
        return false;
    }
    m_tableAction->setChecked(false);
    const AlignedSegment &segment = m_bytes->alignment.segments()[run->segment];
    m_view->setCursor({run->segment, run->first},
                      segment.stretched() ? std::optional(segment.longerIsA()) : std::nullopt);
    m_readout->setWholeText(m_view->cursorText() + countedWords(run->length,
                                                                tr("  difference of 1 byte"),
                                                                tr("  difference of %1 bytes")));
    tellPlace(run->length);
    return true;
}

void BytesDock::setPair(std::size_t weightA, std::size_t weightB)
{
    m_pairA = weightA;
    m_pairB = weightB;
    showPair();
}

void BytesDock::showPair()
{
    const Place &now = place();
    if (!m_bytes || m_visited || pinned() || now.weight != kNoIndex || now.bytes)
        return;
    if (showWeight(true, m_pairA) || showWeight(false, m_pairB))
        m_readout->setWholeText(m_view->cursorText());
}

/// The first byte of a weight, as going to the weight shows it; false where it has none.
bool BytesDock::showWeight(bool ofA, std::size_t weight)
{
    const Bundle &bundle = ofA ? *m_bytes->a : *m_bytes->b;
    if (weight >= bundle.weights().size())
        return false;
    for (const codec::Operand &operand : bundle.weights()[weight].operands()) {
        if (!operand.place || operand.place->isLiteral())
            continue;
        const auto at =
            m_bytes->alignment.placeOf(ofA, operand.place->file, operand.place->dataOffset.value);
        if (at.segment == kNoIndex)
            continue;
        m_view->setCursor({at.segment, at.offset}, ofA);
        return true;
    }
    return false;
}

void BytesDock::goToRange(const DifferenceRun &run)
{
    if (!m_bytes || run.segment >= m_bytes->alignment.segments().size())
        return;
    m_visited = true;
    goTo(run);
}

/// Where the cursor is, as differences are numbered: by the longer side.
std::uint64_t BytesDock::offsetOfCursor() const
{
    const ByteCursor &cursor = m_view->cursor();
    const AlignedSegment &segment = m_bytes->alignment.segments()[cursor.segment];
    if (!segment.stretched() || segment.longerIsA() == m_view->onSideA())
        return cursor.offset;
    const std::uint64_t own = m_view->onSideA() ? segment.unitA : segment.unitB;
    return cursor.offset / own * std::max(segment.unitA, segment.unitB);
}

/// What stays the same when the bytes are aligned anew: a pair by hand renumbers the segments.
std::optional<BytesDock::FileByte> BytesDock::byteUnderCursor() const
{
    const ByteCursor &cursor = m_view->cursor();
    if (!m_bytes || cursor.segment >= m_bytes->alignment.segments().size())
        return std::nullopt;
    const AlignedSegment &segment = m_bytes->alignment.segments()[cursor.segment];
    const AlignedFile &file = m_bytes->alignment.fileOf(segment);
    const bool ofA = m_view->onSideA();
    return FileByte{ofA, ofA ? file.a : file.b,
                    (ofA ? segment.firstA : segment.firstB) + cursor.offset};
}

bool BytesDock::goToNextDifference()
{
    if (!m_differences)
        return false;
    const ByteCursor &cursor = m_view->cursor();
    // The first press finds the first difference even where the cursor stands on it.
    const bool fresh = cursor == ByteCursor{0, 0} && !m_visited;
    m_visited = true;
    return goTo(fresh ? m_differences->first(*m_bytes)
                      : m_differences->next(*m_bytes, cursor.segment, offsetOfCursor()));
}

bool BytesDock::goToPreviousDifference()
{
    if (!m_differences)
        return false;
    m_visited = true;
    const ByteCursor &cursor = m_view->cursor();
    return goTo(m_differences->previous(*m_bytes, cursor.segment, offsetOfCursor()));
}

void BytesDock::showTable(bool shown)
{
    m_stack->setCurrentIndex(shown ? 1 : 0);
    if (!shown || !m_bytes || m_bytes->alignment.empty())
        return;
    const std::size_t segment = m_view->cursor().segment;
    const int row = m_model->rowOf(m_bytes->alignment.segments()[segment].section);
    chooseRow(m_table, m_model->index(row, 0));
    m_table->setFocus();
}

void BytesDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_bytes || !place.bytes)
        return;
    std::size_t file = place.file;
    FileOffset first = place.bytes->offset;
    if (place.element && place.weight < document().weights().size()) {
        // A place of an element names the bytes of its whole weight.
        if (const auto stored = placeOfElement(document(), place.weight, *place.element, m_order)) {
            file = stored->file;
            first = stored->bytes.offset;
        }
    }
    const auto at = m_bytes->alignment.placeOf(!m_swapped, file, first.value);
    if (at.segment == kNoIndex)
        return;
    m_view->setCursor({at.segment, at.offset}, !m_swapped);
    m_readout->setWholeText(m_view->cursorText());
    m_visited = true;
}

} // namespace kernscope::ui

#include "moc_bytes_dock.cpp"
