// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/weight_words.h"

#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>

namespace kernscope::ui {

namespace {

struct WeightWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Weight)
};

/// Names of the kernel's axes of a convolution of one to three dimensions.
QStringList kernelAxes(std::size_t count)
{
    const QStringList all{QStringLiteral("kz"), QStringLiteral("ky"), QStringLiteral("kx")};
    return count <= 3 ? all.mid(static_cast<qsizetype>(3 - count)) : QStringList();
}

/// Axes as resources/formats/programs.md, lays them out; empty where the op says nothing.
QStringList namesBy(const Consumer &consumer, std::size_t rank)
{
    const QString out = WeightWords::tr("out channel"), in = WeightWords::tr("in channel");
    const std::string &op = consumer.op;
    if (op == "conv" && consumer.param == "weight" && rank >= 3 && rank <= 5)
        return QStringList{out, in} + kernelAxes(rank - 2);
    if (op == "conv_transpose" && consumer.param == "weight" && rank >= 3 && rank <= 5)
        return QStringList{in, out} + kernelAxes(rank - 2);
    if (op == "linear" && consumer.param == "weight" && rank == 2)
        return {out, in};
    if ((op == "gather" || op == "gather_along_axis") && consumer.param == "x" && rank == 2)
        return {WeightWords::tr("entry"), WeightWords::tr("feature")};
    if ((op == "lstm" || op == "gru") && rank == 2)
        return {WeightWords::tr("gate \u00D7 hidden"),
                consumer.param.find("hh") != std::string::npos ? WeightWords::tr("hidden")
                                                               : WeightWords::tr("input")};
    if (op == "matmul" && rank == 2) {
        const bool isY = consumer.param == "y";
        const bool turned = isY ? consumer.geometry.transposeY : consumer.geometry.transposeX;
        const QString outer = isY ? out : WeightWords::tr("row"),
                      inner = isY ? in : WeightWords::tr("inner");
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
        names.append(WeightWords::tr("axis %1").arg(axis));
    return names;
}

QString shapeWords(const Shape &shape)
{
    QStringList extents;
    for (const std::uint64_t extent : shape)
        extents.append(QString::number(extent));
    return extents.isEmpty() ? WeightWords::tr("scalar") : extents.join(QChar(0x00D7));
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
        parts.append(WeightWords::tr("%1 more").arg(weight.consumers.size() - kNamed));
    if (parts.isEmpty())
        parts.append(WeightWords::tr("no op that is known"));
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
                  : WeightWords::tr("unknown");
}

QString weightFacts(const Weight &weight)
{
    return WeightWords::tr("%1 \u00B7 %2")
        .arg(fromUtf8(formText(weight.form)), tensorFacts(weight));
}

QString tensorFacts(const Weight &weight)
{
    const QString tensor =
        WeightWords::tr("%1 \u00B7 %2 \u00B7 %3 elements")
            .arg(shapeWords(weight.shape), fromUtf8(elementTypeName(weight.type)),
                 groupedNumber(weight.elements.value));
    const QString dense = groupedNumber(weight.denseFp16Bytes().value);
    const auto stored = knownStoredBytes(weight);
    if (!stored)
        return WeightWords::tr("%1 \u00B7 stored bytes unknown, %2 B as dense fp16")
            .arg(tensor, dense);
    return WeightWords::tr("%1 \u00B7 %2 of %3 B dense fp16 (%4)")
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

} // namespace kernscope::ui
