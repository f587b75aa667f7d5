// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_header.h"

#include "core/form/form_steps.h"
#include "widgets/common/controls.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

QString cellWords(const WeightReaderPtr &reader, const Cell &cell, bool known,
                  const std::function<QString(const QString &indices)> &withValue)
{
    if (!reader)
        return {};
    const auto element = reader->map().element(cell.row, cell.col);
    if (!element)
        return Words::tr("past the last element");
    const QString indices = reader->map().indexText(*element);
    return known ? withValue(indices) : indices;
}

SlicePicker::SlicePicker(QWidget *parent) : QWidget(parent), m_layout(new FlowLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(theme::em(this, 0.4));
    // Not of a fixed height: that would be one row, and what wraps would be cut off.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Slice"));
    hide();
}

void SlicePicker::setShape(const Shape &shape, const QStringList &axisNames)
{
    m_map = SliceMap(shape);
    m_names = axisNames;
    rebuild();
}

void SlicePicker::setMap(const SliceMap &map)
{
    m_map = map;
    updateControls();
}

void SlicePicker::rebuild()
{
    while (QLayoutItem *item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_axes.clear();
    m_indices.clear();
    const auto axes = static_cast<qsizetype>(m_map.shape().size());
    setVisible(axes >= 2);
    if (axes < 2)
        return;
    m_rows = new QComboBox(this);
    m_rows->addItems(m_names.mid(0, axes));
    m_rows->setAccessibleName(tr("Rows"));
    m_rows->setToolTip(tr("The axis that makes the rows; the others make the columns."));
    m_rows->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_rows, &QComboBox::activated, this, &SlicePicker::readControls);
    addPair(tr("Rows:"), m_rows);
    for (qsizetype axis = 0; axis < axes; ++axis) {
        const std::uint64_t extent = m_map.shape()[static_cast<std::size_t>(axis)];
        auto *index = new IntegerBox(this);
        index->setRange(
            -1, static_cast<int>(std::min<std::uint64_t>(
                    extent - std::min<std::uint64_t>(extent, 1), std::numeric_limits<int>::max())));
        index->setSpecialValueText(tr("all %1").arg(extent));
        index->setAccessibleName(tr("Index along %1").arg(m_names.value(axis)));
        index->setToolTip(tr("Index along %1; \u201Call\u201D lays the axis into the columns.")
                              .arg(m_names.value(axis)));
        connect(index, &QSpinBox::valueChanged, this, &SlicePicker::readControls);
        m_axes.push_back(addPair(m_names.value(axis) + QLatin1Char(':'), index));
        m_indices.push_back(index);
    }
    updateControls();
}

/// A label and its control, which stay beside each other.
QWidget *SlicePicker::addPair(const QString &text, QWidget *control)
{
    auto *pair = new QWidget(this);
    auto *label = new QLabel(text, pair);
    label->setBuddy(control);
    auto *layout = withoutMargins(new QHBoxLayout(pair));
    layout->addWidget(label);
    layout->addWidget(control);
    m_layout->addWidget(pair);
    return pair;
}

void SlicePicker::updateControls()
{
    if (m_indices.empty())
        return;
    const QScopedValueRollback guard(m_updating, true);
    m_rows->setCurrentIndex(static_cast<int>(m_map.rowAxis()));
    for (std::size_t axis = 0; axis < m_indices.size(); ++axis) {
        const auto held = m_map.held()[axis];
        const bool used = axis != m_map.rowAxis() && m_map.shape()[axis] > 1;
        m_indices[axis]->setValue(held ? static_cast<int>(*held) : -1);
        m_axes[axis]->setVisible(used);
    }
}

void SlicePicker::readControls()
{
    if (m_updating)
        return;
    std::vector<std::optional<std::uint64_t>> held(m_indices.size());
    for (std::size_t axis = 0; axis < m_indices.size(); ++axis) {
        const int value = m_indices[axis]->value();
        if (value >= 0)
            held[axis] = static_cast<std::uint64_t>(value);
    }
    m_map =
        SliceMap(m_map.shape(), static_cast<std::size_t>(m_rows->currentIndex()), std::move(held));
    updateControls();
    Q_EMIT mapChanged(m_map);
}

WeightHeader::WeightHeader(bool withFacts, QWidget *parent)
    : QWidget(parent), m_name(new QLabel(this))
{
    using design::Type;
    m_name->setFont(design::type(font(), withFacts ? Type::Title : Type::Heading));
    m_name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto *layout = withoutMargins(new QVBoxLayout(this), 1);
    if (!withFacts) {
        layout->addWidget(m_name);
        return;
    }
    m_form = new Pill(tr("Form"), this);
    m_outcome = new Pill(tr("On a chip"), this);
    auto *title = new QHBoxLayout;
    title->setSpacing(design::space(this, design::Space::Medium));
    // The pills stand behind the name, not at the far end: elide() says how much of it there is.
    // A name that once had room must not hold the dock as wide as it is.
    m_name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_name->setMinimumWidth(design::space(this, design::Space::Large));
    title->addWidget(m_name);
    title->addWidget(m_form);
    title->addWidget(m_outcome);
    title->addStretch(1);
    layout->addLayout(title);
    // One line: a second one would take its room from the picture below.
    m_facts = new ElidedLabel(Qt::ElideRight, this);
    m_facts->setFont(design::type(font(), Type::Small));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    layout->addWidget(m_facts);
}

void WeightHeader::setWeight(const Weight &weight)
{
    m_fullName = fromUtf8(weight.name);
    m_name->setToolTip(m_fullName);
    m_name->setAccessibleName(m_fullName);
    if (m_facts) {
        m_facts->setWholeText(tensorFacts(weight) + u" \u00B7 "_s +
                              tr("read by %1").arg(consumerWords(weight)));
        const QString form = fromUtf8(formWords(weight.form));
        m_form->setWords(form, tokenTint(formToken(weight.form), theme::isDark(palette())),
                         tr("Stored as %1").arg(form));
    }
    elide();
}

void WeightHeader::setOutcome(std::optional<decision::Outcome> outcome, const QString &chip,
                              const QString &why)
{
    if (!m_outcome)
        return;
    m_outcome->setWords(
        outcome ? tr("%1 on %2").arg(outcomeLabel(*outcome), chip) : QString(),
        outcome ? tokenTint(outcomeToken(*outcome), theme::isDark(palette())) : QColor(), why);
    elide();
}

void WeightHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    elide();
}

void WeightHeader::elide()
{
    int room = width();
    for (const Pill *pill : {m_form, m_outcome}) {
        if (pill && !pill->isHidden())
            room -= pill->sizeHint().width() + design::space(this, design::Space::Medium);
    }
    m_name->setText(elidedName(m_name->fontMetrics(), m_fullName, room));
}

} // namespace kernscope::ui

#include "moc_weight_header.cpp"
