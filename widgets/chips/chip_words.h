// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "widgets/common/outcome_words.h"

#include <QString>
#include <QVariant>

namespace kernscope::ui {

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
/// "0.012 ms (ane)": what the compiler itself wrote beside the operation that is this layer, by
/// backend, the selected one first; empty where it wrote nothing. Never mixed with our own figures.
QString compilerEstimate(const Bundle &bundle, std::size_t weight, std::size_t consumer);
/// A roof as people call it: "fp16 peak" of the key "peak_fp16_flops".
QString roofName(const std::string &key);
/// What a roof is, whence, and how sure: "fp16 peak 12 TFLOP/s \u00b7 source, verified".
QString roofWords(const roofline::LayerRoof &roof);
/// "12.0 TFLOP/s", "85.0 GB/s", "141 FLOP/B": three significant digits and a prefix.
QString siWord(double value, const QString &unit);

} // namespace kernscope::ui
