// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_dock.h"

#include "core/patch/edit/edit_parser.h"
#include "core/search/place.h"
#include "widgets/bytes/hex_find_bar.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/bytes/inspector_view.h"
#include "widgets/bytes/section_strip.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"
#include "widgets/patch/typed_edits.h"

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kLeastByteRows = 8; ///< of bytes, before the readings get room below them

const OperandPlace *placeOfFirstWeight(const Bundle &bundle)
{
    for (const Weight &weight : bundle.weights()) {
        for (const codec::Operand &operand : weight.operands()) {
            if (!operand.place->isLiteral())
                return operand.place.get();
        }
    }
    return nullptr;
}

} // namespace

HexDock::HexDock(Session &session, QWidget *parent) : Dock(session, u"hex"_s, tr("Bytes"), parent)
{
    auto *content = new QWidget(this);
    const int gap = theme::em(this, 0.25);
    QVBoxLayout *column = contentColumn(content);

    m_view = new HexView(content);
    m_readings = new InspectorModel(this);
    m_inspector = new InspectorView(m_readings, content);
    m_find = new HexFindBar(session, m_view, content);
    m_find->hide();
    m_field = new QLabel(content);
    m_field->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_field->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_strip = new SectionStrip(content);
    m_strip->setBare(true);
    auto *header = new QWidget(this);
    auto *bar = new QHBoxLayout(header);
    bar->setContentsMargins(gap, 0, gap, 0);
    bar->setSpacing(gap);
    buildBar(bar, header);
    setHeader(header);
    m_body = new QHBoxLayout;
    m_body->setSpacing(gap);
    m_body->addWidget(m_view, 1);
    m_body->addWidget(m_inspector, 1);
    laidOut(column, {m_strip, {m_body, 1}, m_find});
    auto *foot = new QHBoxLayout;
    foot->setSpacing(2 * gap);
    m_selection = named(new QLabel(content), tr("Selection"));
    laidOut(foot, {m_selection, {m_field, 1}});
    column->addLayout(foot);
    setContent(content, m_view);
    m_content = content;
    content->installEventFilter(this);
    buildActions();
    connectParts();
}

void HexDock::connectParts()
{
    connect(m_view, &HexView::cursorMoved, this, &HexDock::describeCursor);
    connect(m_view, &HexView::picked, this, &HexDock::pick);
    connect(m_view, &HexView::typed, this, &HexDock::typeDigit);
    connect(m_view, &HexView::cursorMoved, this, [this] { m_firstDigit.reset(); });
    connect(m_find, &HexFindBar::found, this, &HexDock::pick);
    connect(m_strip, &SectionStrip::picked, this, [this](std::size_t section) {
        const ByteRange range = session().bundle()->sections()[section].range;
        m_view->select({range.offset, ByteCount(1)});
        pick(range);
    });
}

void HexDock::buildBar(QBoxLayout *bar, QWidget *content)
{
    m_files = narrowChooser(content, tr("File whose bytes are shown"), 7);
    m_files->setMaximumWidth(theme::em(this, 24));
    m_files->setToolTip(tr("File whose bytes are shown"));
    m_files->setMinimumWidth(theme::em(this, 5));
    connect(m_files, &QComboBox::activated, this, [this](int file) {
        showFile(static_cast<std::size_t>(file));
        if (m_view->size() > 0)
            pick(m_view->selection());
    });
    m_goTo = clearableLine(content, tr("Go to offset"), tr("Go to offset: 0x40, +16, end"));
    m_goTo->setMinimumWidth(theme::em(this, 5.5));
    m_goTo->setMaximumWidth(theme::em(this, 18));
    connect(m_goTo, &QLineEdit::returnPressed, this, &HexDock::goToTyped);
    connect(m_goTo, &QLineEdit::textEdited, this, [this] { m_goTo->setToolTip({}); });
    bar->addWidget(m_files, 1);
    bar->addWidget(m_goTo, 1);
    bar->addStretch(0);
}

