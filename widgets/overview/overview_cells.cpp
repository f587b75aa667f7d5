// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_cells.h"

#include "core/bundle/stored_bytes.h"
#include "core/compare/compare.h"
#include "core/form/form_steps.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/design.h"
#include "widgets/common/qt.h"

namespace kernscope::ui {

std::shared_ptr<const BaseErrors> errorsAgainst(const BundlePtr &of, const BundlePtr &base,
                                                Progress &progress)
{
    DiffOptions options;
    options.values = true;
    options.bytes = false;
    const auto difference = compareBundles(*base, *of, options, &progress);
    if (!difference)
        return nullptr;
    auto errors = std::make_shared<BaseErrors>();
    errors->of = of;
    errors->base = base;
    errors->relative.resize(of->weights().size());
    for (const ComparedPair &pair : wholePairs(difference->weights)) {
        if (!pair.values || pair.b >= errors->relative.size())
            continue;
        const ValueDifference &values = *pair.values;
        // 10 log10 of the ratio of the squares: of values without a signal there is no ratio.
        if (values.identical())
            errors->relative[pair.b] = 0;
        else if (!std::isnan(values.snr))
            errors->relative[pair.b] = std::pow(10.0, -values.snr / 20);
        const double error = errors->relative[pair.b].value_or(0);
        if (error > 0 && std::isfinite(error)) {
            errors->least = errors->least > 0 ? std::min(errors->least, error) : error;
            errors->most = std::max(errors->most, error);
        }
    }
    return errors;
}

double errorShade(const BaseErrors &errors, double relative)
{
    constexpr double kLeast = 0.3; // what differs at all is seen to differ
    if (relative <= 0)
        return 0;
    if (!(errors.least < errors.most))
        return 1;
    const double at = std::log(relative / errors.least) / std::log(errors.most / errors.least);
    return kLeast + (1 - kLeast) * std::clamp(at, 0.0, 1.0);
}

namespace {

using roofline::ProgramTime;

QString predictedSeconds(double seconds)
{
    return siWord(seconds, u"s"_s);
}

/// What binds the program, and what the figure leaves out.
QString predictedNote(const ProgramTime &program, const QString &chip)
{
    QString note = program.bound == ProgramTime::Bound::Dispatch && program.dispatchFloorS
                       ? TimeCard::tr("on %1, less than the %2 that a call takes at least")
                             .arg(chip, predictedSeconds(*program.dispatchFloorS))
                   : program.bound == ProgramTime::Bound::Engine
                       ? TimeCard::tr("on %1, which binds the program").arg(chip)
                       : TimeCard::tr("on %1").arg(chip);
    return note;
}

/// Why there is no time of all layers.
QString unknownNote(const ProgramTime &program, const roofline::Roofs &roofs, const QString &chip)
{
    if (!roofs.compute && !roofs.bandwidth)
        return TimeCard::tr("no ceilings are published for %1").arg(chip);
    const std::size_t unknown = program.layers - std::min(program.layers, program.timed);
    if (program.refused > 0) {
        const QString refused =
            TimeCard::tr("on %1: the compiler refuses the weights of %2 of %3 layers")
                .arg(chip)
                .arg(program.refused)
                .arg(program.layers);
        return unknown > program.refused
                   ? TimeCard::tr("%1, the time of %2 more layers is not known")
                         .arg(refused)
                         .arg(unknown - program.refused)
                   : refused;
    }
    if (unknown > 0)
        return TimeCard::tr("on %1: the time of %2 of %3 layers is not known")
            .arg(chip)
            .arg(unknown)
            .arg(program.layers);
    return TimeCard::tr("on %1: how often its layers run is not known").arg(chip);
}

} // namespace

TimeCard::TimeCard(QWidget *parent) : CardFrame(tr("Engine time, predicted"), parent) {}

void TimeCard::showTime(const BundlePtr &bundle, const ChipState &chips)
{
    if (m_bundle.lock() == bundle && m_target == &chips.target())
        return;
    m_bundle = bundle;
    m_target = &chips.target();
    const QString chip = chipName(*m_target);
    const QString none(QChar(0x2013));
    if (bundle->weights().size() > kMostPlacedAtOnce)
        return say(none, tr("many layers: open Timeline for their times"));
    const auto roofs = roofline::roofsOf(*m_target);
    const auto network = roofs ? placeNetwork(*bundle, *roofs, chips.choice(), 1) : std::nullopt;
    if (!network || network->layers.empty())
        return say(none, noLayersText(*bundle));
    const ProgramTime &program = network->program;
    if (!program.dispatches.empty())
        return say(
            none, tr("on %1, %2 functions: see Timeline").arg(chip).arg(program.dispatches.size()));
    if (program.engineTimeS)
        return say(predictedSeconds(*program.engineTimeS), predictedNote(program, chip));
    say(program.knownS > 0 ? tr("at least %1").arg(predictedSeconds(program.knownS)) : none,
        unknownNote(program, *roofs, chip));
}

namespace {

/// A screen has no room for more; the rest is one cell.
constexpr std::size_t kMostMapCells = 2000;

std::optional<double> zerosOf(const BundleFigures &figures, std::size_t weight)
{
    return weight < figures.zeros.size() ? figures.zeros[weight] : std::nullopt;
}

std::optional<double> errorOf(const OverviewColors &colors, std::size_t weight)
{
    return colors.errors && weight < colors.errors->relative.size()
               ? colors.errors->relative[weight]
               : std::nullopt;
}

/// "0.52 %" of three digits, however small.
QString errorText(double relative)
{
    return relative > 0 ? Words::tr("error %1 %").arg(100 * relative, 0, 'g', 3)
                        : Words::tr("same values");
}

QColor inkOn(const QColor &ground)
{
    const QColor ink(0x10, 0x14, 0x18), paper(Qt::white);
    return theme::contrast(ink, ground) >= theme::contrast(paper, ground) ? ink : paper;
}

decision::Outcome outcomeOf(std::size_t weight, const OverviewColors &colors)
{
    const bool known = colors.table && colors.chip != kNoIndex && weight < colors.table->rows();
    return known ? colors.table->verdict(weight, colors.chip).outcome : decision::Outcome::Unknown;
}

void color(TreemapView::Cell &cell, const Weight &weight, std::size_t index,
           const BundleFigures &figures, const OverviewColors &colors)
{
    cell.color = theme::color(formToken(weight.form), colors.dark);
    const QColor none = theme::color(Token::KindPadding, colors.dark);
    if (colors.colors == OverviewColoring::Outcome) {
        const decision::Outcome outcome = outcomeOf(index, colors);
        cell.color = theme::color(outcomeToken(outcome), colors.dark);
        cell.hatched = outcome == decision::Outcome::Unknown;
    } else if (colors.colors == OverviewColoring::Zeros) {
        const auto zeros = zerosOf(figures, index);
        cell.color = zeros ? theme::sequential(*zeros) : none;
        cell.hatched = !zeros;
    } else if (colors.colors == OverviewColoring::Error) {
        const auto error = errorOf(colors, index);
        cell.color = error ? theme::sequential(errorShade(*colors.errors, *error)) : none;
        cell.hatched = !error;
    }
    cell.ink = inkOn(cell.color);
}

/// The second line of a cell: what its colour says, in words.
QString noteOf(const Weight &weight, std::size_t index, const BundleFigures &figures,
               const OverviewColors &colors)
{
    const auto zeros = zerosOf(figures, index);
    const auto error = errorOf(colors, index);
    if (colors.colors == OverviewColoring::Outcome)
        return outcomeLabel(outcomeOf(index, colors)) + u" \u00B7 "_s + storedWords(weight);
    if (colors.colors == OverviewColoring::Zeros && zeros)
        return Words::tr("%1 zeros").arg(percentText(*zeros));
    if (colors.colors == OverviewColoring::Error && error)
        return errorText(*error);
    return storedWords(weight);
}

QString swatch(const QColor &color, const QString &text)
{
    // One entry, one line.
    return u"<span style=\"color:%1\">\u25A0</span>&nbsp;%2"_s.arg(
        color.name(), text.toHtmlEscaped().replace(u' ', u"&nbsp;"_s));
}

} // namespace

std::vector<TreemapView::Cell> overviewCells(const Bundle &bundle, const BundleFigures &figures,
                                             const OverviewColors &colors)
{
    const auto &weights = bundle.weights();
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto shown =
        order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), kMostMapCells + 1));
    std::partial_sort(order.begin(), shown, order.end(), [&](std::size_t a, std::size_t b) {
        return weights[a].storedBytes != weights[b].storedBytes
                   ? weights[a].storedBytes > weights[b].storedBytes
                   : a < b;
    });
    std::vector<TreemapView::Cell> cells;
    for (std::size_t i = 0; i < order.size() && i < kMostMapCells; ++i) {
        TreemapView::Cell cell;
        cell.key = order[i];
        cell.size = static_cast<double>(weights[order[i]].storedBytes.value);
        color(cell, weights[order[i]], order[i], figures, colors);
        cells.push_back(std::move(cell));
    }
    if (order.size() > kMostMapCells) {
        TreemapView::Cell rest;
        rest.key = order[kMostMapCells];
        rest.rest = true;
        for (std::size_t i = kMostMapCells; i < order.size(); ++i)
            rest.size += static_cast<double>(weights[order[i]].storedBytes.value);
        rest.color = theme::color(Token::KindPadding, colors.dark);
        rest.ink = inkOn(rest.color);
        rest.hatched = true;
        const auto at =
            std::find_if(cells.begin(), cells.end(),
                         [&](const TreemapView::Cell &cell) { return cell.size < rest.size; });
        cells.insert(at, std::move(rest));
    }
    return cells;
}

