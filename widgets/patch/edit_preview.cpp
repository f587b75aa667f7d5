// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/edit_preview.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/edit/editor.h"
#include "core/patch/edit/selection.h"
#include "core/patch/plan/raw_place.h"
#include "widgets/common/counted_words.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>
#include <optional>

namespace kernscope::ui {

namespace {

constexpr double kNearest = std::numeric_limits<double>::infinity();

struct PreviewWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::EditPreview)
};

tl::unexpected<Error> fail(const char *code, const QString &message)
{
    return ErrorBuilder(code).message(message.toStdString()).unexpected();
}

bool isSingle(const Edit &edit)
{
    return !edit.indices.empty() &&
           std::all_of(edit.indices.begin(), edit.indices.end(),
                       [](const IndexRange &range) { return range.single; });
}

Result<std::uint64_t> elementOf(const Weight &weight, const Edit &edit)
{
    const bool flat = edit.indices.size() == 1;
    if (!flat && edit.indices.size() != weight.shape.size())
        return fail("patch.index",
                    PreviewWords::tr("This weight has %1 axes.").arg(weight.shape.size()));
    std::uint64_t element = 0;
    for (std::size_t axis = 0; axis < edit.indices.size(); ++axis) {
        const std::uint64_t index = edit.indices[axis].start;
        const std::uint64_t extent = flat ? weight.elements.value : weight.shape[axis];
        if (index >= extent)
            return fail("patch.index",
                        PreviewWords::tr("Index %1 is past the end, %2.").arg(index).arg(extent));
        element = flat ? index : element * extent + index;
    }
    return element;
}

std::uint64_t indexAt(const Edit &edit, std::size_t position)
{
    return position < edit.indices.size() ? edit.indices[position].start : 0;
}

Result<codec::EditPlan> plan(const codec::Editor &editor, const Weight &weight, const Edit &edit)
{
    switch (edit.kind) {
    case Edit::Kind::SetStored: return editor.setStored(edit.part, indexAt(edit, 0), edit.stored);
    case Edit::Kind::Codebook:
        return editor.setCodebookEntry(indexAt(edit, 0), indexAt(edit, 1), indexAt(edit, 2),
                                       edit.value, kNearest);
    case Edit::Kind::Scale: return editor.setScale(indexAt(edit, 0), edit.value, kNearest);
    case Edit::Kind::Set:
    case Edit::Kind::Keep:
    case Edit::Kind::Drop:
    case Edit::Kind::Fill:
    case Edit::Kind::FromNpy:
    case Edit::Kind::Compute:
    case Edit::Kind::Bytes:
    case Edit::Kind::Field: break;
    }
    const auto element = elementOf(weight, edit);
    if (!element)
        return tl::unexpected(element.error());
    if (edit.kind == Edit::Kind::Keep)
        return editor.keep(*element, edit.value, kNearest);
    if (edit.kind == Edit::Kind::Drop)
        return editor.drop(*element);
    return editor.setElement(*element, edit.value, kNearest);
}

} // namespace

EditAnswer answerOf(const codec::EditPlan &made, bool hasValue)
{
    QStringList parts;
    const auto number = [](double value) { return QString::number(value, 'g', 7); };
    if (hasValue)
        parts << (made.asked == made.stored
                      ? PreviewWords::tr("%1 is held exactly").arg(number(made.asked))
                      : PreviewWords::tr("%1 is held as %2")
                            .arg(number(made.asked), number(made.stored)));
    if (!made.note.empty())
        parts << fromUtf8(made.note);
    std::uint64_t bytes = 0;
    for (const codec::PartEdit &part : made.parts)
        bytes += part.bytes.size();
    if (made.parts.empty())
        parts << PreviewWords::tr("nothing changes");
    else if (made.payloadElements)
        parts << PreviewWords::tr("%1 non-zero values after it")
                     .arg(groupedNumber(made.payloadElements->value));
    else
        parts << PreviewWords::tr("%1 B touched").arg(groupedNumber(bytes));
    return {parts.join(QStringLiteral("; ")), made.far};
}

