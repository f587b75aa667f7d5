// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/stream.h"
#include "core/bundle/weight.h"
#include "core/format/catalogue.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QStringList>

namespace kernscope::ui {

Token outcomeToken(decision::Outcome outcome);
QString outcomeWord(decision::Outcome outcome);  ///< translated: "streams", "refused", …
QString outcomeLabel(decision::Outcome outcome); ///< with its glyph: "▶ streams"

/// Role of the header of a column a chip: its product, shown below its name. A copied or exported
/// table has the name alone.
inline constexpr int kProductRole = Qt::UserRole + 120;

/// The product that a chip is in, as people know it: "M1", "M1 Pro/Max/Ultra", "A14 Max-class";
/// empty of references and of chips that are in no product. `brief`: of several the first, with an
/// ellipsis.
QString productWord(const target::Target &target, bool brief = false);
/// The product beside the name of the target, where it has one: "M1 (H13)", "U1".
QString chipName(const target::Target &target);
/// A pale ground of a token's hue, on which the text of the palette keeps its contrast.
QColor tokenTint(Token token, bool dark);
/// Ground and text of a cell that holds an outcome; invalid for other roles.
QVariant outcomeLook(decision::Outcome outcome, int role);
QString confidenceWord(format::Confidence confidence);
/// "documented", with the mark ≠ where it is contested and ~ where it is assumed.
QString confidenceLabel(format::Confidence confidence);
QString yesNoWord(const std::optional<bool> &value); ///< "yes", "no", "unknown"
/// "1,234 B" or "1.2 MB (1,234,567 B)".
QString bytesWord(std::uint64_t bytes);
QString speedupWord(const decision::Speedup &speedup); ///< "2.37" or "1.55 to 1.64"
/// The time of a program: what its layers take against what its dispatch costs at least.
QString programWord(const roofline::ProgramTime &program);
/// What stands where no layer of a bundle can be placed.
QString noLayersText(const Bundle &bundle);
/// "0.012 ms (ane)": what the compiler itself wrote beside the operation that is this layer, by
/// backend, the selected one first; empty where it wrote nothing. Never mixed with our own figures.
QString compilerEstimate(const Bundle &bundle, std::size_t weight, std::size_t consumer);
/// A roof as people call it: "fp16 peak" of the key "peak_fp16_flops".
QString roofName(const std::string &key);
/// What a roof is, its source and its confidence: "fp16 peak 12 TFLOP/s \u00b7 source, verified".
QString roofWords(const roofline::LayerRoof &roof);
/// "12.0 TFLOP/s", "85.0 GB/s", "141 FLOP/B": three significant digits and a prefix.
QString siWord(double value, const QString &unit);

/// What the axes of a weight are called, by the op that uses it: "out channel", "in channel",
/// "ky", "kx"; "axis 2" where that is not known. One name an axis.
QStringList axisNames(const Weight &weight);
/// "128×64×3"; "scalar" for an empty shape.
QString shapeWords(const Shape &shape);
/// "conv conv_6 (weight)", at most three and a count of the rest.
QStringList consumerNames(const Weight &weight);
/// The same, joined by commas.
QString consumerWords(const Weight &weight);
/// "165,888 B (0.431)", "unknown": stored bytes of a weight and their ratio to dense fp16.
QString storedWords(const Weight &weight);
/// One line: form, shape, type, elements, stored bytes of dense fp16 bytes, ratio.
QString weightFacts(const Weight &weight);
/// The same without the form, for where that stands beside the name.
QString tensorFacts(const Weight &weight);

/// Whether weight `index` is the same weight in both: of the same file, with the same name and
/// shape, whatever its values.
bool isSameWeight(const BundlePtr &before, const BundlePtr &now, std::size_t index);

/// A number that holds every fp16 and fp32 exactly enough to be read: five significant digits.
QString valueText(double value);

/// Colour of a storage form: of the kind of part that makes it ("sparse+lut" is sparse).
Token formToken(const StorageForm &form);

/// "1 weight", "12,345 weights": `one` as it is, `%1` of `several` replaced by the number.
inline QString countedWords(std::uint64_t number, const QString &one, const QString &several)
{
    return number == 1 ? one : several.arg(groupedNumber(number));
}

/// "verified", "documented", "≠ contested", "~ assumed": the mark stands before the word.
QString confidenceWords(format::Confidence confidence);

} // namespace kernscope::ui
