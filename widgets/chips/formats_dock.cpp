// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/formats_dock.h"

#include "core/report/chip_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/controls.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/panels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

/// A word and what belongs to it, kept together where the bar breaks.
QWidget *labelled(QWidget *parent, const QString &word, QWidget *field, const QString &tip)
{
    auto *box = new QWidget(parent);
    auto *row = withoutMargins(new QHBoxLayout(box));
    auto *label = new QLabel(word, box);
    label->setBuddy(field);
    laidOut(row, {label, field});
    field->setAccessibleName(word);
    field->setToolTip(tip);
    return box;
}

constexpr double kImageBarHeight = 1.6; // in ems

/// The register groups one behind the other by `placeOf`, each as long as its registers, from the
/// first to the end of the last; what lies between them is padding.
std::vector<ShareBar::Part>
imageParts(const std::function<std::uint32_t(const descriptor::ImageGroup &)> &placeOf)
{
    constexpr Token kTokens[]{Token::KindProgram,  Token::KindData, Token::KindIndices,
                              Token::KindCodebook, Token::KindMask, Token::KindValues,
                              Token::KindScale};
    struct Placed {
        const descriptor::ImageGroup *group = nullptr;
        Token token = Token::KindData;
        std::uint32_t begin = 0, bytes = 0;
    };
    std::vector<Placed> placed;
    for (const descriptor::ImageGroup &group : descriptor::imageGroups()) {
        const Token token = kTokens[placed.size() % std::size(kTokens)];
        placed.push_back({&group, token, placeOf(group), 4 * group.registers});
    }
    std::ranges::sort(placed, {}, &Placed::begin);
    std::erase_if(placed, [](const Placed &one) { return one.begin == 0; }); // no address is known
    std::vector<ShareBar::Part> parts;
    if (placed.empty())
        return parts;
    std::uint32_t at = placed.front().begin;
    const double whole = placed.back().begin + placed.back().bytes - at;
    for (const Placed &one : placed) {
        if (one.begin > at)
            parts.push_back({(one.begin - at) / whole, Token::KindPadding,
                             FormatsDock::tr("%1 B of no group").arg(one.begin - at)});
        const QString mark = one.group->confidence == format::Confidence::Contested
                                 ? theme::glyph(Token::MarkContested) + QLatin1Char(' ')
                                 : QString();
        const QString name =
            mark + fromUtf8(one.group->id) + QLatin1Char(' ') + fromUtf8(one.group->name);
        parts.push_back({one.bytes / whole, one.token,
                         FormatsDock::tr("%1: %2 registers from %3, %4")
                             .arg(name)
                             .arg(one.group->registers)
                             .arg(hexNumber(one.begin), fromUtf8(one.group->reading)),
                         name});
        at = one.begin + one.bytes;
    }
    return parts;
}

} // namespace

