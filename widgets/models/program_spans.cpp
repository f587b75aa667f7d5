// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/program_spans.h"

#include "core/container/mil/program.h"
#include "core/numeric/half.h"
#include "widgets/models/table_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstring>

namespace kernscope::ui {

namespace {

constexpr std::size_t kMostValuesShown = 8;

struct ProgramWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ProgramWords)
};

using SpanKind = ProgramSpan::Kind;

std::vector<double> floatsOf(const mil::Literal &literal, std::size_t most)
{
    std::vector<double> values;
    const std::size_t width = bitWidth(literal.element) / 8;
    for (std::size_t i = 0; width > 0 && i < most && (i + 1) * width <= literal.bytes.size(); ++i) {
        const std::byte *at = literal.bytes.data() + i * width;
        if (literal.element == ElementType::Fp16) {
            std::uint16_t half = 0;
            std::memcpy(&half, at, sizeof half);
            values.push_back(static_cast<double>(halfToFloat(half)));
        } else if (literal.element == ElementType::Fp32) {
            float value = 0;
            std::memcpy(&value, at, sizeof value);
            values.push_back(static_cast<double>(value));
        } else if (literal.element == ElementType::Fp64) {
            double value = 0;
            std::memcpy(&value, at, sizeof value);
            values.push_back(value);
        }
    }
    return values;
}

QStringList literalWordsOf(const mil::Literal &literal)
{
    QStringList words;
    for (std::size_t i = 0; i < std::min(literal.strings.size(), kMostValuesShown); ++i)
        words += QLatin1Char('"') + fromUtf8(literal.strings[i]) + QLatin1Char('"');
    if (!words.isEmpty())
        return words;
    if (isFloatingPoint(literal.element)) {
        for (const double value : floatsOf(literal, kMostValuesShown))
            words += QString::number(value, 'g', 6);
        return words;
    }
    // A long one is not decoded for the sake of its first values.
    if (literal.bytes.size() > 4096)
        return words;
    const std::vector<std::int64_t> values = literalIntegers(literal);
    for (std::size_t i = 0; i < std::min(values.size(), kMostValuesShown); ++i)
        words += literal.element == ElementType::Bool
                     ? (values[i] ? QStringLiteral("true") : QStringLiteral("false"))
                     : QString::number(values[i]);
    return words;
}

class SpanBuilder
{
public:
    SpanBuilder(const ProgramTree &tree, std::size_t row) : m_tree(tree), m_row(row) {}

    void add(const QString &text, SpanKind kind) { m_spans.push_back({text, kind}); }

    void addValue(const mil::ProgramValue &value)
    {
        if (const mil::Reference *reference = value.reference()) {
            addReference(reference->name);
        } else if (const mil::Literal *literal = value.literal()) {
            add(programLiteral(*literal), SpanKind::Literal);
        } else if (const mil::BlobReference *blob = value.blob()) {
            add(ProgramWords::tr("%1 of %2 at %3")
                    .arg(programType(value.type), fromUtf8(blob->path), hexNumber(blob->offset)),
                SpanKind::Faint);
        } else if (const auto *list = std::get_if<mil::Values>(&value.content)) {
            addList(*list);
        }
    }

    void addList(const mil::Values &values)
    {
        add(QStringLiteral("("), SpanKind::Plain);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0)
                add(QStringLiteral(", "), SpanKind::Plain);
            addValue(values[i]);
        }
        add(QStringLiteral(")"), SpanKind::Plain);
    }

    /// The next reference of the row.
    void addReference(const std::string &name)
    {
        const ProgramTree::Meaning meaning = m_tree.reference(m_row, m_references++);
        ProgramSpan span{fromUtf8(name), SpanKind::Value, meaning.row, meaning.weight};
        if (meaning.weight != ProgramTree::kNone) {
            span.kind = SpanKind::Weight;
        } else if (meaning.constant && meaning.constant->literal()) {
            return add(programLiteral(*meaning.constant->literal()), SpanKind::Literal);
        }
        if (!span.isLink())
            span.kind = SpanKind::Plain; // an input of the function
        m_spans.push_back(std::move(span));
    }

    std::vector<ProgramSpan> take() { return std::move(m_spans); }

private:
    const ProgramTree &m_tree;
    std::size_t m_row;
    std::size_t m_references = 0; ///< that were added
    std::vector<ProgramSpan> m_spans;
};

QString namedTypes(const std::vector<mil::NamedType> &values)
{
    QStringList words;
    for (const mil::NamedType &value : values)
        words += fromUtf8(value.name) + QLatin1Char(' ') + programType(value.type);
    return words.join(QStringLiteral(", "));
}

