// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/texts.h"

#include "core/search/find.h"
#include "core/search/place.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

namespace kernscope::app {

namespace {

struct Sentence {
    const char *code, *text;
};

// What a code means to the one who looks at the window. Other codes speak by their own message.
constexpr std::array kSentences{
    Sentence{"bundle.kind",
             QT_TRANSLATE_NOOP("kernscope::Words", "Not a .mlmodelc, .mlpackage, .aimodel, weight "
                                                   "file or program.")},
    Sentence{"io.map", QT_TRANSLATE_NOOP("kernscope::Words", "There is not enough memory.")},
    Sentence{"io.write", QT_TRANSLATE_NOOP("kernscope::Words", "The disk could not be written; "
                                                               "the file is as it was.")},
    Sentence{"patch.stale",
             QT_TRANSLATE_NOOP("kernscope::Words", "Another program changed the file since it was "
                                                   "opened.")},
    Sentence{"patch.verify",
             QT_TRANSLATE_NOOP("kernscope::Words", "What was read back is not what was written.")},
    Sentence{"patch.busy", QT_TRANSLATE_NOOP("kernscope::Words", "Somebody else is saving it.")},
    Sentence{"patch.unrepresentable",
             QT_TRANSLATE_NOOP("kernscope::Words", "The value cannot be held there.")},
    Sentence{"patch.masked", QT_TRANSLATE_NOOP("kernscope::Words",
                                               "The mask leaves this element out; keep it first.")},
    Sentence{"patch.space",
             QT_TRANSLATE_NOOP("kernscope::Words", "The part would grow, and there is no room.")},
};

} // namespace

QString errorSentence(const Error &error)
{
    QStringList parts;
    const auto known = std::ranges::find_if(
        kSentences, [&](const Sentence &row) { return error.code == row.code; });
    if (known != kSentences.end())
        parts << ui::Words::tr(known->text);
    parts << ui::fromUtf8(describe(error));
    return parts.join(QLatin1Char(' '));
}

QString openingFault(const QString &path, const Error &error)
{
    // Of the file itself there is no more to say than what the system said.
    if (error.code == "io.open" && error.expected.empty() && !error.found.empty() &&
        ui::rawFromUtf8(error.file) == QFileInfo(path).fileName())
        return ui::Words::tr("%1 could not be opened: %2.")
            .arg(ui::shown(path), ui::fromUtf8(error.found));
    return ui::Words::tr("%1 could not be opened. %2").arg(ui::shown(path), errorSentence(error));
}

namespace {

/// Whether the bytes of a place are those that the session adds to a weight that was gone to: the
/// section of its first stored part.
bool ofWholeWeight(const Bundle &bundle, const ui::Place &place)
{
    if (place.weight >= bundle.weights().size() || place.element || place.bits ||
        place.section >= bundle.sections().size())
        return false;
    const Section &section = bundle.sections()[place.section];
    if (place.file != section.file || place.bytes != section.range)
        return false;
    const OperandList &operands = bundle.weights()[place.weight].operands();
    const auto stored = std::ranges::find_if(
        operands, [](const auto &operand) { return !operand.place->isLiteral(); });
    return stored != operands.end() &&
           bundle.sectionAt(stored->place->file, stored->place->dataOffset) == place.section;
}

/// The sentence in the window's language, with its values.
QString faultSentence(const search::PlaceFault &fault)
{
    QString text =
        QCoreApplication::translate("kernscope::PlaceText", std::string(fault.sentence).c_str());
    // Backwards: a value, such as a name, may itself hold {0}.
    std::vector<std::pair<qsizetype, std::size_t>> places;
    for (std::size_t i = 0; i < fault.values.size(); ++i)
        places.emplace_back(text.indexOf(u"{%1}"_s.arg(i)), i);
    std::sort(places.rbegin(), places.rend());
    for (const auto &[at, value] : places) {
        if (at >= 0)
            text.replace(at, u"{%1}"_s.arg(value).size(), ui::fromUtf8(fault.values[value]));
    }
    return text;
}

} // namespace

Result<ui::Place> parsePlace(const Bundle &bundle, const QString &text, std::size_t currentFile)
{
    const auto typed = search::readPlace(bundle, text.toStdString(), currentFile);
    if (!typed) {
        Error error = typed.error().error();
        error.message = faultSentence(typed.error()).toStdString();
        return tl::unexpected(std::move(error));
    }
    ui::Place place;
    if (typed->bytes)
        place.file = typed->file;
    place.bytes = typed->bytes;
    place.weight = typed->weight;
    place.section = typed->section;
    place.element = typed->element;
    return place;
}

QString placeText(const Bundle &bundle, const ui::Place &place)
{
    if (place.weight < bundle.weights().size() &&
        (place.element || !place.bytes || ofWholeWeight(bundle, place))) {
        const Weight &weight = bundle.weights()[place.weight];
        if (!place.element)
            return ui::fromUtf8(weight.findableName());
        return ui::fromUtf8(search::elementAddress(weight, *place.element));
    }
    if (place.bytes && place.file < bundle.files().size())
        return ui::fromUtf8(search::byteAddress(bundle, place.file, place.bytes->offset));
    return {};
}

} // namespace kernscope::app
