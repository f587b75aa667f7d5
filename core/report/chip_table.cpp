// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/chip_table.h"

#include "core/report/fact_values.h"
#include "core/report/json_table.h"
#include "core/target/registry.h"

namespace kernscope::report {

namespace {

Value halCell(const HalShown &shown)
{
    if (shown.scope.empty())
        return Unknown();
    return shown.number ? Value(Written{static_cast<double>(*shown.number), shown.text})
                        : Value(shown.text);
}

/// Of the first chip that has the value.
const HalShown &knownOf(const TargetFact &row)
{
    return row.value.scope.empty() && row.other && !row.other->scope.empty() ? *row.other
                                                                             : row.value;
}

std::string readFor(const HalShown &shown)
{
    return shown.scope.empty() ? std::string() : shown.scope + ": " + shown.source;
}

using roofline::CalibrationRow;
using roofline::PublishedFigure;

std::string figureText(const CalibrationRow &row, double value)
{
    return row.unit == "s" ? fmt::format("{:.4g} us", 1e6 * value) : fmt::format("{:.3f}", value);
}

std::string measuredText(const CalibrationRow &row)
{
    return row.low == row.high ? figureText(row, row.low)
                               : fmt::format("{:.3f} to {:.3f}", row.low, row.high);
}

/// "yes", "no"; of a row that says nothing of how good predictions are, why.
Value withinValue(const CalibrationRow &row)
{
    if (row.isTrivial())
        return Word{"trivial"};
    return row.own ? Value(Word{"fitted on it"}) : known(row.within());
}

constexpr unsigned kNotTerminal = kDocument | kWindow;

/// "16 *": the star says that sources disagree.
Value figureOf(const target::Target &target, std::string_view fact,
               const std::optional<unsigned> &value)
{
    const char *mark = target::isContested(target, fact) ? " *" : "";
    if (!value)
        return *mark == '\0' ? Value(Unknown()) : Value(std::string("? *"));
    return Written{static_cast<double>(*value), fmt::format("{}{}", *value, mark)};
}

Json claimsDocument(const ChipFacts &chip)
{
    Json facts = Json::object();
    for (const char *fact : {"cores", "descriptor_version", "hardware_version", "family",
                             "family_index", "cpusubtype", "product"}) {
        for (const target::Claim &claim : target::claims(*chip, fact)) {
            Json row{{"value", claim.value},
                     {"default", claim.byDefault},
                     {"source", claim.source},
                     {"confidence", format::confidenceName(claim.confidence)}};
            if (!claim.note.empty())
                row["note"] = claim.note;
            facts[fact].push_back(std::move(row));
        }
    }
    return facts;
}

const target::DeviceBucket *bucketOf(const ChipFacts &chip)
{
    return chip->cores ? target::deviceBucket(*chip->cores) : nullptr;
}

} // namespace

std::vector<TargetFact> halRows(const target::Target &target, const target::Target *other)
{
    std::vector<TargetFact> rows;
    for (const target::HalField &field : target::halFields()) {
        TargetFact row;
        row.table = target::halLayoutName(field.layout);
        row.offset = target::halOffsetText(field.offset);
        row.name = field.name;
        row.note = field.note;
        row.byte = field.isByte;
        row.value = halShown(target, field);
        if (other != nullptr)
            row.other = halShown(*other, field);
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<TargetFact> targetFactTable(
    "targets",
    {{kDocument | kWindow, "layout", "table",
      "Which compiler's layout; offsets of two layouts never mix", member<&TargetFact::table>},
     {"offset", "Bytes from the start of that table", member<&TargetFact::offset>},
     {kName, "name", "field", "What the field is", member<&TargetFact::name>,
      originOf(CELL(row.note))},
     {kDocument | kTerminal, "byte", "kind",
      "A capability byte (its lowest bit counts) or a scalar",
      CELL(row.byte ? Value(Word(*row.byte ? "byte" : "scalar")) : Value(Nothing())),
      jsonOf(CELL(optionalJson(row.byte)))},
     {kNumber | kDocument | kTerminal, "value", "Value on the chip; unknown is never taken as 0",
      CELL(halCell(row.value)), unknownAs("unknown"),
      jsonOf(CELL(row.value.scope.empty() ? Json(nullptr)
                  : row.value.number      ? Json(*row.value.number)
                                          : Json(row.value.text)))},
     {kWindow, "first", "Value on the first chip; unknown is never taken as 0",
      CELL(halCell(row.value)), unknownAs("unknown"), originOf(CELL(readFor(row.value)))},
     {kWindow, "second", "Value on the second chip",
      CELL(row.other ? halCell(*row.other) : Value(Nothing())), unknownAs("unknown"),
      originOf(CELL(row.other ? readFor(*row.other) : std::string()))},
     {kDocument, "bit", "The lowest bit of a capability byte",
      CELL(!row.byte.value_or(false) ? noKey()
           : row.value.number        ? Json((*row.value.number & 1) != 0)
                                     : Json(nullptr))},
     {kDocument | kTerminal, "scope", "known for",
      "Target or family that the value was read for; * is every chip",
      CELL(orNothing(row.value.scope))},
     {kName, "source", "Where the value is documented", CELL(knownOf(row).source)},
     {kDocument | kWindow, "confidence", "How well it is known",
      CELL(confidenceValue(knownOf(row).confidence))},
     {kDocument, "note", "Note on the field", CELL(orAbsent(row.note))}});

std::vector<FloorFacts> floorRows(const target::Target &target)
{
    std::vector<FloorFacts> rows;
    for (const target::FamilyFloor &floor : target::familyFloors())
        rows.push_back({&floor, target::reachesFloor(target, floor)});
    return rows;
}

const TableOf<FloorFacts> floorTable(
    "family-floors",
    {{"floor", "Name of the MinimumFamily trait", CELL(View(row.floor->floor))},
     {"family", "The first family that reaches it", CELL(View(row.floor->family))},
     {"reached", "Whether the chip's family does", CELL(known(row.reached)), unknownAs("unknown")},
     {"operations", "Operations that ask for it", CELL(View(row.floor->operations))},
     {"source", "Where the floor is documented", CELL(View(row.floor->source))},
     {kDocument, "confidence", "How well it is known",
      CELL(confidenceValue(row.floor->confidence))},
     {kDocument, "note", "Note on the row", CELL(View(row.floor->note))}},
    {"floor", "family", "operations", "reached"});

std::vector<PlacedFact> placedFacts(const target::Target &target)
{
    std::vector<PlacedFact> rows;
    for (const target::ChipFact &fact : target::chipFacts()) {
        if (fact.target == target.name || fact.target == "*")
            rows.push_back({fact.place, fact.name, fact.value, fact.source, fact.confidence, {}});
    }
    for (const target::TargetRule &rule : target::targetRules()) {
        if (target::targetRule(target, rule.rule) == &rule)
            rows.push_back(
                {"rule", rule.rule, rule.value, rule.source, rule.confidence, rule.note});
    }
    return rows;
}

const TableOf<PlacedFact> placedFactTable(
    "chip-facts",
    {{"place", "Where the fact was read, or that it is a rule", member<&PlacedFact::place>},
     {"name", "fact", "What it says", member<&PlacedFact::name>},
     {"value", "Its value on the chip", member<&PlacedFact::value>},
     {kName, "source", "Where it is documented", member<&PlacedFact::source>},
     {kDocument, "confidence", "How well it is known", CELL(confidenceValue(row.confidence))},
     {kDocument, "note", "Note on the rule", CELL(row.note ? Value(*row.note) : Value(Absent()))}});

const TableOf<ChipFacts> chipTable(
    "chip_list",
    {{"name", "target", "Name of the chip", CELL(View(row->name))},
     {kName, "aliases", "names", "Other names that mean it", CELL(List(row->aliases))},
     {kDocument, "contested_names", "Names by which some sources mean it and others another chip",
      CELL(Json(target::contestedNames(*row)))},
     {kName, "silicon", "Product that it is in",
      CELL(target::isContested(*row, "product") ? row->silicon + " *" : row->silicon),
      jsonOf(CELL(Json(row->silicon)))},
     {"family", "Family by which rules name it",
      CELL(row->family.empty() ? Value(Unknown()) : Value(View(row->family))), unknownAs("?")},
     {kNumber, "cores", "Engine cores", CELL(figureOf(*row, "cores", row->cores)), unknownAs("?"),
      jsonOf(CELL(optionalJson(row->cores)))},
     {kNumber, "cpusubtype", "Number in the header of its containers",
      CELL(figureOf(*row, "cpusubtype", row->cpuSubtype)), unknownAs("?"),
      jsonOf(CELL(optionalJson(row->cpuSubtype)))},
     {kNumber, "descriptor_version", "descriptor", "Version of its task descriptors",
      CELL(figureOf(*row, "descriptor_version", row->descriptorVersion)), unknownAs("?"),
      jsonOf(CELL(optionalJson(row->descriptorVersion)))},
     {kNumber, "hardware_version", "hardware", "Hardware version that the compiler knows it by",
      CELL(figureOf(*row, "hardware_version", row->hardwareVersion)), unknownAs("?"),
      jsonOf(CELL(optionalJson(row->hardwareVersion)))},
     {kDocument, "kind", "Silicon, reference, legacy or embedded", CELL(View(row->kind))},
     {kDocument, "since", "Compiler that first knows it", CELL(View(row->since))},
     {kDocument, "family_index", "Number of its family", CELL(optionalJson(row->familyIndex))},
     {"device_bucket", "device class", "Class of devices with that many cores",
      [](auto &row) -> Value {
          const auto *bucket = bucketOf(row);
          if (bucket == nullptr)
              return Unknown();
          return fmt::format("{}{}", bucket->bucket,
                             bucket->peak ? fmt::format(", peak {}", *bucket->peak)
                                          : std::string());
      },
      unknownAs("?"), jsonOf([](auto &row) {
          const auto *bucket = bucketOf(row);
          return bucket != nullptr ? Json(bucket->bucket) : noKey();
      })},
     {kDocument, "device_peak_units", "Peak of that class, in the compiler's units",
      [](auto &row) {
          const auto *bucket = bucketOf(row);
          return bucket != nullptr ? optionalJson(bucket->peak) : noKey();
      }},
     {kDocument, "source", "Where the row is documented", CELL(View(row->source))},
     {kDocument, "confidence", "How well it is known", CELL(confidenceValue(row->confidence))},
     {kDocument, "claims", "What each source says of a contested fact", claimsDocument},
     {kDocument, "note", "What else is known of the chip",
      CELL(row->note.empty() ? noKey() : Json(row->note))}},
    {"name", "kind", "since", "aliases", "silicon", "family", "family_index", "hardware_version",
     "cpusubtype", "descriptor_version", "cores"});

const TableOf<TargetTotals> targetTotalsTable(
    "chips",
    {{"target", "chip", "Chip that the weights are judged for",
      CELL(Value(View(row.target->name)))},
     {kNumber, "streams", "Weights that the engine reads in their stored form",
      CELL(Count(row.streams))},
     {kNumber, "folds", "Weights that the compiler writes out dense", CELL(Count(row.folds))},
     {kNumber, "dense", "Weights that are stored dense", CELL(Count(row.dense))},
     {kNumber, "rejected", "Weights that the compiler refuses", CELL(Count(row.rejected))},
     {kNumber, "unknown", "Weights for which nothing is known", CELL(Count(row.unknown))},
     {kNumber, "moved", "moved a dispatch",
      "Bytes of weights that one dispatch moves, as far as known", // A sum of nothing that is
                                                                   // known says nothing.
      CELL(row.movedOpen != 0 && row.bytesMoved == 0
               ? Value(Unknown())
               : Value(sumText(grouped(row.bytesMoved), row.movedOpen))),
      withUnit("B"), unknownAs("?")}});

Json figureJson(const target::ChosenFigure &figure)
{
    return {{"value", optionalJson(figure.value)},
            {"source", figure.source},
            {"confidence", format::confidenceName(figure.confidence)},
            {"contested", figure.contested}};
}

Json chipDocument(std::string_view command, const target::Target *target,
                  const target::TargetChoice &choice, const target::NamedTarget *named)
{
    Json document = report::document(command);
    Json &json = document["target"];
    if (target == nullptr)
        return document;
    json["name"] = target->name;
    json["silicon"] = target->silicon;
    if (const auto cores = target::cores(*target, choice))
        json["cores"] = figureJson(*cores);
    if (const auto version = target::descriptorVersion(*target, choice))
        json["descriptor_version"] = figureJson(*version);
    json["others"] = Json::array();
    if (!named)
        return document;
    if (!named->source.empty())
        json["named_by"] = named->source;
    for (const auto &other : named->others)
        json["others"].push_back({{"name", other.target->name}, {"source", other.source}});
    return document;
}

void addPredictionError(Json &document, const target::Target &target)
{
    document["prediction_error"] = optionalJson(roofline::predictionError(target));
}

Json targetsDocument(std::span<const target::Target *const> targets, bool details)
{
    Json json = document("targets");
    json["targets"] = jsonArray(chipTable, targets);
    if (!details || targets.empty())
        return json;
    const target::Target &first = *targets.front();
    Json &known = json["targets"][0];
    known["hal"] = jsonArray(targetFactTable, halRows(first));
    known["family_floors"] = jsonArray(floorTable, floorRows(first));
    known["facts"] = jsonArray(placedFactTable, placedFacts(first));
    known["collective"] = collectiveJson(first);
    known["contested"] = readingsJson(format::readingsAbout(first.name));
    return json;
}

const TableOf<CalibrationRow> calibrationTable(
    "calibration",
    {{"target", "chip", "On which chip", member<&CalibrationRow::target>},
     {kTerminal, "marked", "measurement", "What was measured; * = part of the acceptance set",
      CELL((row.goal ? "* " : "  ") + row.measurement)},
     {kNotTerminal, "measurement", "What was measured", member<&CalibrationRow::measurement>},
     {"form", "Form of the weights", member<&CalibrationRow::form>},
     {kDocument, "unit", "s; speedup: times the rate of dense fp16; ratio: to its time",
      member<&CalibrationRow::unit>},
     {kNumber, "measured", "A time, a speed-up against dense fp16, or the ratio to its time",
      CELL(Written(row.measured(), measuredText(row)))},
     {kNumber | kDocument, "measured_low", "Low end of the measured range",
      CELL(Written(row.low, figureText(row, row.low)))},
     {kNumber | kDocument, "measured_high", "High end of the measured range",
      CELL(Written(row.high, figureText(row, row.high)))},
     {kNumber, "predicted",
      "What the assessment gives for that very case; the tooltip says of what it is made",
      CELL(row.predicted ? Value(Written{*row.predicted, figureText(row, *row.predicted)})
                         : Value(Unknown())),
      originOf(CELL(row.basis))},
     {kNumber, "ratio", "Predicted over measured", CELL(known<Real>(row.ratio(), 2))},
     {"within",
      "Within 15 percent of the measurement; trivial: nothing changes, as predicted; fitted on "
      "it: the model was",
      withinValue, unknownAs("unknown"), jsonOf(CELL(optionalJson(row.within())))},
     {kDocument, "trivial", "Nothing changes, as predicted: it does not count",
      CELL(row.isTrivial())},
     {kDocument, "fitted_on_itself", "The model was fitted on this very row: it does not count",
      member<&CalibrationRow::own>},
     {kNotTerminal, "goal",
      "Whether it is in the set of published ratios that predictions must meet",
      member<&CalibrationRow::goal>},
     {kDocument, "basis", "What the prediction is made of", member<&CalibrationRow::basis>},
     {kDocument, "fitted_on", "The measurements that the model's parameters were fitted on",
      CELL(orNothing(row.fittedOn))},
     {kNotTerminal, "missing_effect", "the model lacks",
      "The effect that the model leaves out, where it is off", CELL(orNothing(row.missing)),
      originOf(CELL(row.missingEvidence))},
     {kDocument, "missing_evidence", "The figures that show the effect that the model leaves out",
      CELL(orNothing(row.missingEvidence))},
     {kDocument, "missing_source", "Where the figures that show that effect were published",
      CELL(orNothing(row.missingSource))},
     {"condition", "Conditions of the measurement", member<&CalibrationRow::condition>},
     {"source", "Where it was published", member<&CalibrationRow::source>}},
    {"measurement", "target", "form", "condition", "source"}, {"measurement"});

const TableOf<PublishedFigure> publishedFigureTable(
    "published-figures",
    {{"target", "chip", "Chip that the figure is about; * is every chip",
      member<&PublishedFigure::target>},
     {"measurement", "figure", "What the figure is", member<&PublishedFigure::measurement>},
     {"form", "Form of the weights", member<&PublishedFigure::form>},
     {kNumber | kTables, "published", "The figure, or its range",
      CELL(Written(row.low, row.low == row.high ? fmt::format("{:g}", row.low)
                                                : fmt::format("{:g} to {:g}", row.low, row.high)))},
     {"unit", "Unit of the figure", member<&PublishedFigure::unit>},
     {kNumber | kDocument, "measured_low", "Low end of the published range",
      CELL(Real(row.low, 6, true))},
     {kNumber | kDocument, "measured_high", "High end of the published range",
      CELL(Real(row.high, 6, true))},
     {kNumber, "predicted", "By the law of the form's size, where that predicts it",
      CELL(known<Real>(row.predicted, 3, true)), originOf(CELL(row.basis))},
     {kDocument, "basis", "What the prediction is made of", CELL(orNothing(row.basis))},
     {"condition", "Conditions of the measurement", member<&PublishedFigure::condition>},
     {"source", "Where it was published", member<&PublishedFigure::source>},
     {kDocument, "confidence", "How well the figure is known",
      CELL(confidenceValue(row.confidence))}},
    {"measurement", "target", "form"});

} // namespace kernscope::report
