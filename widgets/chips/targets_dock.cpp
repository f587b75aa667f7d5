// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/targets_dock.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

using target::HalValue;
using target::Target;

QString halValueText(const HalValue *value)
{
    return value ? fromUtf8(value->text) : TargetsDock::tr("unknown");
}

FactTableModel::Row halRow(const target::HalField &field, const HalValue *a, const HalValue *b)
{
    const HalValue *known = a ? a : b;
    const QString source = fromUtf8(known ? known->source : field.source);
    FactTableModel::Row row;
    row.push_back({TargetsDock::tr("HAL %1").arg(fromUtf8(target::halLayoutName(field.layout)))});
    row.push_back({fromUtf8(target::halOffsetText(field.offset))});
    row.push_back(
        {fromUtf8(field.name), {}, fromUtf8(field.note.empty() ? field.name : field.note)});
    for (const HalValue *value : {a, b}) {
        FactCell cell{halValueText(value)};
        cell.tip = value ? TargetsDock::tr("read for %1: %2")
                               .arg(fromUtf8(value->scope), fromUtf8(value->source))
                         : TargetsDock::tr("no source gives this value; it is not taken as 0");
        row.push_back(std::move(cell));
    }
    row.push_back({source, {}, source});
    row.push_back({confidenceLabel(known ? known->confidence : field.confidence)});
    return row;
}

QString claimText(const Target &target, const char *fact, const std::string &own)
{
    QString text = own.empty() ? TargetsDock::tr("unknown") : fromUtf8(own);
    for (const target::Claim &claim : target::claims(target, fact)) {
        if (!claim.byDefault)
            text += TargetsDock::tr(" \u2260 %1 (%2)")
                        .arg(fromUtf8(claim.value), fromUtf8(claim.source));
    }
    return text;
}

std::string number(const std::optional<unsigned> &value)
{
    return value ? std::to_string(*value) : std::string();
}