FormatsDock::FormatsDock(Session &session, QWidget *parent)
    : Dock(session, u"formats"_s, tr("Formats"), parent), m_state(ChipState::of(session)),
      m_model(new RowTable<report::KernelFormatFacts>(report::kernelFormatTable, this)),
      m_types(new RowTable<report::ElementTypeFacts>(report::elementTypeTable, this)),
      m_facts(new RowTable<report::EmbeddedFact>(report::embeddedFactTable, this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_table = new QTableView(content);
    m_filter = filterBox(content, tr("Filter by name, type, rule or source"), m_table);
    connect(m_filter, &QLineEdit::textChanged, this, &FormatsDock::filterBy);
    column->addWidget(m_filter);
    buildChoosers(content);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(buildFormats(m_tabs), tr("Kernel formats"));
    m_tabs->addTab(buildTypes(m_tabs), tr("Element types"));
    m_tabs->addTab(buildFacts(m_tabs), tr("All facts"));
    m_tabs->addTab(buildRules(m_tabs), tr("Rules"));
    connect(m_tabs, &QTabWidget::currentChanged, this, &FormatsDock::fillFacts);
    column->addWidget(m_tabs, 1);
    setContent(content, m_table);
    buildActions();
    connect(&m_state, &ChipState::targetChanged, this, &FormatsDock::followChip);
    followChip();
    showContent();
}

QWidget *FormatsDock::buildFormats(QWidget *parent)
{
    auto *page = new QWidget(parent);
    auto *column = withoutMargins(new QVBoxLayout(page));
    m_table->setAccessibleName(tr("Kernel formats"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(),
                    {3.5, 5.5, 6.5, 3, 4.5, 4.5, 4.5, 4, 15, 8, 12, 20});
    m_table->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(m_table, 1);
    m_rules = selectableLabel(page, Qt::PlainText);
    m_rules->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_rules->setAccessibleName(tr("Rules of the selected format"));
    column->addWidget(m_rules);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &FormatsDock::explain);
    connect(m_model, &QAbstractItemModel::modelReset, this, &FormatsDock::explain);
    return page;
}

QWidget *FormatsDock::buildTypes(QWidget *parent)
{
    m_typeTable =
        makeTable(parent, tr("Element types"), m_types, {8.5, 3.5, 6, 3, 6, 5, 4, 6.5, 8, 12});
    m_typeTable->horizontalHeader()->setStretchLastSection(true);
    return m_typeTable;
}

template <class Row>
void FormatsDock::addRules(const QString &name, const report::TableOf<Row> &table,
                           std::function<std::vector<Row>()> rows)
{
    auto *model = new RowTable<Row>(table, this);
    m_rulesOf.push_back({model, [model, rows = std::move(rows)] { model->setRows(rows()); }});
    m_ruleTables->addItem(name);
}

/// What else is known, a declared table a subject.
QWidget *FormatsDock::buildRules(QWidget *parent)
{
    auto *page = new QWidget(parent);
    auto *column = withoutMargins(new QVBoxLayout(page));
    m_ruleTables = named(new QComboBox(page), tr("Table of rules"));
    m_ruleTable = named(new QTableView(page), tr("Rules"));
    const auto all = [](const auto &rows) {
        return [&rows] { return std::vector(rows().begin(), rows().end()); };
    };
    addRules<format::Fp8Format>(tr("fp8 formats (table 36.1)"), report::fp8FormatTable,
                                all(format::fp8Formats));
    addRules<report::DoubleMacPair>(tr("Double multiply"), report::doubleMacTable,
                                    report::doubleMacPairs);
    addRules<report::LaneCode>(tr("Format word (table 36.3)"), report::laneCodeTable, [this] {
        return report::laneCodes(static_cast<std::uint32_t>(m_version->value()));
    });
    addRules<report::CodegenFacts>(tr("Encoder (table 25.5)"), report::codegenTable, [this] {
        return report::codegenRows(static_cast<unsigned>(m_version->value()));
    });
    addRules<report::FloorFacts>(tr("MinimumFamily floors"), report::floorTable,
                                 [this] { return report::floorRows(m_state.target()); });
    addRules<descriptor::ImageGroup>(tr("Register groups of version 10 (table 20.7)"),
                                     report::imageGroupTable, all(descriptor::imageGroups));
    m_imageGroups = m_rulesOf.back().model;
    addRules<descriptor::ImageField>(tr("Fields and ordering bits of version 10"),
                                     report::imageFieldTable,
                                     [] { return report::imageFieldsOf("field"); });
    addRules<report::ImageStreamFacts>(tr("Coefficient streams (tables 20.8, 25.4)"),
                                       report::imageStreamTable, report::imageStreamRows);
    addRules<format::WeightElementRole>(tr("Types in a weight (table 7.5)"),
                                        report::elementRoleTable, all(format::weightElementRoles));
    addRules<roofline::PublishedFigure>(
        tr("Published figures of the chip"), report::publishedFigureTable,
        [this] { return roofline::publishedFigures(&m_state.target()); });
    addRules<format::EngineNote>(tr("What else is known"), report::engineNoteTable,
                                 [] { return format::engineNotes(); });
    laidOut(column, {m_ruleTables, buildImage(page), {m_ruleTable, 1}});
    prepareTable(m_ruleTable);
    connect(m_ruleTables, &QComboBox::currentIndexChanged, this, &FormatsDock::showRules);
    return page;
}

QWidget *FormatsDock::buildImage(QWidget *parent)
{
    m_image = new QWidget(parent);
    auto *rows = withoutMargins(new QFormLayout(m_image));
    const auto offset = [](const descriptor::ImageGroup &group) { return group.structOffset; };
    const auto address = [](const descriptor::ImageGroup &group) { return group.firstAddress(); };
    const std::pair<QString, std::function<std::uint32_t(const descriptor::ImageGroup &)>> bars[]{
        {tr("In the object"), offset}, {tr("By address"), address}};
    for (const auto &[words, placeOf] : bars) {
        auto *bar = new ShareBar(kImageBarHeight, m_image);
        bar->setParts(imageParts(placeOf));
        rows->addRow(words, bar);
    }
    QLabel *note = selectableLabel(m_image, Qt::PlainText);
    note->setText(fromUtf8(descriptor::imageV10Note()));
    note->setProperty("ofTables", true);
    rows->addRow(note);
    return m_image;
}

void FormatsDock::showRules()
{
    const RuleTable &rules = m_rulesOf[static_cast<std::size_t>(m_ruleTables->currentIndex())];
    rules.fill();
    m_image->setVisible(rules.model == m_imageGroups);
    if (m_ruleTable->model() == rules.model)
        return;
    rules.model->setFilter(m_filter->text());
    m_ruleTable->setModel(rules.model);
    m_ruleTable->resizeColumnsToContents();
    m_ruleTable->horizontalHeader()->setStretchLastSection(true);
}

QWidget *FormatsDock::buildFacts(QWidget *parent)
{
    m_factTable = makeTable(parent, tr("All facts"), m_facts, {9, 28, 7, 16, 16});
    m_factTable->horizontalHeader()->setStretchLastSection(true);
    return m_factTable;
}

void FormatsDock::fillFacts()
{
    if (m_tabs->currentWidget() == m_factTable && m_facts->rows().empty())
        m_facts->setRows(report::embeddedFactRows());
}

void FormatsDock::buildChoosers(QWidget *parent)
{
    auto *bar = new QWidget(parent);
    auto *flow = new FlowLayout(bar);
    m_version = integerBox(bar, {}, 5, 40);
    m_vector = integerBox(bar, {}, 1, 16);
    m_codebooks = integerBox(bar, {}, 1, 65536);
    m_zeroPoint = new QCheckBox(tr("Zero point"), bar);
    m_zeroPoint->setToolTip(tr("The weight has zero points other than 0"));
    m_e4m3 = new QComboBox(bar);
    m_e4m3->addItems({tr("unknown"), tr("0: no"), tr("1: yes")});
    flow->addWidget(labelled(bar, tr("Chip"), sharedChipBox(m_state, bar),
                             tr("The chip that every dock judges by; it sets the descriptor "
                                "version and the E4M3 byte")));
    flow->addWidget(labelled(bar, tr("Descriptor version"), m_version,
                             tr("Version of the encoder of the chip's task descriptors: 5 on the "
                                "first generation, 20 where E4M3 has an encoder")));
    flow->addWidget(labelled(bar, tr("E4M3 byte"), m_e4m3,
                             tr("Byte 0x52d of the chip's hardware-abstraction table")));
    flow->addWidget(labelled(bar, tr("Vector"), m_vector,
                             tr("Output channels that share one palette entry (mask 0x36)")));
    flow->addWidget(labelled(bar, tr("Codebooks"), m_codebooks, tr("Codebooks of a palette")));
    flow->addWidget(m_zeroPoint);
    for (QSpinBox *box : {m_version, m_vector, m_codebooks})
        connect(box, &QSpinBox::valueChanged, this, &FormatsDock::choose);
    connect(m_e4m3, &QComboBox::currentIndexChanged, this, &FormatsDock::choose);
    connect(m_zeroPoint, &QCheckBox::toggled, this, &FormatsDock::choose);
    parent->layout()->addWidget(bar);
}

void FormatsDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Formats"), m_filter);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] {
        copySelection(m_typeTable->isVisible()   ? *m_typeTable
                      : m_factTable->isVisible() ? *m_factTable
                      : m_ruleTable->isVisible() ? *m_ruleTable
                                                 : *m_table);
    });
    auto *save =
        exportAction(this, session(), tr("Export Formats\u2026"), *m_model, "kernel-formats");
    auto *saveTypes =
        exportAction(this, session(), tr("Export Element Types\u2026"), *m_types, "element-types");
    auto *saveFacts = exportAction(this, session(), tr("Export Facts\u2026"), *m_facts, "facts");
    m_actions = {find, copy, save, saveTypes, saveFacts};
    m_factTable->addActions(m_actions);
    m_ruleTable->addActions(m_actions);
    m_table->addActions(m_actions);
    m_typeTable->addActions(m_actions);
}

