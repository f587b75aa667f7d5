// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes typed by hand.
#include "core/bundle/bundle.h"
#include "widgets/bytes/hex_dock.h"

#include "core/patch/edit/byte_text.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/common/table_text.h"
#include "widgets/patch/raw_edit.h"
#include "widgets/patch/typed_answer.h"

#include <QInputDialog>

#include <utility>

namespace kernscope::ui {

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

} // namespace kernscope::ui
