// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/model_description.h"

#include "core/base/json_place.h"
#include "core/base/text.h"
#include "core/container/mil/wire.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kernscope::mil {

namespace {

using DescriptionJson = nlohmann::json;

constexpr std::size_t kMostText = std::size_t(1) << 20; ///< of a file's words about itself
/// The texts of a Metadata message by their fields, from 1 on, as metadata.json names them.
constexpr std::array<std::string_view, 4> kMetadataTexts{"shortDescription", "version", "author",
                                                         "license"};

/// A row of resources/tables/feature_types.csv.
struct FeatureTypeRow {
    std::string what, name, compiled;
    std::uint64_t code = 0;
};

template <class Key>
std::string featureWord(std::string_view what, Key FeatureTypeRow::*key, const Key &value)
{
    static const auto rows =
        tables::loadRows<FeatureTypeRow>("feature_types", {{"what", &FeatureTypeRow::what},
                                                           {"name", &FeatureTypeRow::name},
                                                           {"compiled", &FeatureTypeRow::compiled},
                                                           {"code", &FeatureTypeRow::code}});
    const auto found = std::ranges::find_if(
        rows, [&](const FeatureTypeRow &row) { return row.what == what && row.*key == value; });
    return found == rows.end() ? std::string() : found->name;
}

/// Reads messages of which only malformed text is reported, to `told`: nothing that a weight
/// depends on is in them.
class DescriptionReader
{
public:
    explicit DescriptionReader(WireState &told)
        : m_told(told), m_state{Faults({}), told.fileBytes, false, false}
    {
    }

    void read(const WireBytes &message, ModelDescription &out)
    {
        FunctionDescription own; // of a model without several functions
        WireBytes said;          // the last one, as protobuf has it
        each(message, [&](const WireField &field) {
            switch (field.number) {
            case 1: feature(field.content, own.inputs); break;
            case 10: feature(field.content, own.outputs); break;
            case 11: own.predictedFeature = m_told.text(field.content); break;
            case 12: own.predictedProbabilities = m_told.text(field.content); break;
            case 13: feature(field.content, own.states); break;
            case 20: function(field.content, out.functions.emplace_back()); break;
            case 21: out.defaultFunction = m_told.text(field.content); break;
            case 100: said = field.content; break;
            default: break;
            }
        });
        if (!own.inputs.empty() || !own.outputs.empty())
            out.functions.insert(out.functions.begin(), std::move(own));
        m_room = kMostText;
        metadata(said, out);
    }

    void readLabels(const WireBytes &classifier, std::vector<std::string> &labels)
    {
        std::set<std::string> known; // neighbours have one each, whichever class it is
        const auto add = [&](std::string label) {
            if (known.insert(label).second)
                labels.push_back(std::move(label));
        };
        each(classifier, [&](const WireField &field) {
            if (field.number == 101) {
                for (const std::int64_t label : numbersOf(field.content))
                    add(std::to_string(label));
            } else if (field.number == 100) {
                each(field.content, [&](const WireField &label) {
                    if (label.number == 1 && take(label.content.bytes.size()))
                        add(m_told.text(label.content));
                });
            }
        });
    }

private:
    template <class Visit>
    void each(const WireBytes &message, const Visit &visit)
    {
        forEachField(message, m_state, visit);
    }
    /// Whether there is still room for that many bytes of text, which it then takes.
    bool take(std::size_t bytes)
    {
        const bool fits = bytes <= m_room;
        m_room = fits ? m_room - bytes : 0;
        return fits;
    }
    /// Numbers of a repeated field, packed or not.
    void addNumbers(const WireField &field, std::vector<std::int64_t> &numbers)
    {
        forEachInteger(field, [&numbers](std::uint64_t number) {
            numbers.push_back(static_cast<std::int64_t>(number));
        });
    }

    /// Those of field 1, in order.
    std::vector<std::int64_t> numbersOf(const WireBytes &message)
    {
        std::vector<std::int64_t> numbers;
        each(message, [&](const WireField &field) {
            if (field.number == 1)
                addNumbers(field, numbers);
        });
        return numbers;
    }

    AxisRange range(const WireBytes &message)
    {
        AxisRange range{0, 0};
        each(message, [&](const WireField &field) {
            if (field.number == 1)
                range.first = static_cast<std::int64_t>(field.value);
            else if (field.number == 2)
                range.last = std::max(static_cast<std::int64_t>(field.value), AxisRange::kNoEnd);
        });
        return range;
    }

    void metadata(const WireBytes &message, ModelDescription &out)
    {
        each(message, [&](const WireField &field) {
            if (!field.isBytes() || !take(field.content.bytes.size()))
                return;
            std::string key, value;
            if (field.number >= 1 && field.number <= kMetadataTexts.size()) {
                key = kMetadataTexts[field.number - 1];
                value = m_told.text(field.content);
            } else if (field.number == 100) { // userDefined
                each(field.content, [&](const WireField &part) {
                    if (part.number == 1 || part.number == 2)
                        (part.number == 1 ? key : value) = m_told.text(part.content);
                });
            }
            if (!key.empty() && !value.empty())
                out.metadata.emplace_back(std::move(key), std::move(value));
        });
    }

