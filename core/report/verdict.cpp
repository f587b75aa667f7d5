// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/verdict.h"

#include "core/assessment/weight_layers.h"
#include "core/bundle/build_facts.h"
#include "core/report/json_table.h"

#include <map>
#include <numeric>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr double kWorthSaying = 0.99; ///< of the stored form's time: less is no gain

std::string chipText(const target::Target &target)
{
    return target.product.empty() ? target.name : target.product;
}

/// "its call, which takes at least 230 µs": what a program waits for that its layers do not fill.
std::string callsText(const roofline::ProgramTime &program)
{
    const std::string floor = siText(program.dispatchFloorS.value_or(0), "s");
    return program.launches.value_or(1) == 1
               ? "its call, which takes at least " + floor
               : fmt::format("its {} calls, which take at least {}", *program.launches, floor);
}

/// A program whose call takes nearly all of its time: no form of its weights is worth a word.
bool gainsLittle(const roofline::ProgramTime &now, const roofline::ProgramTime &then)
{
    return now.bound == roofline::ProgramTime::Bound::Dispatch && now.timeS && then.timeS &&
           *then.timeS > kWorthSaying * *now.timeS;
}

/// "palette8", "palette8 and sparse", "palette4, palette8 and sparse".
std::string formsText(std::span<const WeightGain> gains)
{
    std::set<std::string> forms;
    for (const WeightGain &gain : gains)
        forms.insert(gain.form);
    std::string text;
    std::size_t left = forms.size();
    for (const std::string &form : forms) {
        text += (text.empty() ? "" : left == 1 ? " and " : ", ") + form;
        --left;
    }
    return text;
}

} // namespace

const TableOf<WeightGain> gainTable(
    "gains",
    {{kName, "weight", "Weight that another form would make faster", member<&WeightGain::name>},
     {"stored", "as it is", "Form that it is stored in", member<&WeightGain::stored>},
     {"form", "change to",
      "Form in which its layers are predicted to take the least time; what it costs in accuracy "
      "Choose a Form and Plan measure",
      member<&WeightGain::form>},
     {kNumber, "saved_s", "saves", "Predicted time that one run of the program takes less",
      CELL(row.storedS ? Value(Seconds{row.savedS()}) : Value(Word("runs at all"))), withUnit("s"),
      jsonOf(CELL(row.storedS ? Json(row.savedS()) : Json(nullptr)))},
     {kNumber, "stored_s", "time now", "Predicted time of its layers as it is stored",
      CELL(known<Seconds>(row.storedS)), withUnit("s"), unknownAs("refused")},
     {kNumber, "form_s", "time then", "Predicted time of its layers in that form",
      CELL(Seconds{row.formS}), withUnit("s")},
     {kNumber, "bytes_less", "fewer bytes", "Bytes that one call moves less",
      CELL(known<Count>(row.less)), withUnit("B")}});

void VerdictMaker::add(std::size_t weight, const roofline::Placement &placed)
{
    const roofline::Assessment &stored = placed.stored();
    const roofline::Assessment *best = placed.bestForm();
    Form form;
    form.weight = weight;
    form.stored = stored.form;
    form.storedS = placed.layer.ofRuns(stored.timeS);
    form.storedBytes = stored.weightBytes;
    form.bytesBind = stored.bound == roofline::Bound::Bandwidth;
    const bool refused = stored.outcome == decision::Outcome::Rejected;
    if (best && best->timeS &&
        (refused || (stored.timeS && *best->timeS < kWorthSaying * *stored.timeS))) {
        form.form = best->form;
        form.formS = placed.layer.ofRuns(best->timeS);
        form.formBytes = best->weightBytes;
    }
    const roofline::Layer &layer = placed.layer;
    if (layer.onEngine()) {
        m_openForms |= placed.openForms || (!form.form.empty() && !form.formS);
        m_openExtents |=
            !layer.flops || !layer.inputBytes || !layer.outputBytes || !layer.shareRead;
    }
    m_forms.push_back(std::move(form));
    m_times.add(placed.layer, stored);
}

