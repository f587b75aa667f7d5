// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_export.h"

#include "core/base/error_builder.h"
#include "core/report/change_script.h"
#include "core/report/difference_formats.h"
#include "core/report/difference_report.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <span>
#include <utility>

#include <nlohmann/json.hpp>

namespace kernscope::ui {

namespace {

struct DifferenceWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::DifferenceExport)
};

} // namespace

QString differenceKinds()
{
    return DifferenceWords::tr("Changes for another copy of A (*.kpatch);;Report (*.html);;"
                               "Markdown (*.md);;Table (*.csv);;JSON (*.json);;JUnit (*.xml)");
}

Result<std::string> differenceDocument(const BundlePtr &a, const BundlePtr &b,
                                       const DiffLimits &limits,
                                       const std::vector<PairChoice> &chosen,
                                       const QString &fileName, Progress &progress)
{
    DiffOptions options;
    options.values = true;
    options.pairs = chosen;
    auto difference = compareBundles(*a, *b, options, &progress);
    if (!difference)
        return tl::unexpected(std::move(difference.error()));
    const QString ending = QFileInfo(fileName).suffix().toLower();
    if (ending == QLatin1String("kpatch"))
        return report::changeScript(*a, *b, *difference, &progress);
    report::CheckedDifference checked{a, b, *std::move(difference), {}, {}, {}, {}, {}};
    checked.faults = checkLimits(*a, *b, checked.difference, limits);
    checked.verdict = buildVerdict(*a, *b, checked.difference);
    // As the command line has it: what people read begins with the worst.
    if (ending == QLatin1String("html") || ending == QLatin1String("md"))
        checked.order = report::RowOrder::WorstFirst;
    const std::span<const report::CheckedDifference> all(&checked, 1);
    if (ending == QLatin1String("html"))
        return report::differenceHtml(all, &progress);
    if (ending == QLatin1String("md"))
        return report::differenceMarkdown(all);
    if (ending == QLatin1String("csv"))
        return report::differenceCsv(all);
    if (ending == QLatin1String("xml"))
        return report::differenceJunit(all);
    if (ending == QLatin1String("json")) {
        report::Json document = report::checkedDifferenceJson(checked);
        report::finish(document, {});
        return report::documentText(document) + "\n";
    }
    return ErrorBuilder("diff.format")
        .file(fileName.toStdString())
        .expected(".kpatch, .html, .md, .csv, .json or .xml")
        .found(ending.toStdString())
        .message("The ending of the name gives the format")
        .unexpected();
}

} // namespace kernscope::ui