QString joinedNames(const std::vector<std::string> &values)
{
    QStringList words;
    for (const std::string &value : values)
        words += fromUtf8(value);
    return words.join(QStringLiteral(", "));
}

void appendFunction(SpanBuilder &builder, const mil::Function &function)
{
    builder.add(QStringLiteral("func "), SpanKind::Keyword);
    builder.add(function.model.empty() ? fromUtf8(function.name)
                                       : fromUtf8(function.model + '/' + function.name),
                SpanKind::Name);
    builder.add(QStringLiteral(" (") + namedTypes(function.inputs) + QStringLiteral(") \u2192 ") +
                    joinedNames(function.body.outputs),
                SpanKind::Plain);
    if (!function.opset.empty())
        builder.add(QStringLiteral("   ") + fromUtf8(function.opset), SpanKind::Faint);
}

void appendOperation(SpanBuilder &builder, const mil::Operation &operation)
{
    builder.add(fromUtf8(operation.type), SpanKind::Keyword);
    builder.add(QStringLiteral(" "), SpanKind::Plain);
    QStringList made;
    for (const mil::NamedType &output : operation.outputs)
        made += fromUtf8(output.name);
    builder.add(made.isEmpty() ? fromUtf8(operation.displayName())
                               : made.join(QStringLiteral(", ")),
                SpanKind::Name);
    builder.add(QStringLiteral(" ("), SpanKind::Plain);
    bool first = true;
    for (const mil::Argument &argument : operation.inputs) {
        builder.add((first ? QString() : QStringLiteral(", ")) + fromUtf8(argument.name) +
                        QStringLiteral(" = "),
                    SpanKind::Plain);
        first = false;
        if (argument.values.size() == 1)
            builder.addValue(argument.values.front());
        else
            builder.addList(argument.values);
    }
    builder.add(QStringLiteral(")"), SpanKind::Plain);
    if (operation.outputs.size() == 1)
        builder.add(QStringLiteral("   ") + programType(operation.outputs.front().type),
                    SpanKind::Faint);
    else if (operation.outputs.size() > 1)
        builder.add(
            ProgramWords::tr("   %n results", nullptr, static_cast<int>(operation.outputs.size())),
            SpanKind::Faint);
}

} // namespace

QString programLiteral(const mil::Literal &literal)
{
    const QStringList words = literalWordsOf(literal);
    const bool cut = literal.count > static_cast<std::uint64_t>(words.size());
    if (literal.count == 1 && words.size() == 1)
        return words.front();
    if (words.isEmpty() && literal.count > 0)
        return ProgramWords::tr("(%1 values of %2)")
            .arg(groupedNumber(literal.count), fromUtf8(elementTypeName(literal.element)));
    QString text = QLatin1Char('[') + words.join(QStringLiteral(", "));
    if (!cut)
        return text + QLatin1Char(']');
    return text + ProgramWords::tr(", \u2026] (%1 values)").arg(groupedNumber(literal.count));
}

QString programType(const mil::ValueType &type)
{
    if (!type.isTensor())
        return fromUtf8(type.text);
    QStringList dims;
    for (const std::int64_t dim : type.dims)
        dims += dim < 0 ? QStringLiteral("?") : QString::number(dim);
    QString text = fromUtf8(elementTypeName(type.element));
    if (!dims.isEmpty())
        text += QStringLiteral(" [") + dims.join(QStringLiteral(", ")) + QLatin1Char(']');
    return text;
}

std::vector<ProgramSpan> programSpans(const ProgramTree &tree, std::size_t row)
{
    const ProgramTree::Node node = tree.node(row);
    const mil::Operation *operation = tree.operation(row);
    SpanBuilder builder(tree, row);
    switch (node.kind) {
    case ProgramTree::Kind::Function: appendFunction(builder, tree.functionOf(row)); break;
    case ProgramTree::Kind::Operation: appendOperation(builder, *operation); break;
    case ProgramTree::Kind::Block:
        const mil::Block &block = operation->blocks[node.number];
        builder.add(ProgramWords::tr("block %1 ").arg(node.number), SpanKind::Keyword);
        builder.add(QLatin1Char('(') + namedTypes(block.inputs) + QStringLiteral(") \u2192 ") +
                        joinedNames(block.outputs),
                    SpanKind::Plain);
        break;
    }
    return builder.take();
}

QString programText(const std::vector<ProgramSpan> &spans)
{
    QString text;
    for (const ProgramSpan &span : spans)
        text += span.text;
    return text;
}

} // namespace kernscope::ui