ProgramVerdict VerdictMaker::verdict(const Bundle &bundle, const roofline::Roofs &roofs) const
{
    const roofline::ProgramTime now = m_times.total(roofs);
    const std::span<const roofline::LayerTime> layers = m_times.layers();
    // A layer gains where one of its runs is in a call that does not wait for its floor.
    const auto counts = [&](std::size_t i) {
        const auto &runs = layers[i].layer->runs;
        return !m_forms[i].form.empty() && m_forms[i].formS &&
               std::ranges::any_of(runs, [&now](const roofline::LayerRun &run) {
                   return run.onEngine() && !dispatchOf(now, run).hidesGains();
               });
    };
    // Of a weight whose layers would take several forms the one that saves most: it has one.
    std::map<std::size_t, std::map<std::string, double>> savings;
    for (std::size_t i = 0; i < m_forms.size(); ++i) {
        if (counts(i))
            savings[m_forms[i].weight][m_forms[i].form] +=
                m_forms[i].storedS.value_or(2 * *m_forms[i].formS) - *m_forms[i].formS;
    }
    std::map<std::size_t, WeightGain> gains;
    std::vector<roofline::LayerTime> then(layers.begin(), layers.end());
    for (std::size_t i = 0; i < m_forms.size(); ++i) {
        const Form &one = m_forms[i];
        const auto forms = counts(i) ? savings.find(one.weight) : savings.end();
        if (forms == savings.end() ||
            std::ranges::max_element(forms->second, [](const auto &x, const auto &y) {
                return x.second < y.second;
            })->first != one.form)
            continue;
        const auto [at, isNew] = gains.try_emplace(one.weight);
        WeightGain &gain = at->second;
        if (isNew)
            gain = {one.weight, bundle.weights()[one.weight].findableName(),
                    one.stored, one.form,
                    0.0,        0,
                    0};
        gain.storedS = gain.storedS && one.storedS ? std::optional(*gain.storedS + *one.storedS)
                                                   : std::nullopt;
        gain.formS += *one.formS;
        const bool less = one.storedBytes && one.formBytes && *one.formBytes < *one.storedBytes;
        gain.less = gain.less && less
                        ? std::optional(*gain.less + (*one.storedBytes - *one.formBytes))
                        : std::nullopt;
        const auto runs = layers[i].layer->ofRuns(1.0);
        then[i].timeS = runs && *runs > 0 ? std::optional(*one.formS / *runs) : one.formS;
        then[i].refusal.clear();
    }
    ProgramVerdict verdict;
    for (auto &[weight, gain] : gains)
        verdict.gains.push_back(std::move(gain));
    std::ranges::stable_sort(verdict.gains, [](const WeightGain &x, const WeightGain &y) {
        return std::pair(x.storedS.has_value(), -x.savedS()) <
               std::pair(y.storedS.has_value(), -y.savedS());
    });
    const roofline::ProgramTime after = roofline::programTime(then, roofs);
    if (gainsLittle(now, after))
        verdict.gains.clear();
    const bool read = std::ranges::any_of(
        bundle.weights(), [](const Weight &weight) { return !weight.consumers.empty(); });
    if (bundle.weights().empty())
        verdict.sentence = "No weight was read from this file: there is no form to judge.";
    else if (now.layers == 0 && isOldNetwork(bundle))
        verdict.sentence = "The layers of an old neural network are not judged: which forms would "
                           "be faster is not known.";
    else if (read || now.layers > 0)
        verdict.sentence = sentence(now, after, roofs, verdict.gains);
    else
        verdict.sentence = "Nothing in this file reads its weights: which forms would be faster is "
                           "not known.";
    return verdict;
}