    void function(const WireBytes &message, FunctionDescription &out)
    {
        each(message, [&](const WireField &field) {
            switch (field.number) {
            case 1: out.name = m_told.text(field.content); break;
            case 2: feature(field.content, out.inputs); break;
            case 3: feature(field.content, out.outputs); break;
            case 4: out.predictedFeature = m_told.text(field.content); break;
            case 5: out.predictedProbabilities = m_told.text(field.content); break;
            case 6: feature(field.content, out.states); break;
            default: break;
            }
        });
    }

    void feature(const WireBytes &message, std::vector<ModelFeature> &out)
    {
        if (!take(message.bytes.size()))
            return;
        ModelFeature &feature = out.emplace_back();
        each(message, [&](const WireField &field) {
            if (field.number == 1)
                feature.name = m_told.text(field.content);
            else if (field.number == 2)
                feature.words = m_told.text(field.content);
            else if (field.number == 3)
                type(field.content, feature);
        });
    }

    void type(const WireBytes &message, ModelFeature &out)
    {
        each(message, [&](const WireField &field) {
            if (field.number == 1000)
                out.optional = field.value != 0;
            const std::string kind =
                featureWord("kind", &FeatureTypeRow::code, std::uint64_t(field.number));
            if (kind.empty())
                return;
            out.kind = kind;
            if (kind == "multiArray")
                array(field.content, out);
            else if (kind == "image")
                image(field.content, out);
            else if (kind == "state")
                each(field.content, [&](const WireField &held) {
                    if (held.number == 1)
                        array(held.content, out);
                });
            else if (kind == "dictionary" || kind == "sequence")
                each(field.content, [&](const WireField &member) {
                    if (member.number <= 3)
                        out.detail = member.number == 1 ? "int64" : "string";
                });
        });
    }

    void array(const WireBytes &message, ModelFeature &out)
    {
        each(message, [&](const WireField &field) {
            if (field.number == 1)
                addNumbers(field, out.shape);
            else if (field.number == 2)
                out.element =
                    elementTypeFromName(featureWord("element", &FeatureTypeRow::code, field.value));
            else if (field.number == 21 || field.number == 31)
                each(field.content, [&](const WireField &member) {
                    if (member.number != 1)
                        return;
                    if (field.number == 21)
                        out.allowed.push_back(numbersOf(member.content));
                    else
                        out.ranges.push_back(range(member.content));
                });
        });
    }

    /// Widths come first on the wire; a shape is [height, width].
    void image(const WireBytes &message, ModelFeature &out)
    {
        const auto size = [this](const WireBytes &bytes) {
            std::vector<std::int64_t> shape{0, 0};
            each(bytes, [&](const WireField &field) {
                if (field.number == 1 || field.number == 2)
                    shape[2 - field.number] = static_cast<std::int64_t>(field.value);
            });
            return shape;
        };
        out.shape = size(message);
        each(message, [&](const WireField &field) {
            if (field.number == 3) {
                out.detail = featureWord("pixels", &FeatureTypeRow::code, field.value);
            } else if (field.number == 21) {
                each(field.content, [&](const WireField &each) {
                    if (each.number == 1)
                        out.allowed.push_back(size(each.content));
                });
            } else if (field.number == 31) {
                out.ranges = {{}, {}};
                each(field.content, [&](const WireField &axis) {
                    if (axis.number == 1 || axis.number == 2)
                        out.ranges[2 - axis.number] = range(axis.content);
                });
            }
        });
    }

