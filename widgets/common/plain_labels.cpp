// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/plain_labels.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>

namespace kernscope::ui {

namespace {

/// Every label is polished once, before it is painted; so are tool tips, which are labels.
class PlainLabels final : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Polish) {
            auto *label = qobject_cast<QLabel *>(watched);
            if (label && label->textFormat() == Qt::AutoText)
                label->setTextFormat(Qt::PlainText);
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
