// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/inspector_dock.h"

#include "core/bundle/bundle.h"
#include "core/bundle/section_map.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"
#include "widgets/weight/bundle_facts.h"
#include "widgets/weight/codebook_dock.h"
#include "widgets/weight/mask_dock.h"
#include "widgets/weight/scale_panel.h"
#include "widgets/weight/statistics_panel.h"
#include "widgets/weight/weight_header.h"

namespace kernscope::ui {

ChipLines::ChipLines(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(ChipState::of(session)),
      m_lines(new QLabel(this))
{
    giveWay(selectable(m_lines, Qt::RichText));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    column->addWidget(m_lines);
    for (const auto signal :
         {&ChipState::tableChanged, &ChipState::targetChanged, &ChipState::assessedChanged})
        connect(&m_state, signal, this, &ChipLines::showLines);
}

void ChipLines::setWeight(std::size_t weight)
{
    m_weight = weight;
    showLines();
}

QString ChipLines::text() const
{
    return m_lines->accessibleName();
}

/// "M1: ▶ streams, reads 0.479 of the dense bytes. 1.55 to 1.64 times dense (measured: …)."
QString ChipLines::lineOf(const target::Target &target) const
{
    const auto &table = m_state.table();
    const std::size_t column = table->columnOf(target);
    if (column == kNoIndex)
        return {};
    const roofline::Assessment made = table->assessment(m_weight, column);
    QString line =
        tr("<b>%1</b>: %2").arg(chipName(target).toHtmlEscaped(), outcomeLabel(made.outcome));
    const std::uint64_t dense = table->form(m_weight).denseBytes;
    if (const auto moved = table->bytesMoved(m_weight, column); moved && dense > 0)
        line += tr(", reads %1 of the dense bytes")
                    .arg(ratioText(static_cast<double>(*moved) / static_cast<double>(dense)));
    line += QLatin1Char('.');
    if (made.speedup)
        line += QLatin1Char(' ') + tr("%1 times dense (%2: %3).")
                                       .arg(speedupWord(*made.speedup),
                                            confidenceLabel(made.speedup->confidence),
                                            fromUtf8(made.speedup->condition).toHtmlEscaped());
    const decision::Verdict &verdict = table->verdict(m_weight, column);
    if (made.outcome != decision::Outcome::Streams && !verdict.nearestChange.empty())
        line += QLatin1Char(' ') + fromUtf8(verdict.nearestChange).toHtmlEscaped();
    return line;
}

/// "All 24 chips: ▶ streams 9, ▽ folds 12, ? unknown 3."
QString ChipLines::countLine() const
{
    using decision::Outcome;
    static constexpr std::array kOrder{Outcome::Streams, Outcome::Folds, Outcome::Dense,
                                       Outcome::Rejected, Outcome::Unknown};
    const auto &table = m_state.table();
    std::array<std::size_t, kOrder.size()> counts{};
    for (std::size_t column = 0; column < table->columns(); ++column)
        ++counts[static_cast<std::size_t>(table->verdict(m_weight, column).outcome)];
    QStringList words;
    for (const Outcome outcome : kOrder) {
        if (const std::size_t count = counts[static_cast<std::size_t>(outcome)]; count > 0)
            words += u"%1 %2"_s.arg(outcomeLabel(outcome)).arg(count);
    }
    return tr("All %1 chips: %2.").arg(table->columns()).arg(words.join(u", "_s));
}

void ChipLines::showLines()
{
    const auto &table = m_state.table();
    QStringList lines;
    if (!table || m_weight >= table->rows()) {
        lines += m_session.bundle() ? m_state.waitingText() : QString();
    } else {
        lines += lineOf(m_state.target());
        if (&m_state.assessed() != &m_state.target())
            lines += lineOf(m_state.assessed());
        lines += countLine();
        lines.removeAll(QString());
    }
    m_lines->setText(
        u"<p style='margin:0'>%1</p>"_s.arg(lines.join(u"</p><p style='margin:3px 0 0 0'>"_s)));
    m_lines->setAccessibleName(
        QTextDocumentFragment::fromHtml(lines.join(QLatin1Char(' '))).toPlainText());
}

/// The stored parts of a weight, a line each: kind, element type, bytes, and where they lie, as a
/// link to the bytes.
class StoredParts : public QWidget
{
    Q_OBJECT

public:
    explicit StoredParts(QWidget *parent = nullptr);

    void setWeight(const Bundle &bundle, std::size_t weight);

Q_SIGNALS:
    void picked(std::size_t file, kernscope::ByteRange bytes);

private:
    QGridLayout *m_rows = nullptr;
    QWidget *m_body = nullptr;
};

namespace {

constexpr double kCodebookHeight = 29, kMaskHeight = 31; // in ems: so that rows and pictures help
constexpr double kMostStatistics = 32;

/// As the sections of a file are called; Core AI adds a second offset to what is scaled.
QString partLabel(const Weight &weight, codec::PartRole role)
{
    const codec::Encoding *encoding = weight.form.encoding().get();
    if (role == codec::PartRole::Bias && encoding && encoding->scaling && encoding->scaling->bias)
        return InspectorDock::tr("second offset");
    if (role == codec::PartRole::Offset)
        return InspectorDock::tr("offset");
    return theme::sectionKindLabel(sectionKindOf(role));
}

} // namespace

StoredParts::StoredParts(QWidget *parent) : QWidget(parent)
{
    withoutMargins(new QVBoxLayout(this));
}

void StoredParts::setWeight(const Bundle &bundle, std::size_t index)
{
    delete m_body;
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    m_rows = factGrid(m_body);
    const int side = design::space(this, design::Space::Medium) + 2;
    int row = 0;
    for (const codec::Operand &operand : bundle.weights()[index].operands()) {
        const OperandPlace &place = *operand.place;
        auto *swatch = new QLabel(m_body);
        swatch->setPixmap(kindIcon(sectionKindOf(operand.role)).pixmap(side, side));
        auto *name = new ElidedLabel(Qt::ElideRight, m_body); // gives way to the numbers
        name->setWholeText(u"%1 %2"_s.arg(partLabel(bundle.weights()[index], operand.role),
                                          fromUtf8(elementTypeName(operand.declaredType()))));
        auto *bytes = new QLabel(tr("%1 B").arg(groupedNumber(place.bytes.value)), m_body);
        bytes->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        QLabel *link = linkLabel({}, m_body);
        link->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        if (place.isLiteral()) {
            link->setText(tr("in the program"));
            link->setForegroundRole(QPalette::PlaceholderText);
        } else {
            const QString at = hexNumber(place.dataOffset.value);
            link->setText(u"<a href=\"%1\">%1</a>"_s.arg(at));
            link->setToolTip(u"%1 + %2"_s.arg(fromUtf8(bundle.files()[place.file].path), at));
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

InspectorDock::InspectorDock(Session &session, QWidget *parent)
    : Dock(session, u"inspector"_s, tr("Inspector"), parent)
{
    auto *content = new QWidget(this);
    m_facts = new BundleFacts(session, content);
    m_statistics = new StatisticsPanel(session, content);
    m_codebook = new CodebookDock(session, content);
    m_mask = new MaskDock(session, content);
    m_scales = new ScalePanel(session, content);
    m_parts = new StoredParts(content);
    m_chips = new ChipLines(session, content);
    m_readers = new QWidget(content);
    auto *readers = new QVBoxLayout(m_readers);
    readers->setContentsMargins(design::space(this, design::Space::Small), 0, 0, 0);
    readers->setSpacing(0);
    m_codebook->embedIn(*this);
    m_mask->embedIn(*this);
    for (Dock *part : {static_cast<Dock *>(m_codebook), static_cast<Dock *>(m_mask)})
        part->findChild<WeightHeader *>()->hide(); // the inspector names the weight
    m_codebook->setMinimumHeight(theme::em(this, kCodebookHeight));
    m_mask->setMinimumHeight(theme::em(this, kMaskHeight));
    auto *column = new QVBoxLayout(content);
    m_column = column;
    const int gap = design::space(this, design::Space::Small);
    column->setContentsMargins(gap, 0, gap, 0);
    column->setSpacing(0);
    const auto add = [&](const QString &title, QWidget *body, int stretch) {
        auto *section = new PanelSection(title, body, content);
        column->addWidget(section, stretch);
        section->hide();
        return section;
    };
    m_bundleSection = add(tr("Bundle"), m_facts, 0);
    // Shares of the room; what no part takes is left at the foot, and not between the rows.
    m_statisticsSection = add(tr("Statistics"), m_statistics, 20);
    // A taller histogram says no more, and what follows stands nearer.
    m_statisticsSection->setMaximumHeight(theme::em(this, kMostStatistics));
    m_codebookSection = add(tr("Codebook"), m_codebook, 30);
    m_scaleSection = add(tr("Scales and zero points"), m_scales, 30);
    m_maskSection = add(tr("Mask"), m_mask, 30);
    m_partSection = add(tr("Stored as"), m_parts, 0);
    m_readerSection = add(tr("Read by"), m_readers, 0);
    m_chipSection = add(tr("On chips"), m_chips, 0);
    column->addStretch(1);
    setContent(content);
    connectParts();
}

/// A line each: a name is one long word, which would widen the whole panel if it were wrapped.
void InspectorDock::showReaders(const Weight &weight)
{
    qDeleteAll(m_readers->findChildren<QLabel *>(Qt::FindDirectChildrenOnly));
    for (const QString &reader : consumerNames(weight)) {
        auto *line = new ElidedLabel(Qt::ElideMiddle, m_readers);
        line->setWholeText(reader);
        m_readers->layout()->addWidget(line);
    }
}

/// Menus of the parts that are docks as well, and what parts ask for.
void InspectorDock::connectParts()
{
    // The docks of their own that do the same are hidden, and what they do disabled with them.
    for (const auto &[title, actions] : {std::pair{tr("Codebook"), m_codebook->menuActions()},
                                         {tr("Scales and Zero Points"), m_scales->menuActions()},
                                         {tr("Mask"), m_mask->menuActions()}}) {
        auto *menu = new QMenu(title, this);
        menu->addActions(actions);
        m_partMenus += menu->menuAction();
    }
    connect(m_facts, &BundleFacts::nextRequested, this, &InspectorDock::nextRequested);
    connect(m_parts, &StoredParts::picked, this, [this](std::size_t file, const ByteRange &bytes) {
        Place place;
        place.file = file;
        place.bytes = bytes;
        place.weight = m_weight;
        this->session().goTo(place, this);
        raiseHex();
    });
}

QList<QAction *> InspectorDock::menuActions() const
{
    return m_statistics->histogramActions() + m_statistics->histogram().plotActions() + m_partMenus;
}

void InspectorDock::addPanel(InspectorPanel *panel, int stretch)
{
    m_panels += panel;
    panel->setParent(m_bundleSection->parentWidget());
    panel->hide();
    m_column->insertWidget(0, panel, stretch);
    connect(panel, &InspectorPanel::picked, this,
            [this](const Place &place) { session().goTo(place, this); });
    connect(panel, &InspectorPanel::ready, this, &InspectorDock::scheduleRefresh);
    scheduleRefresh();
}

bool InspectorDock::working() const
{
    const auto busy = [](const Dock *dock) { return dock->isVisible() && dock->busy(); };
    if (m_panel)
        return m_panel->working();
    return m_statistics->working() || m_scales->working() || busy(m_codebook) || busy(m_mask);
}

void InspectorDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle) {
        m_weight = kNoIndex;
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
        for (InspectorPanel *panel : std::as_const(m_panels))
            panel->clear();
        showMessage(tr("Open a bundle to begin (Ctrl+O)."));
        return;
    }
    const bool another = place().weight != m_weight;
    showPlace(place(), true);
    if (another && place().element && m_scaleSection->isVisible())
        m_scales->showElement(*place().element);
}

/// The panel where it has something to say of the place, else the weight or the bundle; `anew`
/// also where that is shown already.
void InspectorDock::showPlace(const Place &place, bool anew)
{
    InspectorPanel *before = m_panel;
    m_panel = nullptr;
    for (InspectorPanel *panel : std::as_const(m_panels)) {
        if (!m_panel && panel->showPlace(session().bundle(), place))
            m_panel = panel;
    }
    if (before && before != m_panel) {
        before->hide();
        before->clear();
    }
    if (m_panel) {
        setNote(m_panel->title());
        const std::size_t weight = m_panel->weight();
        if (before == m_panel && !anew && weight == kNoIndex && m_chipSection->isHidden())
            return;
        m_weight = kNoIndex; // none is shown as a weight
        showSections(nullptr);
        m_bundleSection->hide();
        m_panel->show();
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
        m_chips->setWeight(weight);
        m_chipSection->setVisible(weight != kNoIndex);
        showContent();
        return;
    }
    if (anew || before || place.weight != m_weight)
        showWeight(place.weight);
}

void InspectorDock::follow(const Place &place, QObject *)
{
    if (!session().bundle())
        return;
    showPlace(place, false);
    if (place.element && m_scaleSection->isVisible())
        m_scales->showElement(*place.element);
}

void InspectorDock::showWeight(std::size_t index)
{
    const BundlePtr &bundle = session().bundle();
    m_weight = index;
    const bool one = index < bundle->weights().size();
    const Weight *weight = one ? &bundle->weights()[index] : nullptr;
    setNote(one ? fromUtf8(weight->name) : fromUtf8(bundle->name()));
    showSections(weight);
    if (!one) {
        m_facts->setBundle(bundle);
        m_statistics->setWeight(nullptr, 0);
        m_scales->setWeight(nullptr, 0);
    } else {
        m_parts->setWeight(*bundle, index);
        showReaders(*weight);
        m_chips->setWeight(index);
        const bool sound = !weight->fault;
        m_statistics->setWeight(sound ? bundle : nullptr, sound ? index : 0);
        const bool scaled = sound && ScaleData::has(*weight);
        m_scales->setWeight(scaled ? bundle : nullptr, scaled ? index : 0);
    }
    showContent();
}

void InspectorDock::showSections(const Weight *weight)
{
    const bool sound = weight && !weight->fault;
    m_bundleSection->setVisible(!weight);
    m_statisticsSection->setVisible(sound);
    m_codebookSection->setVisible(sound && weight->has(codec::PartRole::Lut));
    m_scaleSection->setVisible(sound && ScaleData::has(*weight));
    m_maskSection->setVisible(sound && weight->has(codec::PartRole::Mask));
    m_partSection->setVisible(weight && !weight->operands().empty());
    m_readerSection->setVisible(weight && !weight->consumers.empty());
    m_chipSection->setVisible(sound);
}

} // namespace kernscope::ui

#include "inspector_dock.moc"
#include "moc_inspector_dock.cpp"