void HexDock::buildActions()
{
    const auto add = [this](const QString &text, const QKeySequence &keys,
                            std::function<void()> call) {
        m_actions += dockAction(this, text, keys, std::move(call));
    };
    const auto separate = [this] {
        auto *line = new QAction(this);
        line->setSeparator(true);
        m_actions += line;
    };
    add(tr("Find Bytes…"), QKeySequence::Find, [this] { m_find->begin(); });
    add(tr("Find Next"), QKeySequence(Qt::Key_F3), [this] { m_find->find(true); });
    add(tr("Find Previous"), QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { m_find->find(false); });
    add(tr("Go to Offset…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G), [this] {
        m_goTo->setFocus(Qt::ShortcutFocusReason);
        m_goTo->selectAll();
    });
    separate();
    add(tr("Copy as Hex"), QKeySequence::Copy, [this] { copyAs(CopyFormat::Hex); });
    add(tr("Copy as C Array"), {}, [this] { copyAs(CopyFormat::CArray); });
    add(tr("Copy as Python Bytes"), {}, [this] { copyAs(CopyFormat::PythonBytes); });
    add(tr("Copy as NumPy"), {}, [this] { copyAs(CopyFormat::NumPy); });
    add(tr("Copy Readings under the Cursor"), {}, [this] { copyInspected(); });
    add(tr("Export Selected Bytes…"), {}, [this] {
        askAndExportBytes(this, session(), m_view->bundle(), m_view->file(), m_view->selection());
    });
    add(tr("Select All Bytes"), {}, [this] { m_view->selectAll(); });
    add(tr("Change Bytes\u2026"), {}, [this] { askForBytes(); });
    separate();
    m_widths = new QActionGroup(this);
    for (const int bytes : {8, 16, 32}) {
        auto *action = dockAction(this, tr("%1 Bytes a Row").arg(bytes), {}, [this, bytes] {
            m_widthChosen = true;
            m_view->setBytesPerRow(bytes);
            arrange();
        });
        action->setCheckable(true);
        action->setChecked(bytes == m_view->bytesPerRow());
        m_widths->addAction(action);
        m_actions += action;
    }
    auto *big = dockAction(this, tr("Big-Endian Readings"), {}, [this] { describeCursor(); });
    big->setCheckable(true);
    connect(big, &QAction::toggled, this, [this](bool highestFirst) {
        m_readings->setBigEndian(highestFirst);
        m_inspector->setModelColumn(m_readings->valueColumn());
    });
    m_actions += big;
    m_view->addActions(m_actions);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_inspector->addActions(m_actions);
}

bool HexDock::working() const
{
    return m_find->working() || m_counting.running();
}

void HexDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    if (!bundle) {
        m_view->setFile(nullptr, kNoIndex);
        m_strip->setFile(nullptr, kNoIndex);
        showMessage(tr("Open a bundle to see its bytes (Ctrl+O)."));
        return;
    }
    const bool another = !m_view->bundle() || m_view->bundle()->path() != bundle->path();
    m_files->clear();
    for (const BundleFile &file : bundle->files()) {
        m_files->addItem(fromUtf8(file.path));
        m_files->setItemData(m_files->count() - 1, fromUtf8(file.path), Qt::ToolTipRole);
    }
    const bool anew = another || m_view->file() >= bundle->files().size();
    const std::size_t file = anew ? search::mainFile(*bundle) : m_view->file();
    showFile(file);
    // A package of one module has its weights in there: then the place of the first one.
    const OperandPlace *first = placeOfFirstWeight(*bundle);
    if (anew && first && first->file == file && bundle->files()[file].role != SectionKind::Data)
        m_view->select({first->dataOffset, ByteCount(1)});
    showContent();
    followPlace();
}

void HexDock::showFile(std::size_t file)
{
    m_view->setFile(session().bundle(), file);
    m_strip->setFile(session().bundle(), file);
    m_files->setCurrentIndex(file < session().bundle()->files().size() ? static_cast<int>(file)
                                                                       : -1);
}

void HexDock::describeCursor()
{
    const BundlePtr &bundle = m_view->bundle();
    if (!bundle || m_view->size() == 0) {
        m_readings->setBytes({});
        m_fieldText.clear();
        m_field->clear();
        m_selection->clear();
        return;
    }
    const std::uint64_t cursor = m_view->cursor();
    m_strip->setCurrent(session().bundle()->sectionAt(m_view->file(), FileOffset(cursor)));
    m_readings->setBytes(
        m_view->bytes().subspan(cursor, std::min<std::uint64_t>(8, m_view->size() - cursor)));
    const ByteField field = m_view->fieldOf(cursor);
    m_fieldText = tr("field: %1").arg(fromUtf8(field.text));
    const ByteRange range = m_view->selection();
    const std::uint64_t last = range.end() - 1;
    QString where = range.bytes.value == 1
                        ? hexNumber(cursor)
                        : tr("%1 to %2, %3 bytes")
                              .arg(hexNumber(range.offset.value), hexNumber(last),
                                   groupedNumber(range.bytes.value));
    if (const auto bits = m_view->markedBits())
        where += bits->count == 1
                     ? tr(", bit %1").arg(bits->first)
                     : tr(", bits %1 to %2").arg(bits->first).arg(bits->first + bits->count - 1);
    m_selection->setText(where);
    elideField();
}

