// SPDX-License-Identifier: GPL-3.0-or-later
// What the overview says in words: its cards and what is worth a look.
#include "core/base/overlaid_file.h"
#include "core/report/program_table.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/overview_dock.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/weight_names.h"
#include "widgets/weight/weight_words.h"

#include <QCoreApplication>
#include <QLabel>

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostFindings = 12; ///< named on the page; the rest is a count

struct OverviewKindWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Overview)
};

/// "4 outliers"
QString kindWord(Finding::Kind kind, std::size_t count)
{
    using Words = OverviewKindWords;
    switch (kind) {
    case Finding::Kind::Damaged:
        return countedWords(count, Words::tr("1 damaged"), Words::tr("%1 damaged"));
    case Finding::Kind::UnusedRecords:
        return countedWords(count, Words::tr("1 file with unused records"),
                            Words::tr("%1 files with unused records"));
    case Finding::Kind::NonFinite:
        return countedWords(count, Words::tr("1 with NaN or inf"), Words::tr("%1 with NaN or inf"));
    case Finding::Kind::BeyondHalf:
        return countedWords(count, Words::tr("1 beyond fp16"), Words::tr("%1 beyond fp16"));
    case Finding::Kind::ZeroScale:
        return countedWords(count, Words::tr("1 with scales of 0"),
                            Words::tr("%1 with scales of 0"));
    case Finding::Kind::Constant:
        return countedWords(count, Words::tr("1 constant"), Words::tr("%1 constant"));
    case Finding::Kind::ConstantChannels:
        return countedWords(count, Words::tr("1 with constant channels"),
                            Words::tr("%1 with constant channels"));
    case Finding::Kind::FoldsEverywhere:
        return countedWords(count, Words::tr("1 folds everywhere"),
                            Words::tr("%1 fold everywhere"));
    case Finding::Kind::DeadEntries:
        return countedWords(count, Words::tr("1 with unused entries"),
                            Words::tr("%1 with unused entries"));
    case Finding::Kind::Larger:
        return countedWords(count, Words::tr("1 larger than fp16"),
                            Words::tr("%1 larger than fp16"));
    case Finding::Kind::Duplicate:
        return countedWords(count, Words::tr("1 duplicate"), Words::tr("%1 duplicates"));
    case Finding::Kind::Outlier:
        return countedWords(count, Words::tr("1 outlier"), Words::tr("%1 outliers"));
    }
    return {};
}

} // namespace

void OverviewDock::showTotals()
{
    m_title->setText(fromUtf8(m_shown->name()));
    QStringList facts{fromUtf8(bundleKindName(m_shown->kind()))};
    if (m_sums && m_sums->operations > 0)
        facts += countedWords(m_sums->operations, tr("1 operation"), tr("%1 operations"));
    facts += m_tools;
    facts += m_shown->files().size() == 1
                 ? tr("%1 B in one file").arg(groupedNumber(m_shown->totalBytes().value))
                 : tr("%1 B in %2 files")
                       .arg(groupedNumber(m_shown->totalBytes().value),
                            groupedNumber(m_shown->files().size()));
    facts += m_about;
    m_facts->setWholeText(facts.join(QStringLiteral(" \u00B7 ")));
    const std::vector<Finding> findings = allFindings();
    const bool looking = m_task && findings.empty();
    showStored();
    const auto &table = m_chips.table();
    const std::size_t chip = table ? table->columnOf(m_chips.target()) : kNoIndex;
    if (chip == kNoIndex) {
        m_moved.value->setText(QStringLiteral("\u2013"));
        m_moved.note->setText(m_chips.working() ? tr("judging the weights\u2026") : QString());
    } else {
        const TargetTotals &sums = table->totals(chip);
        const QString moved = tr("%1 B").arg(groupedNumber(sums.bytesMoved));
        m_moved.value->setText(sums.movedOpen == 0               ? moved
                               : sums.movedOpen == table->rows() ? tr("unknown")
                                                                 : tr("at least %1").arg(moved));
        m_moved.note->setText(tr("on %1: %2 stream, %3 fold to dense, %4 dense")
                                  .arg(chipName(m_chips.target()))
                                  .arg(sums.streams)
                                  .arg(sums.folds)
                                  .arg(sums.dense) +
                              (sums.movedOpen > 0
                                   ? tr(", %1 not known").arg(groupedNumber(sums.movedOpen))
                                   : QString()));
    }
    m_time->showTime(m_shown, m_chips);
    m_odd.value->setText(m_cut     ? QStringLiteral("\u2013")
                         : looking ? QStringLiteral("\u2026")
                                   : groupedNumber(findings.size()));
    m_odd.note->setText(m_cut    ? tr("looking over the weights was cancelled")
                        : m_read ? kindsOf(findings)
                                 : tr("values were not read: too many to read unasked"));
}