void FormatsDock::refresh()
{
    showContent(); // the facts need no bundle
}

void FormatsDock::filterBy(const QString &words)
{
    m_model->setFilter(words);
    m_types->setFilter(words);
    m_facts->setFilter(words);
    for (const RuleTable &rules : m_rulesOf)
        rules.model->setFilter(words);
}

/// The boxes take the chip's figures.
void FormatsDock::followChip()
{
    const target::Target &chip = m_state.target();
    const auto e4m3 = target::halBit(chip, target::hal::kE4m3);
    {
        const QSignalBlocker version(m_version);
        const QSignalBlocker capability(m_e4m3);
        m_version->setValue(static_cast<int>(target::encoderVersion(chip).value_or(0)));
        m_e4m3->setCurrentIndex(e4m3 ? (*e4m3 ? 2 : 1) : 0);
    }
    m_types->setRows(report::allElementTypeRows(chip));
    choose();
}

void FormatsDock::choose()
{
    format::FormatUse use;
    use.descriptorVersion = static_cast<unsigned>(m_version->value());
    use.vectorSize = static_cast<unsigned>(m_vector->value());
    use.codebooks = static_cast<std::uint64_t>(m_codebooks->value());
    use.zeroPoint = m_zeroPoint->isChecked();
    if (m_e4m3->currentIndex() > 0)
        use.e4m3Capability = m_e4m3->currentIndex() == 2;
    const int row = m_table->currentIndex().row();
    m_model->setRows(report::kernelFormatRows(use));
    chooseRow(m_table, m_model->index(std::max(0, row), 0));
    showRules();
    explain(); // rules change without a change of the table
}

