// SPDX-License-Identifier: GPL-3.0-or-later
// The marked cell of the pictures, read on both sides.
#include "core/bundle/pair_read_lock.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/pair_pictures.h"

#include <QLabel>

#include <cmath>

namespace kernscope::ui {

namespace {

std::optional<StoredElement> readElement(const WeightReaderPtr &reader, std::size_t weight,
                                         std::uint64_t element)
{
    const codec::Decoder *decoder = reader ? reader->decoder() : nullptr;
    if (!decoder || element >= decoder->elements().value)
        return std::nullopt;
    return readStoredElement(*reader->bundle(), weight, *decoder, element);
}

QString readingText(const std::optional<StoredElement> &reading)
{
    if (!reading)
        return QStringLiteral("\u2013");
    const QString value = QString::number(reading->value, 'g', 5);
    return reading->stored ? value : PairPictures::tr("%1 (left out)").arg(value);
}

QString changeText(double a, double b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return PairPictures::tr("equal");
    const QString difference = QString::number(b - a, 'g', 4);
    const QString word = b == 0   ? PairPictures::tr("zeroed")
                         : a == 0 ? PairPictures::tr("revived")
                                  : PairPictures::tr("changed");
    return PairPictures::tr("\u0394 %1, %2").arg(difference, word);
}

} // namespace

/// Decoding one element can mean walking a mask first: not for the GUI thread.
void PairPictures::readCell()
{
    if (m_reading)
        m_reading->cancel();
    m_reading = nullptr;
    if (!m_element || (!m_readerA && !m_readerB)) {
        setReadout({});
        Q_EMIT elementLeft();
        return;
    }
    m_reading = m_tasks.start(
        this, tr("Reading a cell"),
        [a = m_readerA, b = m_readerB, subject = m_subject, element = *m_element](Progress &) {
            const PairReadLock lock(a ? *a->bundle() : *b->bundle(),
                                    b ? *b->bundle() : *a->bundle());
            return ElementReadings{
                element, readElement(a, subject.sides.a, subject.elementOn(true, element)),
                readElement(b, subject.sides.b, subject.elementOn(false, element))};
        },
        [this](const ElementReadings &readings) {
            m_reading = nullptr;
            const auto &[element, a, b] = readings;
            const SliceMap &map = (m_readerA ? m_readerA : m_readerB)->map();
            const std::uint64_t onSide = m_subject.elementOn(m_readerA != nullptr, element);
            QString text =
                tr("%1   A %2   B %3").arg(map.indexText(onSide), readingText(a), readingText(b));
            if (a && b && m_subject.comparable())
                text += QStringLiteral("   ") + changeText(a->value, b->value);
            setReadout(text);
            Q_EMIT elementRead(readings);
        });
}

void PairPictures::setReadout(const QString &text)
{
    m_readout->setText(text);
    if (text.isEmpty())
        m_readout->setText(tr("Pick a cell to read it on both sides."));
}

QString PairPictures::readout() const
{
    return m_readout->text();
}

} // namespace kernscope::ui
