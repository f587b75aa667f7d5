// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/field_panel.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

constexpr unsigned kBits = 32, kRowBits = 16;
constexpr double kCellHeight = 1.5, kNumberHeight = 0.95, kLeastCell = 0.75; // in ems

QString bitsWord(unsigned low, unsigned high)
{
    return low == high ? Words::tr("bit %1").arg(low)
                       : Words::tr("bits %1 to %2").arg(high).arg(low);
}

QString fieldWords(const descriptor::BitField &field, std::uint32_t value)
{
    return BitWordView::tr("%1, %2: %3")
        .arg(fromUtf8(field.name), bitsWord(field.low, field.high))
        .arg(field.of(value));
}

constexpr double kTableHeight = 11; // in ems: title and seven rows at least

QLabel *wrappedLine(design::Type type, QWidget *parent)
{
    return selectable(design::label({}, type, parent), Qt::PlainText);
}

std::uint32_t versionOf(const Bundle &bundle, std::size_t text)
{
    const auto *version = bundle.hardware()->texts[text].tasks->version;
    return version == nullptr ? 0 : version->registerMap;
}

} // namespace

BitWordView::BitWordView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Bits of the word"));
}

void BitWordView::setWord(std::uint32_t value, std::vector<descriptor::BitField> fields)
{
    m_value = value;
    m_fields = std::move(fields);
    std::ranges::stable_sort(m_fields, [](const auto &a, const auto &b) { return a.low < b.low; });
    announce();
}

void BitWordView::setChosen(unsigned low, unsigned high)
{
    m_low = low;
    m_high = std::min(high, kBits - 1);
    announce();
}

/// What a screen reader reads.
void BitWordView::announce()
{
    QStringList words;
    for (const descriptor::BitField &field : m_fields)
        words += fieldWords(field, m_value);
    const int chosen = m_low == 0 && m_high == kBits - 1 ? -1 : fieldOf(m_low);
    setAccessibleDescription(
        chosen >= 0       ? fieldWords(m_fields[static_cast<std::size_t>(chosen)], m_value)
        : words.isEmpty() ? tr("%1, no field is named").arg(hexNumber(m_value, 8))
                          : u"%1: %2"_s.arg(hexNumber(m_value, 8), words.join(u"; "_s)));
    update();
}

int BitWordView::fieldOf(unsigned bit) const
{
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        if (bit >= m_fields[i].low && bit <= m_fields[i].high)
            return static_cast<int>(i);
    }
    return -1;
}

QRectF BitWordView::cellOf(unsigned bit) const
{
    const double across = (width() - 1) / double(kRowBits);
    const double row = theme::em(this, kCellHeight) + theme::em(this, kNumberHeight);
    const unsigned from = kBits - 1 - bit; // from the left, through both rows
    return {across * (from % kRowBits), (from / kRowBits) * row + theme::em(this, kNumberHeight),
            across, static_cast<double>(theme::em(this, kCellHeight))};
}

int BitWordView::bitAt(const QPointF &place) const
{
    for (unsigned bit = 0; bit < kBits; ++bit) {
        if (cellOf(bit).contains(place))
            return static_cast<int>(bit);
    }
    return -1;
}

QSize BitWordView::sizeHint() const
{
    return {theme::em(this, 16),
            2 * (theme::em(this, kCellHeight) + theme::em(this, kNumberHeight)) + 2};
}

QSize BitWordView::minimumSizeHint() const
{
    return {theme::em(this, kLeastCell * kRowBits), sizeHint().height()};
}

void BitWordView::drawBit(QPainter &painter, unsigned bit) const
{
    const QRectF cell = cellOf(bit);
    const int field = fieldOf(bit);
    const bool chosen = bit >= m_low && bit <= m_high;
    const bool one = (m_value >> bit & 1U) != 0;
    const bool dark = theme::isDark(palette());
    if (field < 0)
        painter.fillRect(cell, theme::brushOf(SectionKind::Padding, dark));
    else
        painter.fillRect(cell, field % 2 == 0 ? palette().color(QPalette::Base)
                                              : palette().color(QPalette::AlternateBase));
    if (chosen && !(m_low == 0 && m_high == kBits - 1))
        painter.fillRect(cell, design::chosenGround(palette()));
    QFont digits = font();
    digits.setBold(one);
    painter.setFont(digits);
    painter.setPen(palette().color(one ? QPalette::Text : QPalette::PlaceholderText));
    painter.drawText(cell, Qt::AlignCenter, one ? u"1"_s : u"0"_s);
    painter.setPen(design::hairline(palette()));
    painter.drawLine(cell.topLeft(), cell.topRight());
    painter.drawLine(cell.bottomLeft(), cell.bottomRight());
    // Between two fields, and at both ends of a row.
    const bool first = bit + 1 == kBits || (bit + 1) % kRowBits == 0;
    if (first || fieldOf(bit + 1) != field) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawLine(cell.topLeft(), cell.bottomLeft());
    }
    if (bit % kRowBits == 0) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawLine(cell.topRight(), cell.bottomRight());
    }
}

