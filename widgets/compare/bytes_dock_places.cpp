// SPDX-License-Identifier: GPL-3.0-or-later
// Ways through the bytes side by side: from difference to difference, to files, and with the
// common position.
#include "core/bundle/bundle.h"
#include "widgets/bytes/byte_section_model.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/byte_compare_view.h"
#include "widgets/compare/bytes_dock.h"

#include <QAction>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>

namespace kernscope::ui {

void BytesDock::onCursor()
{
    m_readout->setText(m_view->cursorText());
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
        // A byte may hold several: the one of now stays as long as it is one of them.
        const Place &now = session().place();
        const bool stays =
            now.weight == weight && now.element &&
            std::find(elements.begin(), elements.end(), *now.element) != elements.end();
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
    m_readout->setText(m_view->cursorText() + countedWords(run->length,
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
        m_readout->setText(m_view->cursorText());
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

bool BytesDock::goToFile(const QString &path)
{
    if (!m_bytes)
        return false;
    const auto &files = m_bytes->alignment.files();
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (fromUtf8(files[i].pathA) == path || fromUtf8(files[i].pathB) == path) {
            m_view->showFile(i);
            return true;
        }
    }
    return false;
}

void BytesDock::showTable(bool shown)
{
    m_stack->setCurrentIndex(shown ? 1 : 0);
    if (!shown || !m_bytes || m_bytes->alignment.empty())
        return;
    const std::size_t segment = m_view->cursor().segment;
    const int row = m_model->rowOfSection(m_bytes->alignment.segments()[segment].section);
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
    m_readout->setText(m_view->cursorText());
    m_visited = true;
}

} // namespace kernscope::ui
