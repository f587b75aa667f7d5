// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tquant.h"

#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::format {

namespace {

struct WrittenForm {
    std::string kind, key, text, source;
};

const std::vector<WrittenForm> &writtenForms()
{
    static const auto all =
        tables::loadRows<WrittenForm>("tquant_forms", {{"kind", &WrittenForm::kind},
                                                       {"key", &WrittenForm::key},
                                                       {"text", &WrittenForm::text},
                                                       {"source", &WrittenForm::source}});
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

void add(std::vector<TquantLine> &lines, std::string_view kind, std::string_view key,
         std::string name = {})
{
    if (const WrittenForm *form = writtenForm(kind, key))
        lines.push_back({form->kind, form->text, std::move(name), form->source});
}

} // namespace

std::span<const TquantFact> tquantFacts()
{
    static const auto all =
        tables::loadRows<TquantFact>("tquant_devices", {{"device", &TquantFact::device},
                                                        {"feature", &TquantFact::feature},
                                                        {"value", &TquantFact::value},
                                                        {"source", &TquantFact::source},
                                                        {"note", &TquantFact::note},
                                                        {"confidence", &TquantFact::confidence}});
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
        if (std::ranges::find(names, fact.device) == names.end())
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
        if (use.axis == 1) { // the older form has no axis
            add(lines, "note", "nd rows", "note");
            add(lines, "legacy", use.format, "legacy");
            if (use.zz)
                add(lines, "legacy zz", use.format, "legacy, exponents stored as ZZ");
            for (TquantLine &line : lines)
                replace(line.text, "{scale}", use.algorithm == "nv" ? "NV" : "OCP");
        }
        const bool fp8 = use.format == "mxfp8";
        for (const char *key : {"mxfp8 fp32", "mxfp8 narrow"}) {
            if (fp8 && (use.source.empty() || (use.source == "fp32") == (key[6] == 'f')))
                add(lines, "note", key, "note");
        }
        if (!fp8)
            add(lines, "note", use.format, "note");
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
