// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/contested.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <iterator>

namespace kernscope::format {

std::span<const Reading> readings()
{
    static const auto all =
        tables::loadRows<Reading>("contested", {{"topic", &Reading::topic},
                                                {"subject", &Reading::subject},
                                                {"reading", &Reading::text},
                                                {"taken", &Reading::taken},
                                                {"source", &Reading::source},
                                                {"note", &Reading::note},
                                                {"confidence", &Reading::confidence}});
    return all;
}

std::vector<Reading> readingsOf(std::string_view topic)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [topic](const Reading &row) { return row.topic == topic; });
    return found;
}

std::vector<Reading> readingsAbout(std::string_view subject)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [subject](const Reading &row) { return row.subject == subject; });
    return found;
}

std::span<const WeightElementRole> weightElementRoles()
{
    static const auto all = tables::loadRows<WeightElementRole>(
        "weight_element_roles", {{"name", &WeightElementRole::name},
                                 {"width", &WeightElementRole::width},
                                 {"role", &WeightElementRole::role},
                                 {"source", &WeightElementRole::source},
                                 {"confidence", &WeightElementRole::confidence}});
    return all;
}

std::vector<EngineNote> engineNotes(std::string_view topic)
{
    auto notes =
        tables::loadRows<EngineNote>("engine_notes", {{"topic", &EngineNote::topic},
                                                      {"what", &EngineNote::what},
                                                      {"text", &EngineNote::text},
                                                      {"quoted", &EngineNote::quoted},
                                                      {"source", &EngineNote::source},
                                                      {"confidence", &EngineNote::confidence}});
    if (!topic.empty())
        std::erase_if(notes, [topic](const EngineNote &note) { return note.topic != topic; });
    return notes;
}

std::span<const Fp8Format> fp8Formats()
{
    static const auto all =
        tables::loadRows<Fp8Format>("fp8_formats", {{"format", &Fp8Format::name},
                                                    {"sign_bits", &Fp8Format::sign},
                                                    {"exponent_bits", &Fp8Format::exponent},
                                                    {"mantissa_bits", &Fp8Format::mantissa},
                                                    {"bias", &Fp8Format::bias},
                                                    {"max_finite", &Fp8Format::largest},
                                                    {"role", &Fp8Format::role},
                                                    {"gate", &Fp8Format::gate},
                                                    {"register", &Fp8Format::registers},
                                                    {"on_m5", &Fp8Format::onM5},
                                                    {"source", &Fp8Format::source},
                                                    {"confidence", &Fp8Format::confidence}});
    return all;
}

} // namespace kernscope::format