namespace {

Result<EditAnswer> rawPreview(const Bundle &bundle, const Edit &edit)
{
    const auto place = patch::rawPlace(bundle, edit);
    if (auto same = bundle.checkUnchanged(); !same)
        return tl::unexpected(std::move(same.error()));
    if (!place)
        return tl::unexpected(place.error());
    return EditAnswer{
        PreviewWords::tr("%1 becomes %2 (%3); what that would break is said first")
            .arg(fromUtf8(place->oldText), fromUtf8(place->newText), fromUtf8(place->note))};
}

/// How many elements an edit of more than one changes; a scale or a codebook has other indices.
Result<EditAnswer> severalText(const Weight &weight, const Edit &edit)
{
    const QString name = fromUtf8(edit.weight);
    if (edit.kind != Edit::Kind::Set && edit.kind != Edit::Kind::Fill &&
        edit.kind != Edit::Kind::Keep && edit.kind != Edit::Kind::Drop)
        return EditAnswer{PreviewWords::tr("Sets several elements of %1").arg(name)};
    if (edit.indices.empty())
        return EditAnswer{PreviewWords::tr("Sets all %1 elements of %2")
                              .arg(groupedNumber(weight.elements.value), name)};
    const auto chosen = patch::ElementSelection::make(edit.indices, weight.shape);
    if (!chosen)
        return tl::unexpected(chosen.error());
    return EditAnswer{countedWords(chosen->elements(), PreviewWords::tr("Sets 1 element of %2"),
                                   PreviewWords::tr("Sets %1 elements of %2"))
                          .arg(name)};
}

/// "[3,0,1]".
QString cellIndices(const Weight &weight, std::uint64_t element)
{
    QStringList indices;
    for (auto axis = weight.shape.size(); axis-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(weight.shape[axis], 1);
        indices.prepend(QString::number(element % extent));
        element /= extent;
    }
    if (indices.isEmpty())
        indices << QStringLiteral("0");
    return QStringLiteral("[%1]").arg(indices.join(QLatin1Char(',')));
}

} // namespace

Result<EditAnswer> previewEdit(const Bundle &bundle, const Edit &edit)
{
    if (edit.isRaw())
        return rawPreview(bundle, edit);
    const auto index = bundle.weightByName(edit.weight);
    if (!index)
        return fail("patch.weight",
                    PreviewWords::tr("No weight has this name: %1").arg(fromUtf8(edit.weight)));
    const Weight &weight = bundle.weights()[*index];
    if (edit.kind == Edit::Kind::FromNpy)
        return EditAnswer{countedWords(weight.elements.value,
                                       PreviewWords::tr("Sets 1 element from the file"),
                                       PreviewWords::tr("Sets %1 elements from the file"))};
    if (edit.kind == Edit::Kind::Compute)
        return EditAnswer{PreviewWords::tr("Computes each chosen element of %1 from its value w")
                              .arg(fromUtf8(edit.weight))};
    if (!isSingle(edit))
        return severalText(weight, edit);
    const auto decoder = bundle.decoder(*index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const auto made = plan(codec::Editor(*decoder), weight, edit);
    if (auto same = bundle.checkUnchanged(); !same)
        return tl::unexpected(std::move(same.error()));
    if (!made)
        return tl::unexpected(made.error());
    const bool hasValue = edit.kind != Edit::Kind::Drop && edit.kind != Edit::Kind::SetStored;
    return answerOf(*made, hasValue);
}

std::optional<std::uint64_t> firstElement(const Bundle &bundle, const Edit &edit)
{
    const bool named = edit.kind == Edit::Kind::Set || edit.kind == Edit::Kind::Keep ||
                       edit.kind == Edit::Kind::Drop || edit.kind == Edit::Kind::Fill;
    const auto index = bundle.weightByName(edit.weight);
    if (!named || !index || edit.indices.empty())
        return std::nullopt;
    const auto element = elementOf(bundle.weights()[*index], edit);
    return element ? std::optional(*element) : std::nullopt;
}

QString editStart(Edit::Kind kind, const Bundle &bundle, const Place &place)
{
    if (kind == Edit::Kind::Bytes && place.bytes && place.file < bundle.files().size())
        return QStringLiteral("%1+%2=").arg(rawFromUtf8(bundle.files()[place.file].path),
                                            hexNumber(place.bytes->offset.value));
    if (place.weight >= bundle.weights().size())
        return {};
    const Weight &weight = bundle.weights()[place.weight];
    const QString name = rawFromUtf8(weight.findableName());
    const QString cell = name + cellIndices(weight, place.element.value_or(0));
    switch (kind) {
    case Edit::Kind::Set:
    case Edit::Kind::Keep:
    case Edit::Kind::Fill: return cell + u'=';
    case Edit::Kind::Compute: return (place.element ? cell : name) + u'=';
    case Edit::Kind::Drop: return cell;
    case Edit::Kind::SetStored: return name + u':';
    case Edit::Kind::Codebook:
    case Edit::Kind::Scale: return name + u'[';
    case Edit::Kind::FromNpy: return name + u'=';
    case Edit::Kind::Bytes:
    case Edit::Kind::Field: break;
    }
    return {};
}

} // namespace kernscope::ui
