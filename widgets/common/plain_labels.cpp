// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plain_labels.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QStyle>
#include <QVariant>

namespace kernscope::ui {

namespace {

constexpr char kWritten[] = "kernscopeAlignment"; ///< as the label was made, before it was mirrored

/// Qt aligns each text by its own direction: in a window that is read from the right, Latin names
/// and numbers would begin at the left, away from the other labels of their column.
void alignByWindow(QLabel &label)
{
    if (!label.property(kWritten).isValid()) {
        if (label.layoutDirection() == Qt::LeftToRight || label.alignment() & Qt::AlignAbsolute)
            return;
        label.setProperty(kWritten, int(label.alignment()));
    }
    const Qt::Alignment written(label.property(kWritten).toInt());
    const bool mirrored = label.layoutDirection() == Qt::RightToLeft;
    label.setAlignment(
        mirrored ? QStyle::visualAlignment(Qt::RightToLeft, written) | Qt::AlignAbsolute : written);
}

/// Every label is polished once, before it is painted; so are tool tips, which are labels.
class PlainLabels final : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        const bool polish = event->type() == QEvent::Polish;
        if (polish || event->type() == QEvent::LayoutDirectionChange) {
            auto *label = qobject_cast<QLabel *>(watched);
            if (label && polish && label->textFormat() == Qt::AutoText)
                label->setTextFormat(Qt::PlainText);
            if (label)
                alignByWindow(*label);
        }
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

void showLabelsPlain()
{
    static constexpr QLatin1String kName("kernscopePlainLabels");
    if (qApp->findChild<QObject *>(kName, Qt::FindDirectChildrenOnly))
        return;
    auto *filter = new PlainLabels(qApp);
    filter->setObjectName(kName);
    qApp->installEventFilter(filter);
}

} // namespace kernscope::ui