/// Where there is no room for all readings: those that are looked up most.
QString HexDock::shortReadings() const
{
    QStringList words;
    for (int row = 0; row < m_readings->rowCount(); ++row) {
        const QString name = m_readings->name(row);
        static const QStringList wanted{u"u8"_s, u"i8"_s, u"u16"_s, u"fp16"_s, u"fp32"_s};
        if (wanted.contains(name))
            words += name + u' ' + m_readings->value(row);
    }
    return words.join(u", "_s);
}

void HexDock::pick(const ByteRange &range)
{
    const BundlePtr &bundle = m_view->bundle();
    if (!bundle)
        return;
    Place place;
    place.file = m_view->file();
    place.bytes = range;
    const ByteField field = m_view->fieldOf(range.offset.value);
    if (field.element && range.end() <= field.bytes.end()) {
        place.weight = field.weight;
        place.element = field.element;
    }
    session().goTo(place, this);
}

void HexDock::goToTyped()
{
    const auto offset = parseOffset(m_goTo->text(), m_view->cursor(), m_view->size());
    if (!offset) {
        const QString fault = tr("Not an offset in this file of %1 bytes: %2")
                                  .arg(groupedNumber(m_view->size()), m_goTo->text());
        m_goTo->setToolTip(fault);
        Q_EMIT session().statusMessage(fault);
        m_goTo->selectAll();
        return;
    }
    const ByteRange one{FileOffset(*offset), ByteCount(1)};
    m_view->select(one);
    m_view->setFocus();
    pick(one);
}

void HexDock::copyAs(CopyFormat format)
{
    if (m_inspector->hasFocus() && format == CopyFormat::Hex)
        return copyInspected();
    const auto text = m_view->selectedText(format);
    if (text)
        QGuiApplication::clipboard()->setText(*text);
    else if (m_view->size() > 0)
        Q_EMIT session().statusMessage(tr("Too much to copy as text: select at most %1 bytes.")
                                           .arg(groupedNumber(kMostBytesAsText)));
}

void HexDock::copyInspected()
{
    QStringList lines;
    for (int row = 0; row < m_readings->rowCount(); ++row)
        lines += m_readings->name(row) + u'\t' + m_readings->value(row);
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

bool HexDock::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_content && event->type() == QEvent::Resize) {
        arrange();
        elideField();
    }
    return Dock::eventFilter(watched, event);
}

void HexDock::elideField()
{
    const int beside = m_selection->sizeHint().width() + 2 * theme::em(this, 0.25);
    const int room = std::max(0, m_content->width() - theme::em(this, 0.6) - beside);
    const bool readings = m_inspector->isHidden() && !m_fieldText.isEmpty();
    const QString text = readings ? m_fieldText + u"  \u00B7  "_s + shortReadings() : m_fieldText;
    // Readings go from the last one on; of a field both ends say what it is.
    const QFontMetrics metrics = m_field->fontMetrics();
    const bool both = readings && metrics.horizontalAdvance(m_fieldText) < room;
    m_field->setText(metrics.elidedText(text, both ? Qt::ElideRight : Qt::ElideMiddle, room));
    m_field->setToolTip(text);
}

/// The readings stand beside the bytes where there is room for both, else below them.
void HexDock::arrange()
{
    // Margins of the content, and the frame that a floating dock has.
    const int room = m_content->width() - theme::em(this, 0.6) - m_body->spacing();
    if (!m_widthChosen) { // 32 bytes a row where readings in pairs have room beside them
        const bool roomy = room >= m_view->contentWidth(32) + m_inspector->sizeHint().width();
        m_view->setBytesPerRow(roomy ? 32 : 16);
        m_widths->actions().at(roomy ? 2 : 1)->setChecked(true);
    }
    const bool wide = room >= m_view->contentWidth() + m_inspector->minimumSizeHint().width();
    m_body->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    // Beside each other the bytes have all the room that they need, the readings what is left.
    m_view->setMaximumWidth(wide ? m_view->contentWidth() : QWIDGETSIZE_MAX);
    m_inspector->setMaximumWidth(wide ? room - m_view->contentWidth() : QWIDGETSIZE_MAX);
    // Below them only what the bytes can spare; else the line at the foot has the readings.
    const QLayout *column = m_content->layout();
    const QMargins margins = column->contentsMargins();
    int left = m_content->height() - margins.top() - margins.bottom() -
               m_view->heightFor(kLeastByteRows) - m_body->spacing() - column->spacing() -
               m_field->sizeHint().height() - column->spacing() - m_strip->height();
    if (!m_find->isHidden())
        left -= m_find->height() + column->spacing();
    const bool below = left >= m_inspector->minimumSizeHint().height();
    m_inspector->setMaximumHeight(wide ? QWIDGETSIZE_MAX
                                       : std::clamp(left, 0, m_inspector->heightFor(room)));
    if (m_inspector->isHidden() != (!wide && !below)) {
        m_inspector->setVisible(wide || below);
        elideField();
    }
}

