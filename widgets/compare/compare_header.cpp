// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_header.h"

#include "core/bundle/bundle.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace kernscope::ui {

namespace {

QString sideText(const QString &side, const QString &name, const QString &bytes)
{
    return QStringLiteral("<b>%1</b>&nbsp; %2 &nbsp;%3").arg(side, name.toHtmlEscaped(), bytes);
}

} // namespace

CompareHeader::CompareHeader(QWidget *parent) : QWidget(parent)
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme::em(this, 0.6));
    const auto label = [this, row](const QString &name) {
        auto *made = new QLabel(this);
        made->setAccessibleName(name);
        made->setTextInteractionFlags(Qt::TextSelectableByMouse);
        made->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        made->setMinimumWidth(theme::em(this, 3));
        row->addWidget(made);
        return made;
    };
    m_a = label(tr("Bundle A"));
    m_a->setTextFormat(Qt::RichText);
    m_swap = new QToolButton(this);
    m_swap->setText(QStringLiteral("\u21C4"));
    m_swap->setAutoRaise(true);
    m_swap->setToolTip(tr("Swap the sides: compare A against B instead of B against A"));
    m_swap->setAccessibleName(tr("Swap sides"));
    row->addWidget(m_swap);
    m_b = label(tr("Bundle B"));
    m_b->setTextFormat(Qt::RichText);
    m_third = new QToolButton(this);
    m_third->setToolTip(tr("Set another build against the same base, in Builds"));
    m_third->setAccessibleName(tr("Add a third build"));
    row->addWidget(m_third);
    m_program = label(tr("Program"));
    row->addStretch(1);
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the comparison"));
    m_progress->hide(); // lies along the lower edge: it takes no room from the names
}

void CompareHeader::setSwitch(QWidget *choice)
{
    m_switch = choice;
    layout()->addWidget(choice);
}

void CompareHeader::setBundles(const BundlePtr &a, const BundlePtr &b)
{
    if (!a || !b)
        return;
    const double bytesA = static_cast<double>(a->totalBytes().value);
    const double ratio = static_cast<double>(b->totalBytes().value) / bytesA;
    m_nameA = fromUtf8(a->name());
    m_nameB = fromUtf8(b->name());
    m_bytesA = tr("%1 B").arg(groupedNumber(a->totalBytes().value));
    m_bytesB = tr("%1 B (%2)").arg(groupedNumber(b->totalBytes().value), ratioText(ratio));
    m_a->setToolTip(fromUtf8(a->path().string()));
    m_b->setToolTip(fromUtf8(b->path().string()));
    relabel();
}

/// Names give way to the width there is: elided in the middle, whole in the tooltip.
void CompareHeader::relabel()
{
    const QFontMetrics metrics(font());
    const auto nameRoom = [&](const QString &third) {
        m_third->setText(third);
        const int taken = metrics.horizontalAdvance(m_bytesA + m_bytesB + m_program->text()) +
                          m_swap->sizeHint().width() + m_third->sizeHint().width() +
                          (m_switch ? m_switch->sizeHint().width() : 0) + theme::em(this, 9);
        return (width() - taken) / 2;
    };
    int room = nameRoom(tr("+ third build"));
    if (room < theme::em(this, 10))
        room = nameRoom(QStringLiteral("+"));
    room = std::max(theme::em(this, 4), room);
    m_a->setText(sideText(QStringLiteral("A"), metrics.elidedText(m_nameA, Qt::ElideMiddle, room),
                          m_bytesA));
    m_b->setText(sideText(QStringLiteral("B"), metrics.elidedText(m_nameB, Qt::ElideMiddle, room),
                          m_bytesB));
}

void CompareHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const int high = std::max(2, theme::em(this, 0.25));
    m_progress->setGeometry(0, height() - high, width(), high);
    if (!m_nameA.isEmpty())
        relabel();
}

void CompareHeader::setDifference(const Difference *difference)
{
    const bool known = difference != nullptr;
    const bool none = known && !difference->program.bytesA && !difference->program.bytesB;
    m_program->setText(!known                                ? tr("program: \u2026")
                       : none                                ? tr("no program")
                       : difference->program.equal           ? tr("program: = equal")
                       : difference->program.sameComputation ? tr("program: = same")
                                                             : tr("program: \u2260 differs"));
    m_program->setToolTip(known && !none && !difference->program.equal &&
                                  difference->program.sameComputation
                              ? tr("The same operations; names, order or notation differ")
                              : QString());
    if (!m_nameA.isEmpty())
        relabel(); // the names have what these words leave, whichever of the two came first
}

void CompareHeader::setProgress(bool running, double fraction)
{
    m_progress->setVisible(running);
    m_progress->setValue(static_cast<int>(1000 * fraction));
}

} // namespace kernscope::ui

#include "moc_compare_header.cpp"