/// What is said of the chip itself, one row a fact.
std::vector<FactTableModel::Row> targetRows(const Target &a, const Target &b)
{
    struct Fact {
        QString name;
        const char *claim;
        std::string a, b;
    };
    const auto names = [](const Target &target) {
        std::string all;
        for (const std::string &alias : target.aliases)
            all += (all.empty() ? "" : ", ") + alias;
        return all;
    };
    const auto bucket = [](const Target &target) {
        const auto *found = target.cores ? target::deviceBucket(*target.cores) : nullptr;
        return found ? std::to_string(found->bucket) +
                           (found->peak ? ", peak " + std::to_string(*found->peak) : "")
                     : std::string();
    };
    using T = TargetsDock;
    const std::vector<Fact> facts{
        {T::tr("names"), "", names(a), names(b)},
        {T::tr("silicon"), "", a.silicon, b.silicon},
        {T::tr("family"), "family", a.family, b.family},
        {T::tr("hardware version"), "hardware_version", number(a.hardwareVersion),
         number(b.hardwareVersion)},
        {T::tr("cpu subtype"), "cpusubtype", number(a.cpuSubtype), number(b.cpuSubtype)},
        {T::tr("descriptor version"), "descriptor_version", number(a.descriptorVersion),
         number(b.descriptorVersion)},
        {T::tr("cores"), "cores", number(a.cores), number(b.cores)},
        {T::tr("device bucket (chapter 36)"), "", bucket(a), bucket(b)},
    };
    std::vector<FactTableModel::Row> rows;
    for (const Fact &fact : facts) {
        const bool contested =
            target::isContested(a, fact.claim) || target::isContested(b, fact.claim);
        FactTableModel::Row row;
        row.push_back({T::tr("chip")});
        row.push_back({QString()});
        row.push_back({fact.name});
        row.push_back({claimText(a, fact.claim, fact.a)});
        row.push_back({claimText(b, fact.claim, fact.b)});
        row.push_back({fromUtf8(a.source)});
        row.push_back({confidenceLabel(contested ? format::Confidence::Contested : a.confidence)});
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

TargetsDock::TargetsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("targets"), tr("Targets and Gates"), parent),
      m_state(ChipState::of(session))
{
    m_model = new FactTableModel(
        {tr("table"), tr("offset"), tr("name"), tr("A"), tr("B"), tr("source"), tr("confidence")},
        {tr("Which compiler's layout; offsets of two layouts never mix"),
         tr("Bytes from the start of that table"), tr("What the field is"),
         tr("Value on the first chip"), tr("Value on the second chip"),
         tr("Where the value is documented"), tr("How well it is known")},
        this);
    auto *content = new QWidget(this);
    m_table = new QTableView(content);
    m_table->setAccessibleName(tr("Hardware-abstraction table"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    m_table->setSortingEnabled(true);
    setColumnWidths(m_table->horizontalHeader(), {7, 5, 22, 11, 11, 18, 9});
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_filter = filterBox(content, tr("Search offset, name, value or source"), m_table);
    m_first = sharedChipBox(m_state, content);
    m_first->setAccessibleName(tr("First chip"));
    m_second = new ChipBox(content);
    m_second->setAccessibleName(tr("Second chip"));
    if (const auto m5 = target::findTarget("H17s"))
        m_second->setTarget(*m5->target);
    m_onlyDifferent = new QCheckBox(tr("Differences only"), content);
    m_onlyKnown = new QCheckBox(tr("Known only"), content);
    m_onlyKnown->setChecked(true);
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_filter, 2);
    bar->addWidget(m_first, 1);
    bar->addWidget(m_second, 1);
    bar->addWidget(m_onlyDifferent);
    bar->addWidget(m_onlyKnown);
    m_facts = new QLabel(content);
    m_facts->setWordWrap(true);
    m_facts->setText(
        tr("A blank of the sources is unknown and is never read as 0. \u2260 marks what "
           "sources disagree about: the chapters' value comes first."));
    QVBoxLayout *column = contentColumn(content);
    column->addLayout(bar);
    column->addWidget(m_facts);
    column->addWidget(m_table, 1);
    setContent(content);
    content->setFocusProxy(m_table);
    buildActions();
    connect(m_filter, &QLineEdit::textChanged, m_model, &FactTableModel::setFilter);
    connect(m_second, &ChipBox::targetChosen, this, &TargetsDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &TargetsDock::scheduleRefresh);
    for (QCheckBox *box : {m_onlyDifferent, m_onlyKnown})
        connect(box, &QCheckBox::toggled, this, &TargetsDock::scheduleRefresh);
}

void TargetsDock::buildActions()
{
    auto *find = findAction(this, tr("Search Targets"), m_filter);
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    auto *save =
        exportAction(this, session(), tr("Export Table…"), *m_model, QStringLiteral("targets"));
    m_actions = {find, copy, save};
    m_table->addActions(m_actions);
}

void TargetsDock::refresh()
{
    const Target &a = m_first->target();
    const Target &b = m_second->target();
    m_model->setHeader(3, fromUtf8(a.name));
    m_model->setHeader(4, fromUtf8(b.name));
    std::vector<FactTableModel::Row> rows = targetRows(a, b);
    for (const target::HalField &field : target::halFields()) {
        const HalValue *one = target::halValue(a, field.layout, field.offset);
        const HalValue *two = target::halValue(b, field.layout, field.offset);
        if (m_onlyKnown->isChecked() && !one && !two)
            continue;
        if (m_onlyDifferent->isChecked() && (one ? one->text : "") == (two ? two->text : ""))
            continue;
        rows.push_back(halRow(field, one, two));
    }
    for (const target::ChipFact &fact : target::chipFacts()) {
        const auto of = [&](const Target &target) {
            return fact.target == "*" || fact.target == target.name ? fromUtf8(fact.value)
                                                                    : tr("unknown");
        };
        const bool known = of(a) != tr("unknown") || of(b) != tr("unknown");
        if (m_onlyKnown->isChecked() && !known)
            continue;
        FactTableModel::Row row;
        row.push_back({tr("build")});
        row.push_back({fromUtf8(fact.place)});
        row.push_back({fromUtf8(fact.name)});
        row.push_back({of(a)});
        row.push_back({of(b)});
        row.push_back({fromUtf8(fact.source)});
        row.push_back({confidenceLabel(fact.confidence)});
        rows.push_back(std::move(row));
    }
    m_model->setRows(std::move(rows));
    showContent();
}

} // namespace kernscope::ui
