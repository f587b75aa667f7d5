// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_export.h"

#include "core/base/error_builder.h"
#include "core/report/difference_json.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

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
    static constexpr std::pair<const char *, const char *> kFormats[] = {
        {"kpatch", "changes"}, {"html", "html"}, {"md", "markdown"},
        {"csv", "csv"},        {"xml", "junit"}, {"json", "json"}};
    const std::string ending = QFileInfo(fileName).suffix().toLower().toStdString();
    const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const auto &each) { return ending == each.first; });
    if (format == std::end(kFormats)) {
        return ErrorBuilder("diff.format")
            .file(fileName.toStdString())
            .expected(".kpatch, .html, .md, .csv, .json or .xml")
            .found(ending)
            .message("The ending of the name gives the format")
            .unexpected();
    }
    report::ComparisonWanted wanted;
    wanted.options.values = true;
    wanted.limits = limits;
    auto all =
        report::compareChecked(a, std::span(&b, 1), std::span(&chosen, 1), wanted, &progress);
    if (!all)
        return tl::unexpected(std::move(all.error()));
    report::setRowOrder(*all, format->second, {});
    return report::differenceDocument(*all, format->second, {}, &progress);
}

} // namespace kernscope::ui
