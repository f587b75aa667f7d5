// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/program_model.h"

#include "core/base/progress.h"
#include "core/bundle/bundle.h"
#include "core/numeric/half.h"
#include "widgets/models/table_text.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace kernscope::ui {

namespace {

/// The value of a constant that is written where it is used; null for other operations.
const mil::ProgramValue *plainValue(const mil::Operation &operation)
{
    if (operation.type != "const" || operation.outputs.empty())
        return nullptr;
    const mil::ProgramValue *value = operation.operand("val");
    return value ? value : operation.operand("value");
}

template <class Visitor>
void forEachReference(const mil::ProgramValue &value, const Visitor &visit)
{
    if (const auto *list = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &one : *list)
            forEachReference(one, visit);
    } else if (const mil::Reference *reference = value.reference()) {
        visit(*reference);
    }
}

} // namespace

class ProgramTree::Builder
{
public:
    explicit Builder(ProgramTree &tree) : m_tree(tree) {}

    bool run(Progress *progress)
    {
        const auto &functions = m_tree.m_bundle->program()->functions;
        m_tree.m_readers.assign(m_tree.m_bundle->weights().size(), kNoNumber);
        for (std::size_t i = 0; i < functions.size(); ++i) {
            m_function = i;
            m_number = 0;
            m_ids.clear();
            noteWeights(functions[i]);
            Row row;
            row.kind = Kind::Function;
            const Number root = addRow(row);
            if (!addOperations(functions[i].body, root, progress))
                return false;
        }
        orderChildren();
        orderUses();
        return true;
    }

private:
    Number idOf(const std::string &name)
    {
        const auto [at, isNew] =
            m_ids.try_emplace(name, static_cast<Number>(m_tree.m_names.size()));
        if (isNew) {
            m_tree.m_names.emplace_back();
            m_lastUse.push_back(kNoNumber);
        }
        return at->second;
    }

    /// The first that has a name keeps it.
    static void setOnce(Number &to, Number number)
    {
        if (to == kNoNumber)
            to = number;
    }

    /// Weights by the function that holds them and the value that their readers name.
    void noteWeights(const mil::Function &function)
    {
        const auto &weights = m_tree.m_bundle->weights();
        for (std::size_t w = 0; w < weights.size(); ++w) {
            const bool here = weights[w].function.empty() || weights[w].function == function.name;
            if (here && weights[w].model == function.model)
                setOnce(m_tree.m_names[idOf(weights[w].name)].weight, static_cast<Number>(w));
        }
    }

    Number addRow(Row row)
    {
        const auto index = static_cast<Number>(m_tree.m_rows.size());
        row.function = static_cast<Number>(m_function);
        row.firstName = static_cast<Number>(m_tree.m_rowNames.size());
        Number &siblings = row.parent == kNoNumber ? m_roots : m_tree.m_rows[row.parent].firstChild;
        row.place = siblings++; // until they are ordered it counts them
        if (row.parent == kNoNumber)
            m_tree.m_functionRows.push_back(index);
        m_tree.m_rows.push_back(row);
        return index;
    }

    bool addOperations(const mil::Block &block, Number parent, Progress *progress)
    {
        for (const mil::Operation &operation : block.operations) {
            if (progress && m_tree.m_operations % 1024 == 0 && !progress->advance(1))
                return false;
            ++m_tree.m_operations;
            if (const mil::ProgramValue *value = plainValue(operation)) {
                Name &name = m_tree.m_names[idOf(operation.outputs.front().name)];
                if (!name.constant)
                    name.constant = value;
                ++m_number;
                continue;
            }
            const Number row = addOperation(operation, parent);
            for (std::size_t b = 0; b < operation.blocks.size(); ++b) {
                if (!addOperations(operation.blocks[b], addBlock(operation, b, row), progress))
                    return false;
            }
        }
        return true;
    }

    Number addOperation(const mil::Operation &operation, Number parent)
    {
        Row row;
        row.parent = parent;
        row.number = m_number++;
        row.operation = &operation;
        row.outputs = static_cast<Number>(operation.outputs.size());
        const Number index = addRow(row);
        for (const mil::NamedType &output : operation.outputs) {
            const Number name = idOf(output.name);
            setOnce(m_tree.m_names[name].row, index);
            m_tree.m_rowNames.push_back(name);
        }
        for (const mil::Argument &argument : operation.inputs) {
            for (const mil::ProgramValue &value : argument.values)
                forEachReference(value, [&](const mil::Reference &reference) {
                    noteRead(idOf(reference.name), index);
                });
        }
        return index;
    }