/// The numbers of each field's ends over them, those of a row's ends where no field has them.
void BitWordView::drawEnds(QPainter &painter) const
{
    painter.setFont(design::type(font(), design::Type::Small));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    const double high = theme::em(this, kNumberHeight);
    const QFontMetricsF metrics(painter.font());
    for (const unsigned row : {1U, 0U}) {
        double free = -1; // where the next number may begin
        for (unsigned at = kRowBits; at-- > 0;) {
            const unsigned bit = row * kRowBits + at;
            const int field = fieldOf(bit);
            const bool end = field >= 0 && (m_fields[static_cast<std::size_t>(field)].high == bit ||
                                            m_fields[static_cast<std::size_t>(field)].low == bit);
            if (!end && at != 0 && at != kRowBits - 1)
                continue;
            const QString text = QString::number(bit);
            const QRectF cell = cellOf(bit);
            const double wide = metrics.horizontalAdvance(text);
            const double left = cell.center().x() - wide / 2;
            if (left < free)
                continue;
            painter.drawText(QRectF(left, cell.top() - high, wide + 2, high),
                             Qt::AlignLeft | Qt::AlignVCenter, text);
            free = left + wide + 2;
        }
    }
}

void BitWordView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    for (unsigned bit = 0; bit < kBits; ++bit)
        drawBit(painter, bit);
    drawEnds(painter);
    painter.setPen(QPen(design::accent(palette()), 2));
    painter.setBrush(Qt::NoBrush);
    // A run over both rows has a frame in each.
    for (const unsigned row : {0U, 1U}) {
        const unsigned low = std::max(m_low, row * kRowBits);
        const unsigned high = std::min(m_high, row * kRowBits + kRowBits - 1);
        if (low <= high)
            painter.drawRect(
                QRectF(cellOf(high).topLeft(), cellOf(low).bottomRight()).adjusted(1, 1, -1, -1));
    }
    if (hasFocus()) {
        QPen pen(palette().color(QPalette::Text), 1, Qt::DotLine);
        painter.setPen(pen);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void BitWordView::pick(int field)
{
    if (field < 0 || static_cast<std::size_t>(field) >= m_fields.size())
        return;
    const descriptor::BitField &wanted = m_fields[static_cast<std::size_t>(field)];
    setChosen(wanted.low, wanted.high);
    Q_EMIT fieldPicked(wanted.low, wanted.high);
}

void BitWordView::mousePressEvent(QMouseEvent *event)
{
    const int bit = bitAt(event->position());
    if (bit >= 0 && event->button() == Qt::LeftButton)
        pick(fieldOf(static_cast<unsigned>(bit)));
}

void BitWordView::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_fields.size()) - 1;
    const int now = m_low == 0 && m_high == kBits - 1 && m_fields.size() != 1 ? -1 : fieldOf(m_low);
    // To the left are the higher bits.
    switch (event->key()) {
    case Qt::Key_Left: pick(now < 0 ? last : std::min(now + 1, last)); return;
    case Qt::Key_Right: pick(now < 0 ? last : std::max(now - 1, 0)); return;
    case Qt::Key_Home: pick(last); return;
    case Qt::Key_End: pick(last < 0 ? -1 : 0); return;
    default: QWidget::keyPressEvent(event);
    }
}

bool BitWordView::event(QEvent *event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto *help = static_cast<QHelpEvent *>(event);
    const int bit = bitAt(help->pos());
    const int field = bit < 0 ? -1 : fieldOf(static_cast<unsigned>(bit));
    if (bit < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
                           field >= 0
                               ? fieldWords(m_fields[static_cast<std::size_t>(field)], m_value)
                               : tr("bit %1: no field is named").arg(bit),
                           this);
    return true;
}

