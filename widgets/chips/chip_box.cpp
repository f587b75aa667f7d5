// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_box.h"

#include "core/base/csv.h"
#include "widgets/models/chip_words.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QSignalBlocker>

namespace kernscope::ui {

ChipBox::ChipBox(QWidget *parent) : QComboBox(parent)
{
    setAccessibleName(tr("Chip"));
    for (const target::Target &target : target::targets()) {
        // Its name first: typing it chooses the chip.
        const QString name = fromUtf8(target.name), product = productWord(target);
        addItem(product.isEmpty() ? name : QStringLiteral("%1 \u00B7 %2").arg(name, product));
        QStringList facts;
        for (const std::string &alias : target.aliases)
            facts += fromUtf8(alias);
        facts = {facts.join(QStringLiteral(", ")), fromUtf8(target.silicon), fromUtf8(target.note)};
        facts.removeAll(QString());
        setItemData(count() - 1, facts.join(QStringLiteral("; ")), Qt::ToolTipRole);
    }
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(14);
    connect(this, &QComboBox::activated, this, [this] { Q_EMIT targetChosen(target()); });
}

const target::Target &ChipBox::target() const
{
    const auto targets = target::targets();
    const auto at = static_cast<std::size_t>(std::max(currentIndex(), 0));
    return targets[std::min(at, targets.size() - 1)];
}

void ChipBox::setTarget(const target::Target &target)
{
    const QSignalBlocker quiet(this);
    setCurrentIndex(static_cast<int>(target.index));
}

ChipBox *sharedChipBox(ChipState &state, QWidget *parent)
{
    auto *box = new ChipBox(parent);
    box->setTarget(state.target());
    QObject::connect(box, &ChipBox::targetChosen, &state, &ChipState::setTarget);
    QObject::connect(&state, &ChipState::targetChanged, box,
                     [box, &state] { box->setTarget(state.target()); });
    return box;
}

QComboBox *sharedCoresBox(ChipState &state, QWidget *parent)
{
    auto *box = new QComboBox(parent);
    box->setAccessibleName(ChipBox::tr("Cores"));
    const auto fill = [box, &state] {
        const QSignalBlocker quiet(box);
        box->clear();
        const auto standard = target::cores(state.target(), state.choice());
        for (const target::Claim &claim : target::claims(state.target(), "cores")) {
            const auto number = parseInteger(claim.value);
            if (!number)
                continue;
            const bool contested = target::isContested(state.target(), "cores");
            box->addItem(
                (contested ? theme::glyph(Token::MarkContested) + QLatin1Char(' ') : QString()) +
                    ChipBox::tr("%1 cores").arg(*number),
                static_cast<uint>(*number));
            box->setItemData(box->count() - 1, fromUtf8(claim.source), Qt::ToolTipRole);
            if (standard && standard->value == static_cast<unsigned>(*number))
                box->setCurrentIndex(box->count() - 1);
        }
        if (box->count() == 0)
            box->addItem(state.target().cores ? ChipBox::tr("%1 cores").arg(*state.target().cores)
                                              : ChipBox::tr("cores unknown"));
        box->setEnabled(box->count() > 1);
        box->setToolTip(standard ? fromUtf8(standard->source) : QString());
    };
    fill();
    QObject::connect(&state, &ChipState::targetChanged, box, fill);
    QObject::connect(box, &QComboBox::activated, &state, [box, &state] {
        state.setChoice({box->currentData().toUInt(), {}});
    });
    return box;
}

} // namespace kernscope::ui

#include "moc_chip_box.cpp"
