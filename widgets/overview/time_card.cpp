// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/time_card.h"

#include "core/bundle/bundle.h"
#include "widgets/chips/chip_network.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/design.h"
#include "widgets/common/table_text.h"

#include <QLabel>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

using roofline::ProgramTime;

QString predictedSeconds(double seconds)
{
    return siWord(seconds, QStringLiteral("s"));
}

/// What binds the program, and what the figure leaves out.
QString predictedNote(const ProgramTime &program, const QString &chip)
{
    QString note = program.bound == ProgramTime::Bound::Dispatch && program.dispatchFloorS
                       ? TimeCard::tr("on %1, less than the %2 that a call takes at least")
                             .arg(chip, predictedSeconds(*program.dispatchFloorS))
                   : program.bound == ProgramTime::Bound::Engine
                       ? TimeCard::tr("on %1, which binds the program").arg(chip)
                       : TimeCard::tr("on %1").arg(chip);
    return note;
}

/// Why there is no time of all layers.
QString unknownNote(const ProgramTime &program, const roofline::Roofs &roofs, const QString &chip)
{
    if (!roofs.compute && !roofs.bandwidth)
        return TimeCard::tr("no ceilings are published for %1").arg(chip);
    const std::size_t unknown = program.layers - std::min(program.layers, program.timed);
    if (program.refused > 0) {
        const QString refused =
            TimeCard::tr("on %1: the compiler refuses the weights of %2 of %3 layers")
                .arg(chip)
                .arg(program.refused)
                .arg(program.layers);
        return unknown > program.refused
                   ? TimeCard::tr("%1, the time of %2 more layers is not known")
                         .arg(refused)
                         .arg(unknown - program.refused)
                   : refused;
    }
    if (unknown > 0)
        return TimeCard::tr("on %1: the time of %2 of %3 layers is not known")
            .arg(chip)
            .arg(unknown)
            .arg(program.layers);
    return TimeCard::tr("on %1: how often its layers run is not known").arg(chip);
}

} // namespace

TimeCard::TimeCard(QWidget *parent) : CardFrame(parent)
{
    auto *column = qobject_cast<QVBoxLayout *>(layout());
    m_value = design::label({}, design::Type::Figure, this);
    m_note = design::label({}, design::Type::Small, this);
    m_note->setWordWrap(true);
    m_note->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(design::label(tr("Engine time, predicted"), design::Type::Small, this));
    column->addWidget(m_value);
    column->addWidget(m_note, 1);
}

QString TimeCard::text() const
{
    return m_value->text() + QLatin1Char('\n') + m_note->text();
}

void TimeCard::showTime(const BundlePtr &bundle, const ChipState &chips)
{
    if (m_bundle.lock() == bundle && m_target == &chips.target())
        return;
    m_bundle = bundle;
    m_target = &chips.target();
    m_value->setText(QStringLiteral("\u2013"));
    const QString chip = chipName(*m_target);
    if (bundle->weights().size() > kMostPlacedAtOnce) {
        m_note->setText(tr("many layers: open Timeline for their times"));
        return;
    }
    const auto roofs = roofline::roofsOf(*m_target);
    const auto network = roofs ? placeNetwork(*bundle, *roofs, chips.choice(), 1) : std::nullopt;
    if (!network || network->layers.empty()) {
        m_note->setText(tr("no layer reads a weight on the engine"));
        return;
    }
    const ProgramTime &program = network->program;
    if (!program.dispatches.empty()) {
        m_note->setText(
            tr("on %1, %2 functions: see Timeline").arg(chip).arg(program.dispatches.size()));
        return;
    }
    if (program.engineTimeS)
        m_value->setText(predictedSeconds(*program.engineTimeS));
    else if (program.knownS > 0)
        m_value->setText(tr("at least %1").arg(predictedSeconds(program.knownS)));
    m_note->setText(program.engineTimeS ? predictedNote(program, chip)
                                        : unknownNote(program, *roofs, chip));
}

} // namespace kernscope::ui

#include "moc_time_card.cpp"