QString fieldWords(const Bundle &bundle, FileOffset at, const std::optional<BitRun> &bits)
{
    constexpr unsigned kMostBits = 4; // whose values are named in a line
    constexpr std::size_t kMostFields = 16;
    const BundleReadLock lock(bundle);
    const auto task = patch::taskAt(bundle, at);
    const auto word = task ? patch::taskWordAt(bundle, *task, at) : std::nullopt;
    if (!word)
        return {};
    descriptor::BitField shown;
    if (bits && bits->count > 0) {
        shown.low = static_cast<unsigned>(8 * (at.value - word->place)) + bits->first;
        shown.high = std::min(shown.low + bits->count - 1, 31U);
    }
    const auto meaning = [&](std::uint32_t number) {
        return word->reg == nullptr
                   ? QString()
                   : fromUtf8(descriptor::decodedField(*word->reg, shown, number,
                                                       versionOf(bundle, task->text)));
    };
    bool field = false;
    if (word->reg != nullptr) {
        for (const descriptor::BitField &each : word->reg->fields) {
            if (each.low == shown.low && each.high == shown.high)
                shown = each, field = true;
        }
    }
    const std::uint32_t number = shown.of(word->value);
    QString words =
        bitsWord(shown.low, shown.high) +
        FieldPanel::tr(", now %1").arg(field ? QString::number(number) : hexNumber(number, 8));
    if (const QString now = field ? meaning(number) : QString(); !now.isEmpty())
        words += u": "_s + now;
    if (!field && word->reg != nullptr) {
        const auto &fields = word->reg->fields;
        for (std::size_t i = 0; i < std::min(fields.size(), kMostFields); ++i)
            words += u'\n' + fieldWords(fields[i], word->value);
        if (fields.size() > kMostFields)
            words += u'\n' + FieldPanel::tr("and %1 more").arg(fields.size() - kMostFields);
    }
    QStringList names;
    for (std::uint32_t i = 0;
         field && shown.high - shown.low < kMostBits && i < (2U << (shown.high - shown.low)); ++i) {
        if (const QString name = meaning(i); !name.isEmpty())
            names += u"%1 %2"_s.arg(i).arg(name);
    }
    return names.isEmpty() ? words : words + u'\n' + names.join(u", "_s);
}

FieldPanel::FieldPanel(Session &session, QWidget *parent)
    : InspectorPanel(parent), m_session(session), m_values(new FieldModel(this))
{
    auto *column = withoutMargins(new QVBoxLayout(this), design::space(this, design::Space::Hair));
    m_name = wrappedLine(design::Type::Heading, this);
    m_where = wrappedLine(design::Type::Small, this);
    m_value = wrappedLine(design::Type::Figure, this);
    m_meaning = wrappedLine(design::Type::Body, this);
    for (QLabel *label : {m_name, m_where, m_value, m_meaning})
        column->addWidget(label);
    m_bits = new BitWordView(this);
    column->addWidget(new PanelSection(tr("Bits"), m_bits, this));
    auto *facts = new QWidget(this);
    withoutMargins(new QVBoxLayout(facts));
    m_factSection = new PanelSection(tr("Known by"), facts, this);
    column->addWidget(m_factSection);
    auto *tasks = new QWidget(this);
    auto *taskColumn = withoutMargins(new QVBoxLayout(tasks));
    m_summary = wrappedLine(design::Type::Small, tasks);
    m_table = makeTable(tasks, tr("The same in every task"), m_values, {2.2, 3, 3.2, 3.4, 3.6});
    growColumns(m_table, {m_values->columnOf("meaning"), m_values->columnOf("set")});
    m_table->setMinimumHeight(theme::em(this, kTableHeight));
    laidOut(taskColumn, {m_summary, {m_table, 1}});
    m_taskSection = new PanelSection(tr("In every task"), tasks, this);
    column->addWidget(m_taskSection, 1);
    auto *copy = copyAction(m_table, tr("Copy Rows"), m_table);
    auto *save =
        exportAction(m_table, session, tr("Export Values of the Field\u2026"), *m_values, "field");
    m_table->addActions({copy, save});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &FieldPanel::goToTask);
    connect(m_bits, &BitWordView::fieldPicked, this, &FieldPanel::chooseBits);
    m_job.whenCancelled([this] {
        m_hasRows = false;
        m_summary->setText(tr("Reading the tasks was cancelled."));
    });
}

