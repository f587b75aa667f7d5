// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tquant.h"

#include "core/format/tables.h"

#include <algorithm>

namespace kernscope::format {

namespace {

struct WrittenForm {
    std::string kind, key, text, source;
};

const std::vector<WrittenForm> &writtenForms()
{
    static const std::vector<WrittenForm> all = [] {
        std::vector<WrittenForm> rows;
        const auto table = tables::load("tquant_forms");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            const auto cell = [&](const char *name) { return std::string(table->cell(i, name)); };
            rows.push_back({cell("kind"), cell("key"), cell("text"), cell("source")});
        }
        return rows;
    }();
    return all;
}

const WrittenForm *writtenForm(std::string_view kind, std::string_view key)
{
    for (const WrittenForm &form : writtenForms()) {
        if (form.kind == kind && form.key == key)
            return &form;
    }
    return nullptr;
}

void replace(std::string &text, std::string_view place, std::string_view with)
{
    const std::size_t at = text.find(place);
    if (at != std::string::npos)
        text.replace(at, place.size(), with);
}

void add(std::vector<TquantLine> &lines, std::string_view kind, std::string_view key)
{
    if (const WrittenForm *form = writtenForm(kind, key))
        lines.push_back({form->kind, form->text, {}, form->source});
}

} // namespace

std::span<const TquantFact> tquantFacts()
{
    static const std::vector<TquantFact> all = [] {
        std::vector<TquantFact> rows;
        const auto table = tables::load("tquant_devices");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            TquantFact row;
            row.device = table->cell(i, "device");
            row.feature = table->cell(i, "feature");
            row.value = table->cell(i, "value");
            row.source = table->cell(i, "source");
            row.note = table->cell(i, "note");
            row.confidence = confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
    return all;
}

const TquantFact *tquantFact(std::string_view device, std::string_view feature)
{
    for (const TquantFact &fact : tquantFacts()) {
        if (fact.device == device && fact.feature == feature)
            return &fact;
    }
    return nullptr;
}

std::vector<std::string> tquantDevices()
{
    std::vector<std::string> names;
    for (const TquantFact &fact : tquantFacts()) {
        if (std::find(names.begin(), names.end(), fact.device) == names.end())
            names.push_back(fact.device);
    }
    return names;
}

std::string tquantDevicesWith(std::string_view feature, std::string_view value)
{
    std::string names;
    for (const TquantFact &fact : tquantFacts()) {
        if (fact.feature == feature && fact.value == value)
            names += (names.empty() ? "" : "/") + fact.device;
    }
    return names;
}

std::vector<TquantLine> tquantLines(const TquantUse &use)
{
    std::vector<TquantLine> lines;
    if (use.format.starts_with("mx")) {
        add(lines, "intrinsic", "mx");
        const WrittenForm *name = writtenForm("algorithm", use.format + " " + use.algorithm);
        for (TquantLine &line : lines) {
            replace(line.text, "{axis}", std::to_string(use.axis));
            replace(line.text, "{algorithm}", name != nullptr ? name->text : std::string());
        }
        if (use.nz)
            add(lines, "layout", "data nz");
        if (use.zz)
            add(lines, "layout", use.axis == 1 ? "exponents zz nd" : "exponents zz dn");
    } else {
        add(lines, "intrinsic", use.tmp ? use.format + " tmp" : use.format);
    }
    for (const WrittenForm &form : writtenForms()) {
        if (form.kind == "assembly")
            lines.push_back({form.kind, form.text, form.key, form.source});
    }
    return lines;
}

} // namespace kernscope::format
