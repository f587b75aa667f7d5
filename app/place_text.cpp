// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/place_text.h"

#include "core/base/error_builder.h"
#include "core/base/printable.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <optional>
#include <vector>

namespace kernscope::app {

namespace {

tl::unexpected<Error> fail(const char *code, const QString &message, const QString &found = {})
{
    return ErrorBuilder(code)
        .message(message.toStdString())
        .found(found.toStdString())
        .unexpected();
}

struct PlaceWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::PlaceText)
};

std::optional<std::uint64_t> parseNumber(QString text)
{
    text = text.trimmed();
    bool ok = false;
    const bool hex = text.startsWith(QLatin1String("0x"), Qt::CaseInsensitive);
    const qulonglong value = hex ? text.mid(2).toULongLong(&ok, 16) : text.toULongLong(&ok, 10);
    return ok ? std::optional<std::uint64_t>(value) : std::nullopt;
}

/// A weight (first) or a section (second); exact names first, then the only one that contains it.
struct Named {
    std::size_t weight = kNoIndex, section = kNoIndex;
};

Result<Named> findName(const Bundle &bundle, const QString &name)
{
    const std::string exact = name.toStdString();
    if (const auto weight = bundle.weightByName(exact))
        return Named{*weight, kNoIndex};
    const auto &sections = bundle.sections();
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (sections[i].name == exact)
            return Named{kNoIndex, i};
    }
    // As it is shown, where it holds what cannot be shown.
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (printable(bundle.weights()[i].name) == exact)
            return Named{i, kNoIndex};
    }
    for (std::size_t i = 0; i < sections.size(); ++i) {
        if (printable(sections[i].name) == exact)
            return Named{kNoIndex, i};
    }
    std::vector<std::size_t> holding;
    QStringList some;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const QString candidate = ui::fromUtf8(bundle.weights()[i].name);
        if (!candidate.contains(name, Qt::CaseInsensitive))
            continue;
        holding.push_back(i);
        if (some.size() < 3)
            some << candidate;
    }
    if (holding.size() == 1)
        return Named{holding.front(), kNoIndex};
    if (holding.empty())
        return fail("goto.name",
                    PlaceWords::tr("No weight or section has this name: %1").arg(name));
    return fail(
        "goto.ambiguous",
        PlaceWords::tr("%1 weights have this in their name: %2").arg(holding.size()).arg(name),
        some.join(QLatin1String(", ")));
}

Result<ui::Place> byteOf(const Bundle &bundle, std::size_t file, std::uint64_t offset)
{
    if (file >= bundle.files().size() || offset >= bundle.files()[file].file->size().value)
        return fail("goto.range", PlaceWords::tr("The file ends before 0x%1.").arg(offset, 0, 16));
    ui::Place place;
    place.file = file;
    place.bytes = ByteRange{FileOffset(offset), ByteCount(1)};
    return place;
}

Result<ui::Place> elementOf(const Bundle &bundle, std::size_t index, const QString &list)
{
    const Weight &weight = bundle.weights()[index];
    const QStringList parts = list.split(QLatin1Char(','));
    const bool flat = parts.size() == 1;
    if (!flat && static_cast<std::size_t>(parts.size()) != weight.shape.size())
        return fail("goto.range",
                    ui::countedWords(weight.shape.size(), PlaceWords::tr("This weight has 1 axis."),
                                     PlaceWords::tr("This weight has %1 axes.")));
    std::uint64_t element = 0;
    for (int axis = 0; axis < parts.size(); ++axis) {
        const auto number = parseNumber(parts[axis]);
        if (!number)
            return fail("goto.syntax", PlaceWords::tr("Not an index: %1").arg(parts[axis]));
        const std::uint64_t extent =
            flat ? weight.elements.value : weight.shape[static_cast<std::size_t>(axis)];
        if (*number >= extent)
            return fail("goto.range", PlaceWords::tr("Index %1 of axis %2 is past its end, %3.")
                                          .arg(*number)
                                          .arg(axis)
                                          .arg(extent));
        // Cannot wrap: every index is below its extent, and the extents' product was checked.
        element = flat ? *number : element * extent + *number;
    }
    ui::Place place;
    place.weight = index;
    place.element = element;
    return place;
}

