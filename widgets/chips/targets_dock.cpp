// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/targets_dock.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

namespace {

using report::HalShown;
using report::TargetFact;
using target::Target;

/// A fact that is no field of the table; empty: not known.
HalShown shownAs(const QString &text, const Target &target)
{
    HalShown shown;
    shown.source = target.source;
    shown.confidence = target.confidence;
    if (text.isEmpty())
        return shown;
    shown.text = text.toStdString();
    shown.scope = target.name;
    return shown;
}

QString claimText(const Target &target, const char *fact, const std::string &own)
{
    QString text = fromUtf8(own);
    for (const target::Claim &claim : target::claims(target, fact)) {
        if (!claim.byDefault)
            text += TargetsDock::tr(" \u2260 %1 (%2)")
                        .arg(fromUtf8(claim.value), fromUtf8(claim.source));
    }
    return own.empty() && !text.isEmpty() ? TargetsDock::tr("unknown") + text : text;
}

std::string numberText(const std::optional<unsigned> &value)
{
    return value ? std::to_string(*value) : std::string();
}

/// Facts of the chip itself, a row each.
std::vector<TargetFact> targetRows(const Target &a, const Target &b)
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
        {T::tr("product"), "product", a.product, b.product},
        {T::tr("family"), "family", a.family, b.family},
        {T::tr("hardware version"), "hardware_version", numberText(a.hardwareVersion),
         numberText(b.hardwareVersion)},
        {T::tr("cpu subtype"), "cpusubtype", numberText(a.cpuSubtype), numberText(b.cpuSubtype)},
        {T::tr("descriptor version"), "descriptor_version", numberText(a.descriptorVersion),
         numberText(b.descriptorVersion)},
        {T::tr("cores"), "cores", numberText(a.cores), numberText(b.cores)},
        {T::tr("device bucket (chapter 36)"), "", bucket(a), bucket(b)},
    };
    std::vector<TargetFact> rows;
    for (const Fact &fact : facts) {
        TargetFact row;
        row.table = T::tr("chip").toStdString();
        row.name = fact.name.toStdString();
        row.value = shownAs(claimText(a, fact.claim, fact.a), a);
        row.other = shownAs(claimText(b, fact.claim, fact.b), b);
        if (target::isContested(a, fact.claim) || target::isContested(b, fact.claim))
            row.value.confidence = row.other->confidence = format::Confidence::Contested;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Facts of the build, which hold for one chip or for each.
std::vector<TargetFact> buildRows(const Target &a, const Target &b)
{
    std::vector<TargetFact> rows;
    for (const target::ChipFact &fact : target::chipFacts()) {
        const auto of = [&fact](const Target &target) {
            HalShown shown;
            shown.source = fact.source;
            shown.confidence = fact.confidence;
            if (fact.target == "*" || fact.target == target.name) {
                shown.text = fact.value;
                shown.scope = fact.target;
            }
            return shown;
        };
        TargetFact row;
        row.table = TargetsDock::tr("build").toStdString();
        row.offset = fact.place;
        row.name = fact.name;
        row.value = of(a);
        row.other = of(b);
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

TargetsDock::TargetsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("targets"), tr("Targets and Gates"), parent),
      m_state(ChipState::of(session))
{
    m_model = new RowTable<TargetFact>(report::targetFactTable(), this);
    auto *content = new QWidget(this);
    m_table =
        makeTable(content, tr("Hardware-abstraction table"), m_model, {7, 5, 22, 11, 11, 18, 9});
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_filter = filterBox(content, tr("Search offset, name, value or source"), m_table);
    m_first = sharedChipBox(m_state, content);
    m_first->setAccessibleName(tr("First chip"));
    m_second = named(new ChipBox(content), tr("Second chip"));
    m_second->setTarget(target::comparedTarget());
    m_onlyDifferent = new QCheckBox(tr("Differences only"), content);
    m_onlyKnown = new QCheckBox(tr("Known only"), content);
    m_onlyKnown->setChecked(true);
    auto *bar = laidOut(new QHBoxLayout,
                        {{m_filter, 2}, {m_first, 1}, {m_second, 1}, m_onlyDifferent, m_onlyKnown});
    m_facts = new QLabel(content);
    m_facts->setWordWrap(true);
    m_facts->setText(
        tr("A blank of the sources is unknown and is never read as 0. \u2260 marks what "
           "sources disagree about: the chapters' value comes first."));
    laidOut(contentColumn(content), {bar, m_facts, {m_table, 1}});
    setContent(content, m_table);
    buildActions();
    connect(m_filter, &QLineEdit::textChanged, m_model, &RowTableModel::setFilter);
    connect(m_second, &ChipBox::targetChosen, this, &TargetsDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &TargetsDock::scheduleRefresh);
    for (QCheckBox *box : {m_onlyDifferent, m_onlyKnown})
        connect(box, &QCheckBox::toggled, this, &TargetsDock::scheduleRefresh);
}

void TargetsDock::buildActions()
{
    auto *find = findAction(this, tr("Search Targets"), m_filter);
    auto *copy = copyAction(this, tr("Copy Rows"), m_table);
    auto *save = exportAction(this, session(), tr("Export Table…"), *m_model, "targets");
    m_actions = {find, copy, save};
    m_table->addActions(m_actions);
}

void TargetsDock::refresh()
{
    const Target &a = m_first->target();
    const Target &b = m_second->target();
    m_model->setTitle("first", fromUtf8(a.name));
    m_model->setTitle("second", fromUtf8(b.name));
    std::vector<TargetFact> rows = targetRows(a, b);
    const auto add = [&](std::vector<TargetFact> more, bool compared) {
        for (TargetFact &row : more) {
            const bool known = !row.value.scope.empty() || !row.other->scope.empty();
            const bool same = row.value.text == row.other->text;
            if ((!known && m_onlyKnown->isChecked()) ||
                (same && compared && m_onlyDifferent->isChecked()))
                continue;
            rows.push_back(std::move(row));
        }
    };
    add(report::halRows(a, &b), true);
    add(buildRows(a, b), false);
    m_model->setRows(std::move(rows));
    showContent();
}

} // namespace kernscope::ui

#include "moc_targets_dock.cpp"
