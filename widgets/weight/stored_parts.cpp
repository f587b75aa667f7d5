// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/stored_parts.h"

#include "core/bundle/bundle.h"
#include "core/bundle/section_map.h"
#include "core/codec/decode/decoder.h"
#include "widgets/common/design.h"
#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace kernscope::ui {

StoredParts::StoredParts(QWidget *parent) : QWidget(parent)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
}

void StoredParts::setWeight(const Bundle &bundle, std::size_t index)
{
    delete m_body;
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    m_rows = new QGridLayout(m_body);
    m_rows->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    m_rows->setHorizontalSpacing(design::space(this, design::Space::Medium));
    m_rows->setVerticalSpacing(design::space(this, design::Space::Hair));
    m_rows->setColumnStretch(1, 1);
    const int side = design::space(this, design::Space::Medium) + 2;
    int row = 0;
    for (const codec::Operand &operand : bundle.weights()[index].operands()) {
        const OperandPlace &place = *operand.place;
        auto *swatch = new QLabel(m_body);
        swatch->setPixmap(kindIcon(sectionKindOf(operand.role)).pixmap(side, side));
        auto *name = new QLabel(
            QStringLiteral("%1 %2").arg(theme::sectionKindLabel(sectionKindOf(operand.role)),
                                        fromUtf8(elementTypeName(operand.declaredType()))),
            m_body);
        auto *bytes = new QLabel(tr("%1 B").arg(groupedNumber(place.bytes.value)), m_body);
        bytes->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        auto *link = new QLabel(m_body);
        link->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (place.isLiteral()) {
            link->setText(tr("in the program"));
            link->setForegroundRole(QPalette::PlaceholderText);
        } else {
            const QString at = hexNumber(place.dataOffset.value);
            link->setTextFormat(Qt::RichText);
            link->setText(QStringLiteral("<a href=\"%1\">%1</a>").arg(at));
            link->setTextInteractionFlags(Qt::LinksAccessibleByMouse |
                                          Qt::LinksAccessibleByKeyboard);
            link->setToolTip(
                QStringLiteral("%1 + %2").arg(fromUtf8(bundle.files()[place.file].path), at));
            connect(
                link, &QLabel::linkActivated, this,
                [this, file = place.file, range = place.range()] { Q_EMIT picked(file, range); });
        }
        m_rows->addWidget(swatch, row, 0);
        m_rows->addWidget(name, row, 1);
        m_rows->addWidget(bytes, row, 2);
        m_rows->addWidget(link, row, 3);
        ++row;
    }
    m_body->show();
}

} // namespace kernscope::ui

#include "moc_stored_parts.cpp"
