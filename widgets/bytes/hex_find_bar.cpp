// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/hex_find_bar.h"

#include "widgets/bytes/hex_view.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <shared_mutex>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kSearchBlock = 4u << 20; ///< of a search backward
constexpr int kHexKind = 0;
constexpr int kClockMs = 80;

} // namespace

std::optional<search::BytePattern> parseHexPattern(QString text)
{
    text.remove(u"0x"_s, Qt::CaseInsensitive);
    for (const char16_t between : {u',', u' ', u'\t', u'\n'})
        text.remove(between);
    auto pattern = search::parseBytePattern(text.toStdString());
    return pattern && !text.contains(u'?') ? std::optional(std::move(*pattern)) : std::nullopt;
}

std::optional<std::uint64_t> findBytes(std::span<const std::byte> bytes,
                                       const search::BytePattern &pattern, std::uint64_t from,
                                       bool forward, Progress &progress)
{
    if (pattern.size() > bytes.size())
        return std::nullopt;
    const std::uint64_t places = bytes.size() - pattern.size() + 1;
    const std::uint64_t start = std::min(from, places);
    progress.setTotal(places);
    std::optional<std::uint64_t> found;
    /// Of the places in [begin, end) at which a pattern begins; false: no more need be looked at.
    const auto scan = [&](std::uint64_t begin, std::uint64_t end) {
        const ByteRange range{FileOffset(begin), ByteCount(end - begin + pattern.size() - 1)};
        const auto take = [&](std::uint64_t at, std::uint64_t) {
            found = at;
            return !forward;
        };
        return search::scanPattern(bytes, range, pattern, take, &progress) && !found;
    };
    if (forward) {
        if (scan(start, places))
            scan(0, start);
        return found;
    }
    for (const auto &[begin, end] :
         {std::pair(std::uint64_t{0}, start), std::pair(start, places)}) {
        for (std::uint64_t at = end, block = 0; at > begin; at -= block) {
            block = std::min(kSearchBlock, at - begin);
            if (!scan(at - block, at))
                return found;
        }
    }
    return found;
}

HexFindBar::HexFindBar(Session &session, HexView *view, QWidget *parent)
    : QWidget(parent), m_session(session), m_view(view)
{
    build();
    m_clock = new QTimer(this);
    m_clock->setInterval(kClockMs);
    connect(m_clock, &QTimer::timeout, this,
            [this] { m_progress->setValue(static_cast<int>(m_task.fraction() * 1000)); });
    // The status bar may cancel the search as well; its result then never comes.
    m_task.whenCancelled([this] {
        setWorking(false);
        say(tr("Cancelled."));
    });
}

void HexFindBar::build()
{
    auto *row = withoutMargins(new QHBoxLayout(this), theme::em(this, 0.25));
    m_kind = new QComboBox(this);
    m_kind->addItems({tr("Hex"), tr("Text")});
    m_kind->setAccessibleName(tr("What the pattern is"));
    m_pattern = clearableLine(this, tr("Pattern to find"));
    const auto placeholder = [this] {
        m_pattern->setPlaceholderText(m_kind->currentIndex() == kHexKind
                                          ? tr("Bytes to find, such as ef be ad de")
                                          : tr("Text to find, as UTF-8"));
    };
    placeholder();
    connect(m_kind, &QComboBox::currentIndexChanged, this, placeholder);
    const auto button = [this](const QString &text, const QString &name) {
        auto *tool = new QToolButton(this);
        tool->setText(text);
        tool->setAccessibleName(name);
        tool->setToolTip(name);
        return tool;
    };
    m_back = button(u"\u25C0"_s, tr("Find the one before (Shift+F3)"));
    m_forward = button(u"\u25B6"_s, tr("Find the next one (F3)"));
    m_cancel = button(tr("Cancel"), tr("Stop looking"));
    m_close = button(u"\u2715"_s, tr("Close (Escape)"));
    m_cancel->setEnabled(false);
    m_progress = thinProgress(this, tr("How far the search is"), 6);
    m_message = new QLabel(this);
    m_message->setMinimumWidth(theme::em(this, 12));
    for (QWidget *widget : std::initializer_list<QWidget *>{
             m_kind, m_pattern, m_back, m_forward, m_progress, m_cancel, m_message, m_close})
        row->addWidget(widget, widget == m_pattern ? 2 : widget == m_message ? 1 : 0);
    connect(m_pattern, &QLineEdit::returnPressed, this, [this] { find(true); });
    connect(m_back, &QToolButton::clicked, this, [this] { find(false); });
    connect(m_forward, &QToolButton::clicked, this, [this] { find(true); });
    connect(m_cancel, &QToolButton::clicked, this, &HexFindBar::cancel);
    connect(m_close, &QToolButton::clicked, this, [this] {
        cancel();
        hide();
        m_view->setFocus();
    });
}

QString HexFindBar::message() const
{
    return m_message->text();
}

void HexFindBar::say(const QString &text)
{
    m_message->setText(text);
    m_message->setToolTip(text);
    m_message->setAccessibleName(text);
}

void HexFindBar::begin()
{
    show();
    m_pattern->setFocus(Qt::ShortcutFocusReason);
    m_pattern->selectAll();
}

void HexFindBar::setWorking(bool working)
{
    m_cancel->setEnabled(working);
    m_progress->setValue(0);
    working ? m_clock->start() : m_clock->stop();
}

void HexFindBar::cancel()
{
    if (!m_task.running())
        return;
    m_task.stop();
    setWorking(false);
    say(tr("Cancelled."));
}

void HexFindBar::find(bool forward)
{
    const bool hex = m_kind->currentIndex() == kHexKind;
    std::optional<search::BytePattern> pattern;
    if (hex)
        pattern = parseHexPattern(m_pattern->text());
    else if (auto text = search::textPattern(m_pattern->text().toStdString()))
        pattern = std::move(*text);
    if (!pattern) {
        begin();
        say(hex ? tr("Type pairs of hexadecimal digits.") : tr("Type what to find."));
        return;
    }
    const std::shared_ptr<OverlaidFile> file = m_view->overlaidFile();
    if (!file)
        return;
    m_task.stop();
    // Forward from behind the start of the selection, so that the same place is not found again.
    const std::uint64_t start = m_view->selection().offset.value;
    const std::uint64_t from = forward ? start + 1 : start;
    const std::uint64_t length = pattern->size();
    say(tr("Looking…"));
    setWorking(true);
    m_task.start(
        tr("Searching %1").arg(fromUtf8(file->name())),
        [file, pattern = *pattern, from, forward](Progress &progress) {
            const std::shared_lock lock(file->mutex());
            return findBytes(file->bytes(), pattern, from, forward, progress);
        },
        [this, from, length, forward](std::optional<std::uint64_t> at) {
            deliver(at, from, length, forward);
        });
}

void HexFindBar::deliver(std::optional<std::uint64_t> at, std::uint64_t from, std::uint64_t length,
                         bool forward)
{
    setWorking(false);
    if (!at)
        return say(tr("Not found."));
    const bool wrapped = forward ? *at < from : *at >= from;
    say(wrapped
            ? forward ? tr("Found, going on from the start.") : tr("Found, going on from the end.")
            : tr("Found at %1.").arg(hexNumber(*at)));
    const ByteRange range{FileOffset(*at), ByteCount(length)};
    m_view->select(range);
    Q_EMIT found(range);
}

void HexFindBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (m_task.running())
        cancel();
    else
        m_close->click();
    event->accept();
}

} // namespace kernscope::ui

#include "moc_hex_find_bar.cpp"