    void noteRead(Number name, Number row)
    {
        m_tree.m_rowNames.push_back(name);
        if (std::exchange(m_lastUse[name], row) != row)
            m_read.emplace_back(name, row);
        if (const Number weight = m_tree.m_names[name].weight; weight != kNoNumber)
            setOnce(m_tree.m_readers[weight], row);
    }

    Number addBlock(const mil::Operation &operation, std::size_t which, Number parent)
    {
        Row row;
        row.kind = Kind::Block;
        row.parent = parent;
        row.number = static_cast<Number>(which);
        row.operation = &operation;
        const Number index = addRow(row);
        for (const mil::NamedType &input : operation.blocks[which].inputs)
            setOnce(m_tree.m_names[idOf(input.name)].row, index);
        return index;
    }

    /// From how many a row has to where they begin.
    void orderChildren()
    {
        std::vector<Row> &rows = m_tree.m_rows;
        Number from = 0;
        for (Row &row : rows)
            from += std::exchange(row.firstChild, from);
        m_tree.m_children.resize(from);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].parent != kNoNumber)
                m_tree.m_children[rows[rows[i].parent].firstChild + rows[i].place] =
                    static_cast<Number>(i);
        }
    }

    void orderUses()
    {
        std::vector<Name> &names = m_tree.m_names;
        names.emplace_back(); // which says where the uses of the last one end
        for (const auto &[name, row] : m_read)
            ++names[name].firstUse;
        Number from = 0;
        for (Name &name : names)
            from += std::exchange(name.firstUse, from);
        std::vector<Number> next(names.size());
        std::ranges::transform(names, next.begin(), [](const Name &name) { return name.firstUse; });
        m_tree.m_uses.resize(from);
        for (const auto &[name, row] : m_read)
            m_tree.m_uses[next[name]++] = row;
    }

    ProgramTree &m_tree;
    std::size_t m_function = 0;
    Number m_number = 0; ///< of the next operation in the function
    Number m_roots = 0;
    std::unordered_map<std::string, Number> m_ids; ///< names of the function
    std::vector<Number> m_lastUse;                 ///< by name
    std::vector<std::pair<Number, Number>> m_read; ///< names and rows
};

std::shared_ptr<const ProgramTree> ProgramTree::build(BundlePtr bundle, Progress *progress)
{
    auto tree = std::make_shared<ProgramTree>();
    tree->m_bundle = std::move(bundle);
    return Builder(*tree).run(progress) ? tree : nullptr;
}

ProgramTree::Node ProgramTree::node(std::size_t row) const
{
    const Row &of = m_rows[row];
    const std::size_t end =
        row + 1 < m_rows.size() ? m_rows[row + 1].firstChild : m_children.size();
    return {of.kind, wide(of.parent), of.place, of.function, of.number, end - of.firstChild};
}

std::size_t ProgramTree::child(std::size_t row, std::size_t place) const
{
    return m_children[m_rows[row].firstChild + place];
}

const mil::Function &ProgramTree::functionOf(std::size_t row) const
{
    return m_bundle->program()->functions[m_rows[row].function];
}

ProgramTree::Meaning ProgramTree::reference(std::size_t row, std::size_t place) const
{
    const Row &of = m_rows[row];
    const Name &name = m_names[m_rowNames[of.firstName + of.outputs + place]];
    return {wide(name.row), wide(name.weight), name.constant};
}

std::span<const std::uint32_t> ProgramTree::uses(std::size_t row, std::size_t output) const
{
    const Number name = m_rowNames[m_rows[row].firstName + output];
    const Number from = m_names[name].firstUse;
    return std::span(m_uses).subspan(from, m_names[name + 1].firstUse - from);
}

std::size_t ProgramTree::readerOf(std::size_t weight) const
{
    return weight < m_readers.size() ? wide(m_readers[weight]) : kNone;
}

