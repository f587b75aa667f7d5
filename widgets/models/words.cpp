// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/words.h"

#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/container/mil/program.h"
#include "core/form/form_steps.h"
#include "core/report/placement_table.h"

#include <QGuiApplication>

#include <cmath>

namespace kernscope::ui {

Token outcomeToken(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return Token::OutStreams;
    case decision::Outcome::Folds: return Token::OutFolds;
    case decision::Outcome::Dense: return Token::OutDense;
    case decision::Outcome::Rejected: return Token::OutRefused;
    case decision::Outcome::Unknown: break;
    }
    return Token::OutUnknown;
}

QString outcomeWord(decision::Outcome outcome)
{
    switch (outcome) {
    case decision::Outcome::Streams: return Words::tr("streams");
    case decision::Outcome::Folds: return Words::tr("folds");
    case decision::Outcome::Dense: return Words::tr("dense");
    case decision::Outcome::Rejected: return Words::tr("refused");
    case decision::Outcome::Unknown: break;
    }
    return Words::tr("unknown");
}

QString outcomeLabel(decision::Outcome outcome)
{
    return theme::glyph(outcomeToken(outcome)) + QLatin1Char(' ') + outcomeWord(outcome);
}

namespace {

/// Roofs as people call them, by their keys in resources/tables/roofline.csv.
constexpr std::pair<std::string_view, const char *> kRoofNames[] = {
    {"activation_stream_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "activation stream")},
    {"broad_shape_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "cost model, broad shapes")},
    {"c1x1_resident_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "1\u00d71 conv, resident")},
    {"call_slope_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "bytes of a call")},
    {"conv1x1_pass_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "1\u00d71 conv, one pass")},
    {"conv1x1_saturated_fp16_flops",
     QT_TRANSLATE_NOOP("kernscope::Words", "1\u00d71 conv, saturated")},
    {"conv1x1_two_passes_fp16_flops",
     QT_TRANSLATE_NOOP("kernscope::Words", "1\u00d71 conv, two passes")},
    {"conv64_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "conv benchmark (64)")},
    {"conv_peak_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "fused conv chain")},
    {"conv_roof_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "saturating conv")},
    {"dram_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "DRAM")},
    {"dram_bandwidth_ane_plus_gpu", QT_TRANSLATE_NOOP("kernscope::Words", "DRAM, engine and GPU")},
    {"effective_fit_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "cost model, memory")},
    {"effective_peak_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "cost model, arithmetic")},
    {"fused_stack_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "fused stack")},
    {"fused_steady_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "fused, steady")},
    {"matmul_roof_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "saturating matmul")},
    {"model_activation_read_bandwidth",
     QT_TRANSLATE_NOOP("kernscope::Words", "compiler\u2019s model, read")},
    {"model_activation_write_bandwidth",
     QT_TRANSLATE_NOOP("kernscope::Words", "compiler\u2019s model, write")},
    {"model_weight_bandwidth",
     QT_TRANSLATE_NOOP("kernscope::Words", "compiler\u2019s model, weights")},
    {"peak_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "fp16 peak")},
    {"peak_fp16_flops_alt", QT_TRANSLATE_NOOP("kernscope::Words", "fp16 peak, benchmark")},
    {"peak_fp16_flops_two_engines",
     QT_TRANSLATE_NOOP("kernscope::Words", "fp16 peak, two engines")},
    {"placement_engine_bandwidth",
     QT_TRANSLATE_NOOP("kernscope::Words", "compiler\u2019s placement, memory")},
    {"placement_engine_flops",
     QT_TRANSLATE_NOOP("kernscope::Words", "compiler\u2019s placement, arithmetic")},
    {"saturating_matmul_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "large matmul")},
    {"single_conv_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "one conv, end to end")},
    {"single_matmul_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "one matmul")},
    {"single_relu_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "one relu")},
    {"theoretical_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "theoretical fp16")},
    {"weight_stream_bandwidth", QT_TRANSLATE_NOOP("kernscope::Words", "weight stream")},
    {"weight_stream_bandwidth_gemv", QT_TRANSLATE_NOOP("kernscope::Words", "weight stream, GEMV")},
    {"weight_stream_bandwidth_int8", QT_TRANSLATE_NOOP("kernscope::Words", "weight stream, int8")},
    {"weight_stream_bandwidth_sparse",
     QT_TRANSLATE_NOOP("kernscope::Words", "weight stream, sparse")},
    {"weight_stream_bandwidth_two_engines",
     QT_TRANSLATE_NOOP("kernscope::Words", "weight stream, two engines")},
    {"winograd_3x3_fp16_flops", QT_TRANSLATE_NOOP("kernscope::Words", "3\u00d73 conv, Winograd")},
};

} // namespace

QString productWord(const target::Target &target, bool brief)
{
    const QString product = fromUtf8(target.product);
    const qsizetype more = product.indexOf(QLatin1Char('/'));
    return brief && more >= 0 ? product.left(more) + QChar(0x2026) : product;
}

QString chipName(const target::Target &target)
{
    const QString product = productWord(target), name = fromUtf8(target.name);
    return product.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(product, name);
}

QVariant outcomeLook(decision::Outcome outcome, int role)
{
    const Token token = outcomeToken(outcome);
    if (token == Token::OutUnknown)
        return {};
    const QPalette palette = QGuiApplication::palette();
    if (role == Qt::BackgroundRole)
        return tokenTint(token, theme::isDark(palette));
    return role == Qt::ForegroundRole ? QVariant(palette.color(QPalette::Text)) : QVariant();
}

QString confidenceWord(format::Confidence confidence)
{
    switch (confidence) {
    case format::Confidence::Verified: return Words::tr("measured or verified");
    case format::Confidence::Documented: return Words::tr("documented");
    case format::Confidence::Contested: return Words::tr("contested");
    case format::Confidence::Assumed: break;
    }
    return Words::tr("assumed");
}

QString confidenceLabel(format::Confidence confidence)
{
    const QString word = confidenceWord(confidence);
    if (confidence == format::Confidence::Contested)
        return theme::glyph(Token::MarkContested) + QLatin1Char(' ') + word;
    if (confidence == format::Confidence::Assumed)
        return theme::glyph(Token::MarkAssumed) + QLatin1Char(' ') + word;
    return word;
}

QString yesNoWord(const std::optional<bool> &value)
{
    return value ? (*value ? Words::tr("yes") : Words::tr("no")) : Words::tr("unknown");
}

QString bytesWord(std::uint64_t bytes)
{
    const QString exact = groupedNumber(bytes) + QStringLiteral(" B");
    if (bytes < 10'000)
        return exact;
    return siWord(static_cast<double>(bytes), QStringLiteral("B")) + QStringLiteral(" (") + exact +
           QLatin1Char(')');
}

QString speedupWord(const decision::Speedup &speedup)
{
    const QString low = QString::number(speedup.low, 'f', 2);
    const QString high = QString::number(speedup.high, 'f', 2);
    return low == high ? low : Words::tr("%1 to %2").arg(low, high);
}

QString noLayersText(const Bundle &bundle)
{
    return isOldNetwork(bundle)
               ? Words::tr("The layers of an old neural network are not judged.")
               : Words::tr(
                     "No operation with a kernel (conv, linear, matmul) reads a weight here.");
}

QString programWord(const roofline::ProgramTime &program)
{
    if (!program.dispatches.empty()) {
        QStringList each;
        for (const roofline::ProgramTime &one : program.dispatches)
            each << fromUtf8(one.function) + QStringLiteral(": ") + programWord(one);
        if (program.alternatives)
            each << Words::tr("A call runs one of these functions: their times do not add up.");
        else if (program.timeS)
            each << Words::tr("All of them, one after the other: %1.")
                        .arg(siWord(*program.timeS, QStringLiteral("s")));
        for (const std::string &note : program.notes)
            each << fromUtf8(note);
        return each.join(QLatin1Char('\n'));
    }
    const auto seconds = [](const std::optional<double> &time) {
        return time ? siWord(*time, QStringLiteral("s")) : Words::tr("unknown");
    };
    QString text = Words::tr("All layers: %1 of the engine").arg(seconds(program.engineTimeS));
    if (program.timed < program.layers)
        text += Words::tr(" (%1 of %2 layers have no known time)")
                    .arg(program.layers - program.timed)
                    .arg(program.layers);
    switch (program.bound) {
    case roofline::ProgramTime::Bound::Engine:
        text +=
            Words::tr("; the program takes %1, bound by the engine.").arg(seconds(program.timeS));
        break;
    case roofline::ProgramTime::Bound::Dispatch:
        text += Words::tr("; the program takes %1, the least time of a call.")
                    .arg(seconds(program.timeS));
        break;
    case roofline::ProgramTime::Bound::Unknown:
        text += Words::tr("; what bounds the program is not known.");
        break;
    }
    for (const std::string &note : program.notes)
        text += QLatin1Char(' ') + fromUtf8(note);
    return text;
}

QColor tokenTint(Token token, bool dark)
{
    const QColor hue = theme::color(token, dark),
                 ground = dark ? QColor(0x1B, 0x1F, 0x23) : Qt::white;
    const double share = token == Token::OutDense ? 0.14 : dark ? 0.3 : 0.2;
    const auto mix = [share](int a, int b) {
        return static_cast<int>(std::lround(share * a + (1 - share) * b));
    };
    return {mix(hue.red(), ground.red()), mix(hue.green(), ground.green()),
            mix(hue.blue(), ground.blue())};
}

QString compilerEstimate(const Bundle &bundle, std::size_t weight, std::size_t consumer)
{
    roofline::Layer layer;
    layer.weight = weight;
    layer.consumer = consumer;
    return fromUtf8(report::estimateText(report::notesOf(bundle, layer)));
}

QString roofName(const std::string &key)
{
    const auto *named = std::find_if(std::begin(kRoofNames), std::end(kRoofNames),
                                     [&key](const auto &each) { return each.first == key; });
    return named != std::end(kRoofNames)
               ? Words::tr(named->second)
               : fromUtf8(key).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString roofWords(const roofline::LayerRoof &roof)
{
    const roofline::Ceiling &ceiling = roof.ceiling;
    const QString words =
        QStringLiteral("%1 %2 \u00b7 %3, %4")
            .arg(roofName(ceiling.name), siWord(ceiling.value, fromUtf8(ceiling.unit)),
                 fromUtf8(ceiling.source),
                 confidenceLabel(std::max(roof.confidence, ceiling.confidence)));
    return roof.note.empty() ? words : words + QStringLiteral(" (%1)").arg(fromUtf8(roof.note));
}

QString siWord(double value, const QString &unit)
{
    return QString::fromStdString(report::siText(value, unit.toStdString()));
}

namespace {

/// Names of the kernel's axes of a convolution of one to three dimensions.
QStringList kernelAxes(std::size_t count)
{
    const QStringList all{QStringLiteral("kz"), QStringLiteral("ky"), QStringLiteral("kx")};
    return count <= 3 ? all.mid(static_cast<qsizetype>(3 - count)) : QStringList();
}

/// Axes as resources/formats/programs.md, lays them out; empty where the op says nothing.
QStringList namesBy(const Consumer &consumer, std::size_t rank)
{
    const QString out = Words::tr("out channel"), in = Words::tr("in channel");
    const std::string &op = consumer.op;
    if (op == "conv" && consumer.param == "weight" && rank >= 3 && rank <= 5)
        return QStringList{out, in} + kernelAxes(rank - 2);
    if (op == "conv_transpose" && consumer.param == "weight" && rank >= 3 && rank <= 5)
        return QStringList{in, out} + kernelAxes(rank - 2);
    if (op == "linear" && consumer.param == "weight" && rank == 2)
        return {out, in};
    if ((op == "gather" || op == "gather_along_axis") && consumer.param == "x" && rank == 2)
        return {Words::tr("entry"), Words::tr("feature")};
    if ((op == "lstm" || op == "gru") && rank == 2)
        return {Words::tr("gate \u00D7 hidden"), consumer.param.find("hh") != std::string::npos
                                                     ? Words::tr("hidden")
                                                     : Words::tr("input")};
    if (op == "matmul" && rank == 2) {
        const bool isY = consumer.param == "y";
        const bool turned = isY ? consumer.geometry.transposeY : consumer.geometry.transposeX;
        const QString outer = isY ? out : Words::tr("row"), inner = isY ? in : Words::tr("inner");
        return (isY == turned) ? QStringList{outer, inner} : QStringList{inner, outer};
    }
    if (rank == 1)
        return {out};
    return {};
}

} // namespace

QStringList axisNames(const Weight &weight)
{
    for (const Consumer &consumer : weight.consumers) {
        // A transpose in between moves the axes.
        bool moved = false;
        for (const std::string &via : consumer.via)
            moved = moved || via != "cast";
        const QStringList names = moved ? QStringList() : namesBy(consumer, weight.shape.size());
        if (names.size() == static_cast<qsizetype>(weight.shape.size()))
            return names;
    }
    QStringList names;
    for (std::size_t axis = 0; axis < weight.shape.size(); ++axis)
        names.append(Words::tr("axis %1").arg(axis));
    return names;
}

QString shapeWords(const Shape &shape)
{
    QStringList extents;
    for (const std::uint64_t extent : shape)
        extents.append(QString::number(extent));
    return extents.isEmpty() ? Words::tr("scalar") : extents.join(QChar(0x00D7));
}

QStringList consumerNames(const Weight &weight)
{
    constexpr std::size_t kNamed = 3;
    QStringList parts;
    for (std::size_t i = 0; i < std::min(kNamed, weight.consumers.size()); ++i) {
        const Consumer &consumer = weight.consumers[i];
        parts.append(
            QStringLiteral("%1 %2 (%3)")
                .arg(fromUtf8(consumer.op), fromUtf8(consumer.name), fromUtf8(consumer.param)));
    }
    if (weight.consumers.size() > kNamed)
        parts.append(Words::tr("%1 more").arg(weight.consumers.size() - kNamed));
    if (parts.isEmpty())
        parts.append(Words::tr("no op that is known"));
    return parts;
}

QString consumerWords(const Weight &weight)
{
    return consumerNames(weight).join(QStringLiteral(", "));
}

QString storedWords(const Weight &weight)
{
    const auto stored = knownStoredBytes(weight);
    return stored ? QStringLiteral("%1 B (%2)")
                        .arg(groupedNumber(stored->value), ratioText(weight.ratio()))
                  : Words::tr("unknown");
}

QString weightFacts(const Weight &weight)
{
    return Words::tr("%1 \u00B7 %2").arg(fromUtf8(formWords(weight.form)), tensorFacts(weight));
}

QString tensorFacts(const Weight &weight)
{
    const QString tensor =
        Words::tr("%1 \u00B7 %2 \u00B7 %3")
            .arg(shapeWords(weight.shape), fromUtf8(elementTypeName(weight.type)),
                 countedWords(weight.elements.value, Words::tr("1 element"),
                              Words::tr("%1 elements")));
    const QString dense = groupedNumber(weight.denseFp16Bytes().value);
    const auto stored = knownStoredBytes(weight);
    if (!stored)
        return Words::tr("%1 \u00B7 stored bytes unknown, %2 B as dense fp16").arg(tensor, dense);
    return Words::tr("%1 \u00B7 %2 of %3 B dense fp16 (%4)")
        .arg(tensor, groupedNumber(stored->value), dense, ratioText(weight.ratio()));
}

bool isSameWeight(const BundlePtr &before, const BundlePtr &now, std::size_t index)
{
    if (!before || !now || index >= before->weights().size() || index >= now->weights().size())
        return false;
    const Weight &x = before->weights()[index], &y = now->weights()[index];
    return before->path() == now->path() && x.name == y.name && x.shape == y.shape;
}

QString valueText(double value)
{
    return QString::number(value, 'g', 5);
}

Token formToken(const StorageForm &form)
{
    switch (formTint(form)) {
    case FormTint::Mask: return Token::KindMask;
    case FormTint::Codebook: return Token::KindCodebook;
    case FormTint::Indices: return Token::KindIndices;
    case FormTint::Data: return Token::KindData;
    case FormTint::Values: return Token::KindValues;
    case FormTint::Scale: return Token::KindScale;
    case FormTint::Plain: break;
    }
    const bool wide = bitWidth(form.storedType()) > 16; // twice the bytes that it needs
    return wide ? Token::KindHeader : Token::KindMetadata;
}

QString confidenceWords(format::Confidence confidence)
{
    switch (confidence) {
    case format::Confidence::Verified: return Words::tr("verified");
    case format::Confidence::Documented: return Words::tr("documented");
    case format::Confidence::Contested: return QStringLiteral("\u2260 ") + Words::tr("contested");
    case format::Confidence::Assumed: return QStringLiteral("~ ") + Words::tr("assumed");
    }
    return {};
}

} // namespace kernscope::ui