void FieldPanel::clear()
{
    m_job.stop();
    m_bundle.reset();
    m_hasRows = false;
    const QScopedValueRollback guard(m_following, true);
    m_values->setRows({});
}

bool FieldPanel::showPlace(const BundlePtr &bundle, const Place &place)
{
    if (!bundle->hardware() || place.file != 0 || !place.bytes)
        return false;
    const FileOffset at = place.bytes->offset;
    const auto task = patch::taskAt(*bundle, at);
    if (!task)
        return false;
    std::optional<patch::TaskWord> word;
    {
        const BundleReadLock lock(*bundle);
        word = patch::taskWordAt(*bundle, *task, at);
    }
    // A whole task is chosen by its first bytes: that is no register.
    if (!word || place.bytes->bytes.value > 4)
        return false;
    if (bundle != m_bundle)
        clear();
    m_bundle = bundle;
    m_task = *task;
    m_word = *word;
    m_low = 0;
    m_high = 31;
    if (place.bits && place.bits->count > 0) {
        m_low = static_cast<unsigned>(8 * (at.value - word->place)) + place.bits->first;
        m_high = std::min(m_low + place.bits->count - 1, 31U);
    }
    showWord();
    return true;
}

const descriptor::BitField *FieldPanel::fieldNow() const
{
    if (m_word.reg == nullptr)
        return nullptr;
    const auto &fields = m_word.reg->fields;
    const auto found = std::ranges::find_if(
        fields, [this](const auto &field) { return field.low == m_low && field.high == m_high; });
    return found == fields.end() ? nullptr : &*found;
}

void FieldPanel::showWord()
{
    const descriptor::BitField *field = fieldNow();
    const QString reg = m_word.reg != nullptr ? fromUtf8(m_word.reg->name)
                        : m_word.header       ? tr("header word %1").arg(m_word.address / 4)
                                              : tr("register %1").arg(hexNumber(m_word.address));
    m_title = field != nullptr ? u"%1 \u00B7 %2"_s.arg(reg, fromUtf8(field->name)) : reg;
    m_name->setText(m_title);
    const QString block = m_word.header           ? tr("Header")
                          : m_word.reg != nullptr ? fromUtf8(m_word.reg->block)
                                                  : tr("no block is named");
    const QString bits = field == nullptr ? tr("32 bits") : bitsWord(m_low, m_high);
    m_where->setText(tr("%1, %2, task %3").arg(block, bits).arg(m_task.task));
    descriptor::BitField shown;
    shown.low = m_low;
    shown.high = m_high;
    const std::uint32_t number = shown.of(m_word.value);
    m_value->setText(field != nullptr ? QString::number(number) : hexNumber(number, 8));
    const std::string meaning = field == nullptr
                                    ? std::string()
                                    : descriptor::decodedField(*m_word.reg, *field, number,
                                                               versionOf(*m_bundle, m_task.text));
    m_meaning->setText(!meaning.empty() ? fromUtf8(meaning)
                       : field != nullptr
                           ? tr("%1; no meaning of the number is known").arg(hexNumber(number))
                           : QString());
    m_meaning->setVisible(!m_meaning->text().isEmpty());
    m_bits->setWord(m_word.value, m_word.reg != nullptr ? m_word.reg->fields
                                                        : std::vector<descriptor::BitField>());
    m_bits->setChosen(m_low, m_high);
    showFacts(field);
    readValues();
}

void FieldPanel::addFact(const QString &name, const QString &value)
{
    if (value.isEmpty())
        return;
    auto *left = new QLabel(name, m_factBody);
    left->setForegroundRole(QPalette::PlaceholderText);
    left->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    auto *right = giveWay(wrappedLine(design::Type::Body, m_factBody));
    right->setText(value);
    right->setAccessibleName(name);
    const int row = m_factRows->rowCount();
    m_factRows->addWidget(left, row, 0);
    m_factRows->addWidget(right, row, 1);
    m_factLines += u"%1: %2"_s.arg(name, value);
}