std::vector<std::size_t> ProgramTree::weightsOf(std::size_t row) const
{
    std::vector<std::size_t> found;
    if (m_rows[row].kind != Kind::Operation)
        return found;
    std::size_t place = 0;
    for (const mil::Argument &argument : operation(row)->inputs) {
        for (const mil::ProgramValue &value : argument.values) {
            const std::size_t one = value.reference() ? reference(row, place).weight : kNone;
            if (one != kNone)
                found.push_back(one);
            forEachReference(value, [&place](const mil::Reference &) { ++place; });
        }
    }
    // What makes a weight stands for it as well.
    for (Number i = 0; i < m_rows[row].outputs; ++i) {
        const Number weight = m_names[m_rowNames[m_rows[row].firstName + i]].weight;
        if (weight != kNoNumber)
            found.push_back(weight);
    }
    return found;
}

std::size_t ProgramTree::fileOf(std::size_t row) const
{
    return bundle().programFileOf(functionOf(row).model);
}

std::size_t ProgramTree::rowAtByte(std::size_t file, std::uint64_t offset) const
{
    std::size_t found = kNone;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].kind != Kind::Operation)
            continue;
        const SourceSpan span = this->span(i);
        if (offset < span.offset || offset - span.offset >= span.length)
            continue;
        if (fileOf(i) == file && (found == kNone || span.length < this->span(found).length))
            found = i;
    }
    return found;
}

namespace {

constexpr std::size_t kMostValuesShown = 8;

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
    void add(std::vector<ProgramSpan> spans)
    {
        std::move(spans.begin(), spans.end(), std::back_inserter(m_spans));
    }