    WireState &m_told;
    WireState m_state;
    std::size_t m_room = kMostText;
};

std::string extentsText(const std::vector<std::int64_t> &extents)
{
    return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string member(const DescriptionJson &object, const char *key)
{
    const auto found = object.find(key);
    const auto *text = found == object.end() ? nullptr : found->get_ptr<const std::string *>();
    return text ? *text : std::string();
}

/// A list of that text; an empty one where it is none.
DescriptionJson parsedList(std::string_view text)
{
    DescriptionJson list =
        jsonFits(text) ? DescriptionJson::parse(text, nullptr, false) : DescriptionJson();
    return list.is_array() ? list : DescriptionJson::array();
}

/// The list of a compiled model's metadata.json.
DescriptionJson compiledModels(std::span<const std::byte> json)
{
    return json.size() > kMostText
               ? DescriptionJson::array()
               : parsedList({reinterpret_cast<const char *>(json.data()), json.size()});
}

/// "[1, 512]" as numbers; nothing where it is none.
std::vector<std::int64_t> extents(const DescriptionJson &list)
{
    std::vector<std::int64_t> numbers;
    for (const DescriptionJson &each : list) {
        if (!list.is_array() || !each.is_number_integer())
            return {};
        numbers.push_back(each.get<std::int64_t>());
    }
    return numbers;
}

std::vector<ModelFeature> compiledFeatures(const DescriptionJson &model, const char *key)
{
    std::vector<ModelFeature> features;
    const auto list = model.find(key);
    if (list == model.end() || !list->is_array())
        return features;
    for (const DescriptionJson &each : *list) {
        if (!each.is_object())
            continue;
        ModelFeature &feature = features.emplace_back();
        feature.name = member(each, "name");
        feature.words = member(each, "shortDescription");
        feature.kind = featureWord("kind", &FeatureTypeRow::compiled, member(each, "type"));
        feature.element = elementTypeFromName(
            featureWord("element", &FeatureTypeRow::compiled, member(each, "dataType")));
        feature.detail =
            featureWord("pixels", &FeatureTypeRow::compiled, member(each, "colorspace"));
        feature.optional = member(each, "isOptional") == "1";
        const bool image = feature.kind == "image";
        feature.shape = extents(parsedList(
            image ? fmt::format("[{}, {}]", member(each, "height"), member(each, "width"))
                  : member(each, "shape")));
        for (const char *name : {"enumeratedShapes", "enumeratedSizes"}) {
            for (const DescriptionJson &shape : parsedList(member(each, name)))
                feature.allowed.push_back(extents(shape));
        }
        for (const char *name : {"shapeRange", "sizeRange"}) {
            for (const DescriptionJson &range : parsedList(member(each, name))) {
                const auto ends = extents(range);
                if (ends.size() == 2)
                    feature.ranges.push_back({ends[0], std::max(ends[1], AxisRange::kNoEnd)});
            }
        }
    }
    return features;
}

} // namespace

std::string ModelFeature::typeText() const
{
    std::string text =
        element == ElementType::Unknown ? kind : std::string(elementTypeName(element));
    if (!detail.empty())
        text += ' ' + detail;
    if (kind == "image")
        return text + (shape.size() == 2 ? fmt::format(" {} x {}", shape[1], shape[0]) : "");
    if (!shape.empty())
        text += ' ' + extentsText(shape);
    return text;
}

std::string ModelFeature::allowedText() const
{
    std::vector<std::string> texts;
    for (const auto &each : allowed)
        texts.push_back(extentsText(each));
    if (!texts.empty())
        return fmt::format("{}", fmt::join(texts, " or "));
    for (const AxisRange &range : ranges) {
        texts.push_back(range.last == AxisRange::kNoEnd ? fmt::format("{} and more", range.first)
                        : range.last == range.first
                            ? fmt::format("{}", range.first)
                            : fmt::format("{} to {}", range.first, range.last));
    }
    return texts.empty() ? std::string() : fmt::format("[{}]", fmt::join(texts, ", "));
}

ModelDescription readDescription(const WireBytes &message, const WireBytes &classifier,
                                 WireState &told)
{
    ModelDescription description;
    DescriptionReader(told).read(message, description);
    DescriptionReader(told).readLabels(classifier, description.labels);
    return description;
}

std::vector<std::string> readCompiledKinds(std::span<const std::byte> json)
{
    constexpr std::string_view kBegin = "MLModelType_";
    std::vector<std::string> kinds;
    for (const DescriptionJson &model : compiledModels(json)) {
        const auto type = model.is_object() ? model.find("modelType") : model.end();
        if (type == model.end() || !type->is_object() || !kinds.empty())
            continue;
        const auto parts = type->find("structure");
        if (parts == type->end() || !parts->is_array())
            continue;
        for (const DescriptionJson &part : *parts) {
            std::string name = part.is_object() ? member(part, "name") : std::string();
            kinds.push_back(name.starts_with(kBegin) ? name.substr(kBegin.size()) : name);
        }
    }
    return kinds;
}

ModelDescription readCompiledDescription(std::span<const std::byte> json)
{
    ModelDescription out;
    for (const DescriptionJson &model : compiledModels(json)) {
        if (!model.is_object())
            continue;
        FunctionDescription function;
        function.inputs = compiledFeatures(model, "inputSchema");
        function.outputs = compiledFeatures(model, "outputSchema");
        function.states = compiledFeatures(model, "stateSchema");
        if (!function.inputs.empty() || !function.outputs.empty())
            out.functions.push_back(std::move(function));
        for (const std::string_view key : kMetadataTexts) {
            if (std::string words = member(model, std::string(key).c_str()); !words.empty())
                out.metadata.emplace_back(key, std::move(words));
        }
        const auto own = model.find("userDefinedMetadata");
        if (own == model.end() || !own->is_object())
            continue;
        for (const auto &[key, value] : own->items()) {
            if (const auto *said = value.get_ptr<const std::string *>())
                out.metadata.emplace_back(key, *said);
        }
    }
    return out;
}

const FunctionDescription *findFunction(const std::vector<ModelDescription> &descriptions,
                                        std::string_view model, std::string_view function)
{
    for (const ModelDescription &description : descriptions) {
        if (description.model != model)
            continue;
        for (const FunctionDescription &each : description.functions) {
            if (each.name == function || (each.name.empty() && description.functions.size() == 1))
                return &each;
        }
    }
    return nullptr;
}

} // namespace kernscope::mil