Result<ui::Place> offsetFrom(const Bundle &bundle, const Named &named, std::uint64_t offset)
{
    std::optional<ByteRange> range;
    std::size_t file = kNoIndex;
    if (named.section != kNoIndex) {
        range = bundle.sections()[named.section].range;
        file = bundle.sections()[named.section].file;
    } else {
        const OperandList &operands = bundle.weights()[named.weight].operands();
        const auto stored =
            std::find_if(operands.begin(), operands.end(),
                         [](const codec::Operand &operand) { return !operand.place->isLiteral(); });
        if (stored != operands.end()) {
            range = stored->place->range();
            file = stored->place->file;
        }
    }
    if (!range)
        return fail("goto.range",
                    PlaceWords::tr(
                        "This weight is written in the program text; it has no bytes of its own."));
    if (offset >= range->bytes.value)
        return fail("goto.range",
                    PlaceWords::tr("It has %1; 0x%2 is past its end.")
                        .arg(ui::countedWords(range->bytes.value, PlaceWords::tr("1 byte"),
                                              PlaceWords::tr("%1 bytes")))
                        .arg(offset, 0, 16));
    return byteOf(bundle, file, range->offset.value + offset);
}

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
    const auto stored = std::find_if(operands.begin(), operands.end(), [](const auto &operand) {
        return !operand.place->isLiteral();
    });
    return stored != operands.end() &&
           bundle.sectionAt(stored->place->file, stored->place->dataOffset) == place.section;
}

} // namespace

Result<ui::Place> parsePlace(const Bundle &bundle, const QString &text, std::size_t currentFile)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return fail("goto.syntax", PlaceWords::tr("Type a weight, a section or an offset."));
    if (const auto number = parseNumber(trimmed))
        return byteOf(bundle, currentFile < bundle.files().size() ? currentFile : 0, *number);
    // Names may hold any of the signs: the whole text as a name goes first.
    if (const auto named = findName(bundle, trimmed)) {
        ui::Place place;
        place.weight = named->weight;
        place.section = named->section;
        return place;
    }
    static const QRegularExpression element(QStringLiteral("^(.+)\\[([^\\[\\]]*)\\]$"));
    if (const auto match = element.match(trimmed); match.hasMatch()) {
        const auto named = findName(bundle, match.captured(1).trimmed());
        if (!named)
            return tl::unexpected(named.error());
        if (named->weight == kNoIndex)
            return fail("goto.syntax", PlaceWords::tr("Only weights have elements."));
        return elementOf(bundle, named->weight, match.captured(2));
    }
    for (const QChar sign : {QLatin1Char('+'), QLatin1Char(':')}) {
        const auto at = trimmed.lastIndexOf(sign);
        const auto offset = at > 0 ? parseNumber(trimmed.mid(at + 1)) : std::nullopt;
        if (!offset)
            continue;
        const QString name = trimmed.left(at).trimmed();
        if (const auto file = bundle.fileByPath(name.toStdString()))
            return byteOf(bundle, *file, *offset);
        const auto named = findName(bundle, name);
        return named ? offsetFrom(bundle, *named, *offset) : tl::unexpected(named.error());
    }
    return tl::unexpected(findName(bundle, trimmed).error());
}

QString placeText(const Bundle &bundle, const ui::Place &place)
{
    if (place.weight < bundle.weights().size() &&
        (place.element || !place.bytes || ofWholeWeight(bundle, place))) {
        const Weight &weight = bundle.weights()[place.weight];
        const QString name = ui::fromUtf8(weight.findableName());
        if (!place.element)
            return name;
        std::uint64_t rest = *place.element;
        QStringList indices;
        for (auto axis = weight.shape.size(); axis-- > 0;) {
            const std::uint64_t extent = std::max<std::uint64_t>(weight.shape[axis], 1);
            indices.prepend(QString::number(rest % extent));
            rest /= extent;
        }
        return QStringLiteral("%1[%2]").arg(name, indices.join(QLatin1Char(',')));
    }
    if (place.bytes && place.file < bundle.files().size())
        return QStringLiteral("%1:0x%2")
            .arg(ui::fromUtf8(bundle.files()[place.file].path))
            .arg(place.bytes->offset.value, 0, 16);
    return {};
}

PlaceLink splitLink(const QString &text)
{
    if (QFileInfo::exists(text))
        return {text, {}};
    for (auto at = text.indexOf(QLatin1Char('#')); at > 0;
         at = text.indexOf(QLatin1Char('#'), at + 1)) {
        if (QFileInfo::exists(text.left(at)))
            return {text.left(at), text.mid(at + 1)};
    }
    return {text, {}};
}

} // namespace kernscope::app