/// What an app sees: of the function that runs by default, all of it in the tip.
void OverviewDock::showDescription()
{
    constexpr std::size_t kMostFeatures = 6, kMostLabels = 6, kMostTipped = 40;
    const auto features = report::featureFacts(*m_shown);
    const auto &described = m_shown->program()->descriptions;
    if (features.empty() || described.empty())
        return;
    std::string_view first = described.front().defaultFunction;
    if (first.empty())
        first = features.front().function;
    QStringList parts, tip;
    std::string_view use;
    std::size_t inUse = 0;
    for (const report::FeatureFacts &row : features) {
        const std::string allowed = row.feature->allowedText();
        const QString text = QStringLiteral("%1 %2%3").arg(
            fromUtf8(row.feature->name), fromUtf8(row.feature->typeText()),
            allowed.empty() ? QString() : tr(" (or %1)").arg(fromUtf8(allowed)));
        if (static_cast<std::size_t>(tip.size()) < kMostTipped)
            tip += QStringLiteral("%1 %2 %3 %4")
                       .arg(fromUtf8(row.function), fromUtf8(row.use), text,
                            fromUtf8(row.feature->words))
                       .simplified();
        if (row.model != features.front().model || row.function != first)
            continue;
        inUse = row.use == use ? inUse + 1 : 1;
        use = row.use;
        if (inUse > kMostFeatures + 1)
            continue;
        const QString word = use == "in" ? tr("In") : use == "out" ? tr("Out") : tr("State");
        parts += inUse > kMostFeatures ? QStringLiteral("\u2026")
                 : inUse > 1           ? text.toHtmlEscaped()
                             : QStringLiteral("<b>%1</b> %2").arg(word, text.toHtmlEscaped());
    }
    for (const mil::ModelDescription &description : described) {
        for (const std::string &line : report::descriptionLines(description, kMostLabels)) {
            const QString text = fromUtf8(line);
            tip += text;
            if (&description == &described.front() &&
                !text.startsWith(QLatin1String("description: ")) &&
                !text.startsWith(QLatin1String("author: ")))
                parts += text.toHtmlEscaped();
        }
    }
    m_described->setText(parts.join(QStringLiteral(" &nbsp;\u00B7&nbsp; ")));
    m_described->setToolTip(QStringLiteral("<p style=\"white-space: pre\">%1</p>")
                                .arg(tip.join(u'\n').toHtmlEscaped()));
    m_described->show();
}

/// "1 larger · 4 outliers", each a link to the first of its kind.
QString OverviewDock::kindsOf(const std::vector<Finding> &findings) const
{
    QStringList words;
    for (std::size_t i = 0; i < findings.size();) {
        std::size_t end = i; // the kinds stand together
        while (end < findings.size() && findings[end].kind == findings[i].kind)
            ++end;
        const QString word = kindWord(findings[i].kind, end - i).toHtmlEscaped();
        const QString link = findings[i].weight != kNoIndex
                                 ? QStringLiteral("weight:%1").arg(findings[i].weight)
                                 : QStringLiteral("file:%1").arg(findings[i].file);
        words += QStringLiteral("<a href=\"%1\">%2</a>").arg(link, word);
        i = end;
    }
    return words.isEmpty() ? tr("values, tables and bytes were looked at")
                           : words.join(QStringLiteral(" \u00B7 "));
}