    void addValue(const mil::ProgramValue &value)
    {
        if (const mil::Reference *reference = value.reference()) {
            addReference(reference->name);
        } else if (const mil::Literal *literal = value.literal()) {
            add(programLiteral(*literal), SpanKind::Literal);
        } else if (const mil::BlobReference *blob = value.blob()) {
            const std::string_view path = blob->path;
            add(Words::tr("%1 of %2 at %3")
                    .arg(programType(value.type), fromUtf8(path.substr(path.rfind('/') + 1)),
                         hexNumber(blob->offset)),
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
        if (meaning.weight != ProgramTree::kNone)
            span.kind = SpanKind::Weight;
        else if (meaning.constant && !meaning.constant->reference())
            return addValue(*meaning.constant);
        if (!span.isLink())
            span.kind = SpanKind::Plain; // an input of the function
        m_spans.push_back(std::move(span));
    }

    std::vector<ProgramSpan> take() { return std::exchange(m_spans, {}); }

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

void appendOperation(SpanBuilder &builder, const ProgramTree &tree, std::size_t row)
{
    const mil::Operation &operation = *tree.operation(row);
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
    for (ProgramOperand &operand : programOperands(tree, row)) {
        builder.add((first ? QString() : QStringLiteral(", ")) + operand.name +
                        QStringLiteral(" = "),
                    SpanKind::Plain);
        first = false;
        builder.add(std::move(operand.spans));
    }
    builder.add(QStringLiteral(")"), SpanKind::Plain);
    if (operation.outputs.size() == 1)
        builder.add(QStringLiteral("   ") + programType(operation.outputs.front().type),
                    SpanKind::Faint);
    else if (operation.outputs.size() > 1)
        builder.add(Words::tr("   %n results", nullptr, static_cast<int>(operation.outputs.size())),
                    SpanKind::Faint);
}

/// x, what else goes in, the weights, the bias.
int operandRank(const QString &name)
{
    return name == QLatin1String("x")                 ? 0
           : name.startsWith(QLatin1String("weight")) ? 2
           : name.startsWith(QLatin1String("bias"))   ? 3
                                                      : 1;
}

} // namespace

std::vector<ProgramOperand> programOperands(const ProgramTree &tree, std::size_t row)
{
    const mil::Operation &operation = *tree.operation(row);
    std::vector<ProgramOperand> operands;
    SpanBuilder builder(tree, row);
    for (const mil::Argument &argument : operation.inputs) {
        ProgramOperand operand{fromUtf8(argument.name), {}, true};
        if (argument.values.size() == 1)
            builder.addValue(argument.values.front());
        else
            builder.addList(argument.values);
        operand.spans = builder.take();
        operand.attribute = std::ranges::all_of(operand.spans, [](const ProgramSpan &span) {
            return span.kind == SpanKind::Literal || span.text == QLatin1String("(") ||
                   span.text == QLatin1String(", ") || span.text == QLatin1String(")");
        });
        operands.push_back(std::move(operand));
    }
    std::ranges::stable_sort(operands, [](const ProgramOperand &a, const ProgramOperand &b) {
        return a.attribute != b.attribute
                   ? b.attribute
                   : !a.attribute && operandRank(a.name) < operandRank(b.name);
    });
    for (const mil::Argument &argument : operation.attributes) {
        // Older programs write the parts of a weight here, and the name of every operation.
        if (!operation.type.starts_with("constexpr_") || argument.name == "name" ||
            argument.values.size() != 1 || argument.values.front().reference())
            continue;
        builder.addValue(argument.values.front());
        operands.push_back({fromUtf8(argument.name), builder.take(), true});
    }
    // The file has them in the order of their names, with "axis" before the data it is of.
    std::stable_partition(
        operands.begin() + static_cast<std::ptrdiff_t>(operation.inputs.size()), operands.end(),
        [](const ProgramOperand &operand) { return operand.name != QLatin1String("axis"); });
    return operands;
}

QString programLiteral(const mil::Literal &literal)
{
    const QStringList words = literalWordsOf(literal);
    const bool cut = literal.count > static_cast<std::uint64_t>(words.size());
    if (literal.count == 1 && words.size() == 1)
        return words.front();
    if (words.isEmpty() && literal.count > 0)
        return Words::tr("(%1 values of %2)")
            .arg(groupedNumber(literal.count), fromUtf8(elementTypeName(literal.element)));
    QString text = QLatin1Char('[') + words.join(QStringLiteral(", "));
    if (!cut)
        return text + QLatin1Char(']');
    return text + Words::tr(", \u2026] (%1 values)").arg(groupedNumber(literal.count));
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
    case ProgramTree::Kind::Operation: appendOperation(builder, tree, row); break;
    case ProgramTree::Kind::Block:
        const mil::Block &block = operation->blocks[node.number];
        builder.add(Words::tr("block %1 ").arg(node.number), SpanKind::Keyword);
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

ProgramModel::ProgramModel(QObject *parent) : QAbstractItemModel(parent) {}

void ProgramModel::setTree(std::shared_ptr<const ProgramTree> tree)
{
    beginResetModel();
    m_tree = std::move(tree);
    endResetModel();
}

QModelIndex ProgramModel::indexOf(std::size_t node) const
{
    if (!m_tree || node >= m_tree->rows())
        return {};
    return createIndex(static_cast<int>(m_tree->node(node).place), 0, quintptr(node));
}

std::vector<ProgramSpan> ProgramModel::spans(const QModelIndex &index) const
{
    return m_tree && index.isValid() ? programSpans(*m_tree, nodeOf(index))
                                     : std::vector<ProgramSpan>();
}

QString ProgramModel::numberText(const QModelIndex &index) const
{
    const ProgramTree::Node node = m_tree->node(nodeOf(index));
    return node.kind == ProgramTree::Kind::Operation ? QString::number(node.number) : QString();
}

QModelIndex ProgramModel::index(int row, int column, const QModelIndex &parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    const auto place = static_cast<std::size_t>(row);
    return createIndex(
        row, column,
        quintptr(parent.isValid() ? m_tree->child(nodeOf(parent), place) : m_tree->root(place)));
}

QModelIndex ProgramModel::parent(const QModelIndex &index) const
{
    if (!index.isValid())
        return {};
    const std::size_t above = m_tree->node(nodeOf(index)).parent;
    return above == ProgramTree::kNone ? QModelIndex() : indexOf(above);
}

int ProgramModel::rowCount(const QModelIndex &parent) const
{
    if (!m_tree || parent.column() > 0)
        return 0;
    return static_cast<int>(parent.isValid() ? m_tree->node(nodeOf(parent)).children
                                             : m_tree->roots());
}

QVariant ProgramModel::data(const QModelIndex &index, int role) const
{
    if (!m_tree || !index.isValid())
        return {};
    if (role == Qt::DisplayRole || role == CopyRole || role == Qt::AccessibleTextRole)
        return programText(spans(index));
    return {};
}

} // namespace kernscope::ui

#include "moc_program_model.cpp"
