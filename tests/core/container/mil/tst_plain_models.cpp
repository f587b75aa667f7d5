// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up models of coremltools' messages: trees, a linear model, support vectors.
#include "core/container/mil/plain_models.h"

#include "core/container/mil/reader.h"
#include "proto_builder.h"
#include "tests/test_program.h"

using prototest::bytes;
using prototest::number;

namespace {

QByteArray doubles(const std::vector<double> &values)
{
    return {reinterpret_cast<const char *>(values.data()), qsizetype(values.size() * 8)};
}

/// A field of eight bytes.
QByteArray real(quint32 field, double value)
{
    return prototest::varint(field << 3 | 1) + doubles({value});
}

std::vector<mil::NumberTable> tablesOf(const QByteArray &raw)
{
    const auto all = std::as_bytes(std::span(raw.constData(), std::size_t(raw.size())));
    const mil::ParsedProgram parsed = mil::readModelProtobuf(all, "m.mlmodel");
    std::vector<mil::NumberTable> tables;
    bool cut = false;
    for (const mil::ModelNode &node : parsed.program.models) {
        auto own = mil::numberTables(all, node, "m.mlmodel", cut);
        std::move(own.begin(), own.end(), std::back_inserter(tables));
    }
    return tables;
}

using Rows = std::vector<std::vector<double>>;

} // namespace

class TestPlainModels : public QObject
{
    Q_OBJECT

private slots:
    void trees()
    {
        const QByteArray branch = number(1, 0) + number(2, 0) + number(3, 1) + number(10, 4) +
                                  real(11, 2.5) + number(12, 1) + number(13, 2);
        const QByteArray leaf =
            number(2, 1) + number(3, 6) + bytes(20, number(1, 0) + real(2, -0.5));
        const auto tables = tablesOf(
            number(1, 1) +
            bytes(302, bytes(1, bytes(1, branch) + bytes(1, leaf) + bytes(3, doubles({1.5}))) +
                           number(2, 2)));
        QCOMPARE(tables.size(), 4U);
        QCOMPARE(tables[0].name, "nodes");
        QCOMPARE(tables[0].rows[0], (Rows::value_type{0, 0, 1, 4, 2.5, 1, 2, 0, 0}));
        const auto &end = tables[0].rows[1]; // a leaf: it has no branch
        QCOMPARE(Rows::value_type(end.begin(), end.begin() + 3), (Rows::value_type{0, 1, 6}));
        QCOMPARE(std::count_if(end.begin(), end.end(), [](double n) { return std::isnan(n); }), 5);
        QCOMPARE(tables[0].columns.size(), tables[0].rows[0].size());
        QCOMPARE(tables[1].rows, (Rows{{0, 1, 0, -0.5}}));
        QCOMPARE(tables[2].rows, (Rows{{1.5}}));
        QCOMPARE(tables[3].name, "post-evaluation transform (Regression_Logistic)");
        QCOMPARE(tables[3].rows, (Rows{{2}}));
    }

    void linear()
    {
        const auto tables =
            tablesOf(number(1, 1) + bytes(300, bytes(1, bytes(1, doubles({1, 2}))) +
                                                   bytes(1, real(1, 3) + real(1, 4)) +
                                                   bytes(2, doubles({0.5, -0.5}))));
        QCOMPARE(tables.size(), 3U);
        QCOMPARE(tables[0].rows, (Rows{{1, 2}, {3, 4}}));
        QCOMPARE(tables[1].rows, (Rows{{0.5, -0.5}}));
        QCOMPARE(tables[2].name, "post-evaluation transform (NoTransform)");
        const auto classes = tablesOf(number(1, 1) + bytes(400, number(3, 7) + number(4, 1)));
        QCOMPARE(classes.size(), 2U);
        QCOMPARE(classes[0].name, "post-evaluation transform (unknown)");
        QCOMPARE(classes[1].name, "class encoding (OneVsRest)");
    }

    void vectors()
    {
        const auto dense = tablesOf(
            number(1, 1) + bytes(301, bytes(3, bytes(1, bytes(1, doubles({1, 2})))) +
                                          bytes(4, bytes(1, doubles({0.25}))) + real(5, -1)));
        QCOMPARE(dense.size(), 3U);
        QCOMPARE(dense[0].rows, (Rows{{1, 2}}));
        QCOMPARE(dense[1].rows, (Rows{{0.25}}));
        QCOMPARE(dense[2].rows, (Rows{{-1}}));
        const auto sparse = tablesOf(
            number(1, 1) + bytes(401, bytes(3, bytes(1, bytes(1, number(1, 3) + real(2, 0.5)))) +
                                          bytes(6, doubles({7}))));
        QCOMPARE(sparse.size(), 2U);
        QCOMPARE(sparse[0].rows, (Rows{{3, 0.5}}));
        QCOMPARE(sparse[1].rows, (Rows{{7}}));
    }

    /// What a support vector machine has beside its vectors; a rho of 0 is left out on the wire.
    void kernels()
    {
        const auto regressor =
            tablesOf(number(1, 1) +
                     bytes(301, bytes(1, bytes(3, number(1, 3) + real(2, 0.5) + real(3, 0.25))) +
                                    bytes(4, bytes(1, doubles({0.25})))));
        QCOMPARE(regressor.size(), std::size_t(3));
        QCOMPARE(regressor[0].name, "kernel (polynomial)");
        QCOMPARE(regressor[0].columns, (std::vector<std::string>{"degree", "c", "gamma"}));
        QCOMPARE(regressor[0].rows, (Rows{{3, 0.5, 0.25}}));
        QCOMPARE(regressor[2].name, "rho");
        QCOMPARE(regressor[2].rows, (Rows{{0}}));
        const auto classifier =
            tablesOf(number(1, 1) +
                     bytes(401, bytes(1, bytes(1, {})) + bytes(2, QByteArray("\x02\x81\x01", 3)) +
                                    number(2, 5) + bytes(6, doubles({7})) +
                                    bytes(7, doubles({1, 2})) + real(8, 3)));
        QCOMPARE(classifier.size(), std::size_t(5));
        QCOMPARE(classifier[0].name, "kernel (linear)");
        QCOMPARE(classifier[0].rows, (Rows{{}}));
        QCOMPARE(classifier[1].name, "rho");
        QCOMPARE(classifier[2].name, "support vectors per class");
        QCOMPARE(classifier[2].rows, (Rows{{2, 129, 5}}));
        QCOMPARE(classifier[3].rows, (Rows{{1, 2}}));
        QCOMPARE(classifier[4].rows, (Rows{{3}}));
    }

    /// The second model of a pipeline, and of a damaged one what comes before the fault.
    void inPipeline()
    {
        const QByteArray member = number(1, 1) + bytes(300, bytes(1, bytes(1, doubles({9}))));
        const QByteArray pipeline =
            number(1, 1) + bytes(202, bytes(1, number(1, 1) + bytes(300, {})) + bytes(1, member));
        const auto tables = tablesOf(pipeline);
        QCOMPARE(tables.size(), 3U); // the first model has a transform alone
        QCOMPARE(tables[1].rows, (Rows{{9}}));
        QVERIFY(!tables[1].model.empty());
        tablesOf(pipeline.left(pipeline.size() - 5));
    }
};

KERNSCOPE_TEST(TestPlainModels, NoApplication)
#include "tst_plain_models.moc"