/// Two hexadecimal digits are a byte.
void HexDock::typeDigit(QChar key)
{
    const bool open = session().patchingEnabled();
    const int digit = key.isDigit() ? key.digitValue()
                      : key.toLower() >= u'a' && key.toLower() <= u'f'
                          ? key.toLower().unicode() - u'a' + 10
                          : -1;
    if (!open || digit < 0 || !m_view->bundle()) {
        Q_EMIT session().statusMessage(
            open ? tr("Type two hexadecimal digits to change the byte.")
                 : tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    if (!m_firstDigit) {
        m_firstDigit = digit;
        Q_EMIT session().statusMessage(
            tr("%1 at %2: one more digit")
                .arg(QString::number(digit, 16), hexNumber(m_view->cursor())));
        return;
    }
    const auto byte = static_cast<std::byte>(*m_firstDigit * 16 + digit);
    m_firstDigit.reset();
    const std::uint64_t at = m_view->cursor();
    Q_EMIT session().statusMessage({}); // the one digit more was typed
    changeBytes(at, {byte});
    if (at + 1 < m_view->size())
        m_view->select({FileOffset(at + 1), ByteCount(1)});
}

void HexDock::changeBytes(std::uint64_t offset, std::vector<std::byte> bytes)
{
    Edit edit;
    edit.kind = Edit::Kind::Bytes;
    edit.weight = m_view->bundle()->files()[m_view->file()].path;
    edit.indices = {IndexRange{offset, offset + bytes.size(), false, true}};
    edit.bytes = std::move(bytes);
    requestRawEdit(session(), this, edit);
}

/// The selected bytes as text to change.
void HexDock::askForBytes()
{
    if (!session().patchingEnabled()) {
        Q_EMIT session().statusMessage(tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    const auto text = m_view->selectedText(CopyFormat::Hex);
    const ByteRange range = m_view->selection();
    if (!text || !m_view->bundle() || m_view->size() == 0)
        return;
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Bytes"));
    dialog->setLabelText(
        tr("Bytes from %1 on, as hexadecimal digits.").arg(hexNumber(range.offset.value)));
    dialog->setTextValue(*text);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, range](const QString &typed) {
        const std::string digits = typed.simplified().toStdString();
        auto bytes = patch::parseHexBytes({digits, 0});
        if (bytes)
            changeBytes(range.offset.value, std::move(*bytes));
    });
    dialog->open();
    answerWhileTyping(dialog, [](const QString &typed) {
        const std::string digits = typed.simplified().toStdString();
        const auto bytes = patch::parseHexBytes({digits, 0});
        return bytes ? QString() : syntaxText(bytes.error());
    });
}

void HexDock::follow(const Place &place, QObject *origin)
{
    const BundlePtr &bundle = m_view->bundle();
    if (!bundle || origin == this)
        return;
    std::size_t file = place.file;
    std::optional<ByteRange> bytes = place.bytes;
    if (place.element) {
        // A whole section is too much where one element is meant.
        const auto exact = m_view->placeOf(place.weight, *place.element);
        countMask();
        const bool whole = bytes && place.section < bundle->sections().size() &&
                           *bytes == bundle->sections()[place.section].range;
        if (exact && (!bytes || whole)) {
            file = exact->file;
            bytes = exact->bytes;
        }
    }
    if (file >= bundle->files().size() || !bytes)
        return;
    if (file != m_view->file())
        showFile(file);
    if (m_view->selection() != *bytes)
        m_view->select(*bytes);
    m_view->markBits(place.bits);
    describeCursor();
}

/// A value of a large mask has its place once the mask is counted. Until then the whole weight is
/// selected.
void HexDock::countMask()
{
    const BoundOrder::Wanted wanted = m_view->wantedCounts();
    const bool counts = m_counting.running();
    if (!wanted.mask || (counts && m_counted == wanted.mask))
        return;
    m_counting.stop();
    m_counted = wanted.mask;
    m_counting.start(
        tr("Counting the mask"),
        [bundle = m_view->bundle(), wanted](Progress &) {
            const BundleReadLock lock(*bundle);
            return countedMask(*bundle, *wanted.mask, wanted.bits);
        },
        [this, bundle = m_view->bundle(),
         mask = wanted.mask](std::shared_ptr<const codec::MaskIndex> ranks) {
            if (m_view->bundle() != bundle)
                return;
            m_view->giveCounts(*mask, std::move(ranks));
            followPlace();
        });
}

} // namespace kernscope::ui

#include "moc_hex_dock.cpp"