TreemapView::Words overviewWords(const TreemapView::Cell &cell, const Bundle &bundle,
                                 const WeightNames &names, const BundleFigures &figures,
                                 const OverviewColors &colors)
{
    TreemapView::Words words;
    if (cell.rest) {
        words.name =
            Words::tr("%1 more").arg(groupedNumber(bundle.weights().size() - kMostMapCells));
        words.tip = words.name;
        return words;
    }
    const Weight &weight = bundle.weights()[cell.key];
    words.name = fromUtf8(weight.findableName());
    words.shortName = names.nameOf(cell.key);
    words.note = noteOf(weight, cell.key, figures, colors);
    words.tip = words.name + QLatin1Char('\n') + weightFacts(weight);
    if (const auto zeros = zerosOf(figures, cell.key))
        words.tip += QLatin1Char('\n') + Words::tr("%1 zeros").arg(percentText(*zeros));
    if (const auto error = errorOf(colors, cell.key))
        words.tip +=
            QLatin1Char('\n') + Words::tr("%1 against %2")
                                    .arg(errorText(*error), fromUtf8(colors.errors->base->name()));
    return words;
}

namespace {

/// What the colours of errors stand for, and what they are measured against.
QString errorLegend(const OverviewColors &colors)
{
    if (!colors.errors)
        return colors.measuring
                   ? Words::tr("Measuring the errors\u2026")
                   : Words::tr("Open a build to measure against: Compare, Compare With.");
    QStringList parts{
        Words::tr("against %1:").arg(fromUtf8(colors.errors->base->name())).toHtmlEscaped()};
    const BaseErrors &errors = *colors.errors;
    parts += swatch(theme::sequential(0), errorText(0));
    std::vector<double> marks;
    if (errors.least < errors.most)
        marks = {errors.least, std::sqrt(errors.least * errors.most)};
    if (errors.most > 0)
        marks.push_back(errors.most);
    for (const double error : marks)
        parts += swatch(theme::sequential(errorShade(errors, error)), errorText(error));
    const auto &relative = colors.errors->relative;
    if (std::any_of(relative.begin(), relative.end(), [](const auto &one) { return !one; }))
        parts += Words::tr("hatched: no partner");
    return parts.join(u" &nbsp; "_s);
}

QString zerosLegend(const BundleFigures &figures)
{
    const bool known = std::any_of(figures.zeros.begin(), figures.zeros.end(),
                                   [](const auto &one) { return one.has_value(); });
    if (!known)
        return Words::tr("The values were not read.");
    return swatch(theme::sequential(0), Words::tr("no zeros")) + u" &nbsp; "_s +
           swatch(theme::sequential(0.5), Words::tr("half")) + u" &nbsp; "_s +
           swatch(theme::sequential(1), Words::tr("all zeros"));
}

/// The weights of one colour.
struct LegendSum {
    QColor color;
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    bool least = false; ///< the bytes of one are not known
};

} // namespace