void FieldPanel::showFacts(const descriptor::BitField *field)
{
    delete m_factBody;
    m_factLines.clear();
    m_factBody = new QWidget(&m_factSection->content());
    m_factSection->content().layout()->addWidget(m_factBody);
    m_factRows = factGrid(m_factBody);
    addFact(m_word.header ? tr("in the header") : tr("address"), hexNumber(m_word.address));
    addFact(tr("place"), tr("%1 in the file").arg(hexNumber(m_word.place)));
    if (m_word.reg == nullptr) {
        addFact(tr("source"), tr("no source names it"));
    } else {
        addFact(tr("sure"),
                confidenceWords(field != nullptr ? field->confidence : m_word.reg->confidence));
        addFact(tr("rests on"),
                fromUtf8(field != nullptr ? field->evidence : m_word.reg->evidence));
        addFact(tr("source"), fromUtf8(m_word.reg->source));
        const auto *map = descriptor::RegisterMap::of(versionOf(*m_bundle, m_task.text));
        if (map != nullptr && !m_word.header) {
            for (const descriptor::Register *other : map->alternatives(m_word.address))
                addFact(tr("another"),
                        u"%1 (%2)"_s.arg(fromUtf8(other->name), fromUtf8(other->source)));
        }
    }
    m_factBody->show();
}

QString FieldPanel::facts() const
{
    return m_factLines.join(QLatin1Char('\n'));
}

QString FieldPanel::summary() const
{
    return m_summary->text();
}

void FieldPanel::readValues()
{
    report::FieldQuery query;
    query.text = m_task.text;
    query.header = m_word.header;
    query.address = m_word.address;
    query.low = m_low;
    query.high = m_high;
    if (m_hasRows && query == m_asked) {
        if (!m_job.running()) {
            const QScopedValueRollback guard(m_following, true);
            if (const int row = m_values->rowOf(m_task.task); row >= 0)
                chooseRow(m_table, m_values->index(row, 0));
        }
        return;
    }
    m_job.stop();
    m_asked = query;
    m_hasRows = true;
    m_summary->setText(tr("reading the tasks\u2026"));
    m_job.start(
        tr("Reading a field in every task"),
        [bundle = m_bundle, query](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return report::fieldRows(*bundle, query, progress);
        },
        [this](std::vector<report::FieldRow> rows) { showValues(std::move(rows)); });
}

void FieldPanel::showValues(std::vector<report::FieldRow> rows)
{
    std::set<std::optional<std::uint32_t>> distinct;
    std::size_t alike = 0;
    const auto now = m_task.task < rows.size() ? rows[m_task.task].value : std::nullopt;
    for (const report::FieldRow &row : rows) {
        distinct.insert(row.value);
        alike += row.value == now ? 1 : 0;
    }
    m_summary->setText(rows.size() < 2 ? tr("There is no other task.")
                       : distinct.size() == 1
                           ? tr("the same in all %1 tasks").arg(groupedNumber(rows.size()))
                           : tr("%1 values in %2 tasks; %3 have that of task %4")
                                 .arg(groupedNumber(distinct.size()), groupedNumber(rows.size()),
                                      groupedNumber(alike))
                                 .arg(m_task.task));
    const QScopedValueRollback guard(m_following, true);
    m_values->setRows(std::move(rows));
    hideAbsentColumns(*m_table->horizontalHeader(), *m_values);
    if (const int row = m_values->rowOf(m_task.task); row >= 0) {
        revealRow(m_table, m_values->index(row, 0));
    }
}

Place FieldPanel::placeOf(std::uint64_t word) const
{
    Place place;
    place.file = 0;
    const unsigned first = m_low / 8, last = m_high / 8;
    place.bytes = ByteRange{FileOffset(word + first), ByteCount(last - first + 1)};
    if (m_low != 0 || m_high != 31)
        place.bits = BitRun{m_low % 8, m_high - m_low + 1};
    return place;
}

/// To the same field of another task; of one that does not write it, to the task.
void FieldPanel::goToTask(const QModelIndex &index)
{
    if (m_following || !index.isValid() || !m_bundle)
        return;
    const report::FieldRow &row = m_values->rows()[m_values->sourceRow(index.row())];
    if (row.task == m_task.task)
        return;
    if (row.written) {
        Q_EMIT picked(placeOf(row.place));
        return;
    }
    Q_EMIT m_session.statusMessage(
        tr("Task %1 does not write it: it finds what the tasks before left there.").arg(row.task));
}

void FieldPanel::chooseBits(unsigned low, unsigned high)
{
    m_low = low;
    m_high = high;
    Q_EMIT picked(placeOf(m_word.place));
}

} // namespace kernscope::ui

#include "moc_field_panel.cpp"