std::string VerdictMaker::sentence(const roofline::ProgramTime &now,
                                   const roofline::ProgramTime &then, const roofline::Roofs &roofs,
                                   std::span<const WeightGain> gains) const
{
    const std::string on = "On " + chipText(*roofs.target) + " ";
    if (now.layers == 0)
        return "No operation with a kernel (conv, linear, matmul) reads a weight: no form of one "
               "makes this program faster.";
    if (now.refused > 0) {
        std::string which;
        for (const std::string &refusal : now.refusals)
            which += (which.empty() ? "" : "; ") + refusal;
        return on + fmt::format("the compiler refuses the weights of {} of {} layers ({}): the "
                                "program does not run there as it is stored{}.",
                                now.refused, now.layers, which,
                                gains.empty() ? "" : "; in other forms it would");
    }
    const auto waits =
        std::ranges::count_if(now.dispatches, [](const auto &each) { return each.hidesGains(); });
    if (now.alternatives && now.hidesGains())
        return on + fmt::format("each of the {} functions of this program waits for {}: no form of "
                                "a weight makes one faster.",
                                waits, callsText(now.dispatches.front()));
    const char *makes = m_openForms && !now.hidesGains() ? "is known to make" : "makes";
    if (now.hidesGains() || gainsLittle(now, then))
        return on + fmt::format("this program waits for {} (its layers take {}): no form of a "
                                "weight {} it {}faster.",
                                callsText(now), siText(now.engineTimeS.value_or(now.knownS), "s"),
                                makes, now.hidesGains() ? "" : "noticeably ");
    if (now.timed == 0) {
        std::string why;
        const auto add = [&why](bool holds, const std::string &reason) {
            why += !holds ? "" : (why.empty() ? ": " : ", and ") + reason;
        };
        add(!roofs.compute || !roofs.bandwidth,
            fmt::format("no {} published for the chip", roofs.compute     ? "bandwidth roof is"
                                                        : roofs.bandwidth ? "compute roof is"
                                                                          : "roofs are"));
        add(now.uncounted > 0,
            fmt::format("{} of {} layers run an unknown number of times (loops, branches)",
                        now.uncounted, now.layers));
        add(m_openExtents, "extents of its layers are open (Shapes of Inputs, --shape)");
        return on + "it is not known what this program waits for" + why + ".";
    }
    // What most of its time goes into.
    double bytesS = 0;
    for (const Form &one : m_forms)
        bytesS += one.bytesBind ? one.storedS.value_or(0) : 0;
    const bool bandwidth = bytesS > now.knownS / 2;
    const std::string bound =
        on + (bandwidth ? "this program is bandwidth bound" : "this program is compute bound") +
        (now.timed < now.layers ? fmt::format(" (the times of {} of {} layers are not known)",
                                              now.layers - now.timed, now.layers)
                                : std::string());
    if (gains.empty())
        return bound + fmt::format(": no other form of a weight {} it faster.", makes);
    std::set<std::size_t> weights;
    for (const Form &one : m_forms)
        weights.insert(one.weight);
    const std::uint64_t less = std::accumulate(
        gains.begin(), gains.end(), std::uint64_t{0},
        [](std::uint64_t sum, const WeightGain &gain) { return sum + gain.less.value_or(0); });
    std::string text = bound + fmt::format(": {} of {} weights in {} would ", gains.size(),
                                           weights.size(), formsText(gains));
    if (less > 0)
        text += fmt::format("move {} less", siText(static_cast<double>(less), "B"));
    if (now.timeS && then.timeS && *then.timeS > 0)
        text += fmt::format("{}make it {:.2f} times as fast ({} instead of {})",
                            less > 0 ? " and " : "", *now.timeS / *then.timeS,
                            siText(*then.timeS, "s"), siText(*now.timeS, "s"));
    else
        text += less > 0 ? " and take less time" : "take less time";
    return text + ", if their errors are accepted (Choose a Form and Plan measure them)" +
           (waits > 0 ? fmt::format("; {} of its {} functions wait for their call whatever the "
                                    "form.",
                                    waits, now.dispatches.size())
                      : ".");
}

ProgramVerdict programVerdict(const Bundle &bundle, const roofline::NetworkAssessment &network)
{
    VerdictMaker maker;
    for (const roofline::Placement &placed : network.placements)
        maker.add(placed.layer.weight, placed);
    return maker.verdict(bundle, network.roofs);
}

Result<ProgramVerdict> programVerdict(const Bundle &bundle, const target::Target &target,
                                      const target::TargetChoice &choice, std::uint64_t batch)
{
    const auto roofs = TRY(roofline::roofsOf(target));
    decision::Judge judge(choice);
    const auto network =
        TRY(roofline::assessNetwork(layersOf(bundle, weightForms(bundle)), roofs, judge, batch));
    return programVerdict(bundle, network);
}

void addVerdict(Json &document, const ProgramVerdict &verdict)
{
    document["verdict"] = {{"sentence", verdict.sentence},
                           {"gains", jsonArray(gainTable, verdict.gains)}};
}

} // namespace kernscope::report