QString overviewLegend(const Bundle &bundle, const BundleSums &sums, const BundleFigures &figures,
                       const OverviewColors &colors)
{
    if (colors.colors == OverviewColoring::Zeros)
        return zerosLegend(figures);
    if (colors.colors == OverviewColoring::Error)
        return errorLegend(colors);
    const auto colorOf = [&](std::size_t weight) { // one colour a key
        TreemapView::Cell cell;
        color(cell, bundle.weights()[weight], weight, figures, colors);
        return cell.color;
    };
    std::map<QString, LegendSum> byKey;
    if (colors.colors == OverviewColoring::Outcome) {
        std::map<decision::Outcome, LegendSum> byOutcome;
        for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
            LegendSum &sum = byOutcome[outcomeOf(i, colors)];
            if (sum.count++ == 0)
                sum.color = colorOf(i);
            sum.bytes += bundle.weights()[i].storedBytes.value;
            sum.least |= !knownStoredBytes(bundle.weights()[i]);
        }
        for (const auto &[one, sum] : byOutcome)
            byKey.emplace(outcomeLabel(one), sum);
    } else {
        for (const auto &[form, sum] : sums.forms)
            byKey.emplace(fromUtf8(formWords(form)),
                          LegendSum{colorOf(sum.first), sum.weights, sum.bytes, sum.unread > 0});
    }
    QStringList parts;
    for (const auto &[key, sum] : byKey)
        parts += swatch(sum.color, (sum.least ? Words::tr("%1 %2 \u00B7 \u2265 %3 B")
                                              : Words::tr("%1 %2 \u00B7 %3 B"))
                                       .arg(key)
                                       .arg(sum.count)
                                       .arg(groupedNumber(sum.bytes)));
    return parts.join(u" &nbsp; "_s);
}

QString sharedBytesText(const BundleSums &sums)
{
    const std::uint64_t again = sharedBytes(sums.forms, sums.totals);
    return again == 0 ? QString()
                      : u" &nbsp; "_s + Words::tr("(%1 B are shared, and counted for each weight)")
                                            .arg(groupedNumber(again));
}

} // namespace kernscope::ui

#include "moc_overview_cells.cpp"