void FormatsDock::explain()
{
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= m_model->rowCount()) {
        m_rules->setText(tr("Select a format to see the rules that apply to it."));
        return;
    }
    const report::KernelFormatFacts &facts = m_model->rowAt(row);
    const format::KernelFormatRow &format = *facts.row;
    QStringList lines{tr("%1 (%2), %3: %4")
                          .arg(fromUtf8(format.name))
                          .arg(format.format.value)
                          .arg(confidenceWords(format.confidence), fromUtf8(format.source))};
    if (!format.note.empty())
        lines << fromUtf8(format.note);
    for (const format::LegalityRule &rule : facts.legality.rules) {
        const QString mark = rule.state == format::RuleState::Passes    ? u"\u25b6"_s
                             : rule.state == format::RuleState::Refuses ? u"\u2715"_s
                                                                        : u"?"_s;
        lines << tr("%1 %2: wants %3, found %4 (%5, %6)")
                     .arg(mark, fromUtf8(rule.name), fromUtf8(rule.required), fromUtf8(rule.found),
                          fromUtf8(rule.source), confidenceWords(rule.confidence));
    }
    if (facts.legality.rules.empty())
        lines << tr("No rule of the chapters applies to this format.");
    m_rules->setText(lines.join(u'\n'));
}

} // namespace kernscope::ui

#include "moc_formats_dock.cpp"
