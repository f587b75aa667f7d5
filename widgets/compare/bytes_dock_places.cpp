// SPDX-License-Identifier: GPL-3.0-or-later
// Ways through the bytes side by side: from difference to difference, to files, and with the place
// that everybody follows.
#include "widgets/bytes/byte_section_model.h"
#include "widgets/common/counted_words.h"
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

/// Moves the others to the bytes under the cursor, where the document has them.
void BytesDock::tellPlace(std::uint64_t length)
{
    const ByteCursor &cursor = m_view->cursor();
    if (!m_bytes || cursor.segment >= m_bytes->alignment.segments().size())
        return;
    const AlignedSegment &segment = m_bytes->alignment.segments()[cursor.segment];
    const AlignedFile &file = m_bytes->alignment.fileOf(segment);
    const std::uint64_t size = m_swapped ? segment.lengthB : segment.lengthA;
    if (cursor.offset >= size)
        return;
    const std::uint64_t first = (m_swapped ? segment.firstB : segment.firstA) + cursor.offset;
    Place place;
    place.file = m_swapped ? file.b : file.a;
    place.bytes = ByteRange{FileOffset(first), ByteCount(std::min(length, size - cursor.offset))};
    addElement(place);
    session().goTo(place, this);
}

/// The element that the bytes hold. Where it does not follow from the place of the byte alone, the
/// element of now stays as long as it is stored there.
void BytesDock::addElement(Place &place)
{
    const ByteField field = fieldAt(document(), place.file, place.bytes->offset, m_order);
    const Place &now = session().place();
    if (field.element) {
        place.weight = field.weight;
        place.element = field.element;
    } else if (field.weight != kNoIndex && now.weight == field.weight && now.element) {
        const auto stored = placeOfElement(document(), now.weight, *now.element, m_order);
        const bool here = stored && stored->file == place.file &&
                          place.bytes->offset >= stored->bytes.offset &&
                          place.bytes->offset.value < stored->bytes.end();
        if (here) {
            place.weight = now.weight;
            place.element = now.element;
        }
    }
}

bool BytesDock::goTo(const std::optional<DifferenceRun> &run)
{
    if (!run) {
        Q_EMIT session().statusMessage(tr("There is no further difference."));
        return false;
    }
    m_tableAction->setChecked(false);
    m_view->setCursor({run->segment, run->first});
    m_readout->setText(m_view->cursorText() + countedWords(run->length,
                                                           tr("  difference of 1 byte"),
                                                           tr("  difference of %1 bytes")));
    tellPlace(run->length);
    return true;
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
                      : m_differences->next(*m_bytes, cursor.segment, cursor.offset));
}

bool BytesDock::goToPreviousDifference()
{
    if (!m_differences)
        return false;
    m_visited = true;
    const ByteCursor &cursor = m_view->cursor();
    return goTo(m_differences->previous(*m_bytes, cursor.segment, cursor.offset));
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
    m_table->setCurrentIndex(m_model->index(row, 0));
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
    m_view->setCursor({at.segment, at.offset});
    m_readout->setText(m_view->cursorText());
    m_visited = true;
}

} // namespace kernscope::ui