void OverviewDock::showStored()
{
    const std::size_t weights = m_shown->weights().size();
    const QString count = countedWords(weights, tr("1 weight"), tr("%1 weights"));
    if (!m_sums) {
        m_stored.value->setText(QStringLiteral("\u2026"));
        m_stored.note->setText(count);
    } else if (m_sums->unread > 0) {
        m_stored.value->setText(tr("unknown"));
        m_stored.note->setText(tr("%1 of %2 weights cannot be read")
                                   .arg(groupedNumber(m_sums->unread), groupedNumber(weights)));
    } else {
        const Totals &totals = m_sums->totals;
        m_stored.value->setText(tr("%1 B").arg(groupedNumber(totals.storedBytes.value)));
        m_stored.note->setText(tr("%1 of dense fp16, %2").arg(ratioText(totals.ratio), count));
    }
}

QString OverviewDock::weightLink(std::size_t weight) const
{
    // A line may end behind the mark of what is left out: not within a link.
    const QString name =
        m_names.nameOf(weight).replace(QChar(0x2026), QStringLiteral("\u2026\u2060"));
    return QStringLiteral("<a href=\"weight:%1\">%2</a>").arg(weight).arg(name.toHtmlEscaped());
}

QString OverviewDock::textOf(const Finding &finding) const
{
    const QString name = finding.weight == kNoIndex ? QString() : weightLink(finding.weight);
    switch (finding.kind) {
    case Finding::Kind::Damaged: return tr("%1 cannot be decoded").arg(name);
    case Finding::Kind::UnusedRecords:
        return QStringLiteral("<a href=\"file:%1\">%2</a>: %3")
            .arg(finding.file)
            .arg(fromUtf8(m_shown->files()[finding.file].path).toHtmlEscaped(),
                 countedWords(finding.count, tr("one record that nothing names"),
                              tr("%1 records that nothing names")));
    case Finding::Kind::NonFinite:
        return tr("%1 holds %2")
            .arg(name, countedWords(finding.count, tr("1 value that is NaN or infinite"),
                                    tr("%1 values that are NaN or infinite")));
    case Finding::Kind::BeyondHalf:
        return tr("%1: %2 beyond fp16")
            .arg(name, countedWords(finding.count, tr("1 value"), tr("%1 values")));
    case Finding::Kind::ZeroScale:
        return tr("%1: %2 of %3 scales are 0")
            .arg(name, groupedNumber(finding.count), groupedNumber(finding.of));
    case Finding::Kind::Constant:
        return tr("%1 is %2 everywhere").arg(name, valueText(finding.value));
    case Finding::Kind::ConstantChannels:
        return tr("%1: %2 of %3 output channels hold a single value")
            .arg(name, groupedNumber(finding.count), groupedNumber(finding.of));
    case Finding::Kind::FoldsEverywhere:
        return (finding.of > finding.count
                    ? tr("%1 is streamed by no chip: %2 fold it, %3 refuse it")
                          .arg(name)
                          .arg(finding.count)
                          .arg(finding.of - finding.count)
                    : tr("%1 is streamed by no chip: %2 fold it").arg(name).arg(finding.count));
    case Finding::Kind::DeadEntries:
        return tr("%1: %2 of %3 codebook entries never used")
            .arg(name, groupedNumber(finding.count), groupedNumber(finding.of));
    case Finding::Kind::Larger:
        return tr("%1 takes %2 B more than dense fp16 would")
            .arg(name, groupedNumber(finding.count));
    case Finding::Kind::Duplicate:
        return tr("%1 has the values of %2: %3 B are stored once more")
            .arg(name, weightLink(finding.other), groupedNumber(finding.count));
    case Finding::Kind::Outlier:
        return tr("%1 reaches %2, far from its other values").arg(name, valueText(finding.value));
    }
    return {};
}

void OverviewDock::showFindings()
{
    QStringList lines;
    const std::vector<Finding> findings = allFindings();
    for (const Finding &finding : findings) {
        if (static_cast<std::size_t>(lines.size()) == kMostFindings) {
            lines += tr("and %1 more").arg(findings.size() - kMostFindings);
            break;
        }
        lines += textOf(finding);
    }
    m_findings->setVisible(!lines.isEmpty());
    m_findings->setText(tr("<b>Worth a look</b>") + QStringLiteral("&nbsp; ") +
                        lines.join(QStringLiteral(" &nbsp;\u00B7&nbsp; ")));
}

} // namespace kernscope::ui
