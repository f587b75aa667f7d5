// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/infer.h"
#include "core/bundle/shapes/rules.h"
#include "tests/data/data_folder.h"

namespace {

void erase(mil::ValueType &type)
{
    if (type.isTensor())
        std::fill(type.dims.begin(), type.dims.end(), mil::kUnknownExtent);
}

void erase(mil::Block &block)
{
    for (mil::NamedType &input : block.inputs)
        erase(input.type);
    for (mil::Operation &operation : block.operations) {
        for (mil::NamedType &output : operation.outputs)
            erase(output.type);
        for (mil::Block &body : operation.blocks)
            erase(body);
    }
}

/// How many values have the declared shape again, and what went wrong.
struct Coverage {
    std::size_t same = 0, open = 0; ///< of values whose declared extents are all numbers
    std::size_t inferred = 0;       ///< whose extents were erased and are known again
    QStringList wrong;
};

void compare(const mil::Block &before, const mil::Block &after, Coverage &coverage)
{
    for (std::size_t i = 0; i < before.operations.size(); ++i) {
        const mil::Operation &a = before.operations[i], &b = after.operations[i];
        for (std::size_t at = 0; at < a.outputs.size(); ++at) {
            const mil::ValueType &declared = a.outputs[at].type, &found = b.outputs[at].type;
            if (!declared.isTensor())
                continue;
            const bool known = found.shape().has_value();
            coverage.inferred += known && !found.dims.empty() ? 1 : 0;
            if (!declared.shape())
                continue;
            coverage.open += known ? 0 : 1;
            coverage.same += declared.dims == found.dims ? 1 : 0;
            if (known && declared.dims != found.dims)
                coverage.wrong += QString::fromStdString(a.displayName() + " (" + a.type + ")");
        }
        for (std::size_t body = 0; body < a.blocks.size(); ++body)
            compare(a.blocks[body], b.blocks[body], coverage);
    }
}

} // namespace

/// Real programs with every extent erased: bound to their own input shapes, they have them again.
class TestShapesData : public QObject
{
    Q_OBJECT

private slots:
    void erased_data()
    {
        test::addPaths({u"*.mil"_s, u"*.mlmodel"_s},
                       {test::dataFolder(), test::dataFolder() + u"/../samples"_s});
    }

    void erased()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const auto whole = (*bundle)->program();
        const mil::Program &before = *whole;
        mil::Program program = before;
        std::vector<shapes::ShapeBinding> bindings;
        for (mil::Function &function : program.functions) {
            const bool called = function.name.starts_with("main_");
            for (mil::NamedType &input : function.inputs) {
                if (!input.type.isTensor())
                    continue;
                std::string address = function.model.empty() ? "" : function.model + "/";
                address += function.name + "/" + input.name;
                if (!called)
                    bindings.push_back({std::move(address), input.type.dims});
                erase(input.type);
            }
            erase(function.body);
        }
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings, "model"));
        Coverage coverage;
        for (std::size_t i = 0; i < program.functions.size(); ++i)
            compare(before.functions[i].body, program.functions[i].body, coverage);
        std::string behind;
        for (const shapes::Open &open : summary->unknown) {
            behind += " " + open.type;
            QVERIFY2(shapes::ruleOf(open.type) == nullptr,
                     (open.operation + " (" + open.type + "): " + open.reason).c_str());
        }
        qInfo("%zu of %zu shapes follow from the inputs; open behind%s", coverage.same,
              coverage.same + coverage.open, behind.empty() ? " none" : behind.c_str());
        QVERIFY(coverage.open == 0 || !behind.empty());
        QVERIFY2(coverage.wrong.isEmpty(), qPrintable(coverage.wrong.join(u", ")));
        QCOMPARE(summary->conflicts, std::size_t(0));
        QCOMPARE(summary->inferred, coverage.inferred);
    }
};

KERNSCOPE_TEST(TestShapesData, QCoreApplication)
#include "tst_shapes_data.moc"
