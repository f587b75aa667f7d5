// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"
#include "tests/data/data_folder.h"

using namespace miltest;

namespace {

mil::ParsedProgram readFile(const QString &path)
{
    const QByteArray raw = contentOf(path);
    return path.endsWith(u".mil"_s) ? mil::readProgramText(asSpan(raw), "model.mil")
                                    : mil::readModelProtobuf(asSpan(raw), "model.mlmodel");
}

QString modelOf(const QString &package)
{
    const auto path = mil::modelPathFromManifest(asSpan(contentOf(package + u"/Manifest.json"_s)),
                                                 "Manifest.json");
    return path ? package + QLatin1Char('/') + QString::fromStdString(*path) : QString();
}

template <class Visit>
void eachOperation(const mil::Block &block, const Visit &visit)
{
    for (const mil::Operation &operation : block.operations) {
        visit(operation);
        for (const mil::Block &nested : operation.blocks)
            eachOperation(nested, visit);
    }
}

template <class Visit>
void eachOperation(const mil::Program &program, const Visit &visit)
{
    for (const mil::Function &function : program.functions)
        eachOperation(function.body, visit);
}

/// Every operand that lies in a weight file, as "type@path+offset".
QMap<QByteArray, int> blobsOf(const mil::Program &program)
{
    QMap<QByteArray, int> blobs;
    eachOperation(program, [&blobs](const mil::Operation &operation) {
        for (const auto *arguments : {&operation.inputs, &operation.attributes}) {
            for (const mil::Argument &argument : *arguments) {
                for (const mil::ProgramValue &value : argument.values) {
                    if (value.blob())
                        ++blobs[shown(value)];
                }
            }
        }
    });
    return blobs;
}

} // namespace

/// Programs that other tools wrote.
class TestMilReal : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void programs_data() { addPaths({u"model.mil"_s, u"*.mlmodel"_s}); }

    void programs()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto parsed = readFile(path);
        for (const Diagnostic &d : parsed.diagnostics)
            QFAIL(describe(d.error).c_str());
        QVERIFY(!parsed.program.functions.empty());
        for (const mil::Function &function : parsed.program.functions) {
            QVERIFY(function.opset.starts_with("ios"));
            QVERIFY(!function.inputs.empty());
            QVERIFY(!function.body.outputs.empty());
        }
        QVERIFY(!blobsOf(parsed.program).isEmpty());
    }

    void spans_data() { programs_data(); }

    /// What the spans cover is what the values say.
    void spans()
    {
        QFETCH(QString, path);
        const QByteArray raw = contentOf(path);
        const bool text = path.endsWith(u".mil"_s);
        const auto at = [&raw](mil::SourceSpan span) {
            return raw.mid(qsizetype(span.offset), qsizetype(span.length));
        };
        int checked = 0;
        eachOperation(readFile(path).program, [&](const mil::Operation &operation) {
            for (const mil::Argument &argument : operation.attributes) {
                const mil::ProgramValue &value = argument.values.front();
                for (std::size_t i = 0; text && i < value.type.dims.size(); ++i)
                    QCOMPARE(at(value.type.dimSpans[i]).toLongLong(), qint64(value.type.dims[i]));
                if (text && value.blob())
                    QCOMPARE(at(value.blob()->offsetSpan).toULongLong(),
                             quint64(value.blob()->offset));
                if (const mil::Literal *literal = value.literal(); literal && literal->packedSpan)
                    QCOMPARE(at(literal->elementSpans[0]),
                             QByteArray::fromHex(hexOf(literal->bytes)));
                ++checked;
            }
        });
        QVERIFY(checked > 0);
    }

    void twins_data()
    {
        addColumns<QString, QString>();
        const QDir data(dataFolder());
        for (const QString &package : pathsBelow(data.path(), {u"*.mlpackage"_s})) {
            const QString twin = package.chopped(7) + u"modelc/model.mil"_s;
            if (QFile::exists(twin))
                addRow(qPrintable(data.relativeFilePath(package)), twin, package);
        }
    }

    /// The compiled bundle and the package of one network: the same weights in the same places, the
    /// same operations, the same constants.
    void twins()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        const auto [text, package] = fetched<QString, QString>();
        const auto compiled = readFile(text);
        const auto packed = readFile(modelOf(package));
        QVERIFY(blobsOf(compiled.program).size() > 5);
        QCOMPARE(blobsOf(compiled.program), blobsOf(packed.program));
        const auto operations = [](const mil::Program &program) {
            QMap<QByteArray, QByteArray> found;
            eachOperation(program, [&found](const mil::Operation &operation) {
                QByteArrayList attributes, outputs;
                for (const mil::Argument &argument : operation.attributes)
                    attributes << QByteArray::fromStdString(argument.name) + "=" +
                                      shown(argument.values.front());
                for (const mil::NamedType &output : operation.outputs)
                    outputs << shown(output.type);
                std::ranges::sort(attributes);
                found[QByteArray::fromStdString(operation.displayName())] =
                    QByteArray::fromStdString(operation.type) + " " + outputs.join(',') + " " +
                    attributes.join(';');
            });
            return found;
        };
        const auto a = operations(compiled.program);
        const auto b = operations(packed.program);
        QCOMPARE(a.keys(), b.keys());
        for (auto it = a.begin(); it != a.end(); ++it)
            QCOMPARE(it.value(), b.value(it.key()));
    }

    void expectedWeights_data()
    {
        addColumns<QString, QString>();
        const QDir data(dataFolder());
        for (const QString &path : pathsBelow(data.path(), {u"*expected.json"_s})) {
            const QStringList programs{path.chopped(int(qstrlen(".expected.json"))) +
                                           u"/model.mil"_s,
                                       QFileInfo(path).path() + u"/model.mil"_s};
            for (const QString &program : programs) {
                if (QFile::exists(program))
                    addRow(qPrintable(data.relativeFilePath(program)), program, path);
            }
        }
    }

    /// Every weight of the answers is an output of that type, and its parts are operands of it.
    void expectedWeights()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        const auto [program, expected] = fetched<QString, QString>();
        const auto parsed = readFile(program);
        QMap<QString, QByteArray> outputs;
        QSet<QByteArray> places;
        eachOperation(parsed.program, [&](const mil::Operation &operation) {
            for (const mil::NamedType &output : operation.outputs)
                outputs[QString::fromStdString(output.name)] = shown(output.type);
        });
        const auto blobs = blobsOf(parsed.program);
        for (auto it = blobs.begin(); it != blobs.end(); ++it)
            places.insert(it.key().mid(it.key().lastIndexOf('+') + 1));
        const QJsonObject answer = QJsonDocument::fromJson(contentOf(expected)).object();
        const QJsonArray weights = answer[u"weights"_s].toArray();
        QVERIFY(!weights.isEmpty());
        for (const QJsonValue &weight : weights) {
            QByteArrayList dims;
            for (const QJsonValue &extent : weight[u"shape"_s].toArray())
                dims << QByteArray::number(extent.toInteger());
            QCOMPARE(outputs.value(weight[u"name"_s].toString()),
                     weight[u"dtype"_s].toString().toUtf8() + "[" + dims.join(',') + "]");
            for (const QJsonValue &part : weight[u"parts"_s].toArray()) {
                const QJsonValue offset = part[u"meta_offset"_s];
                QVERIFY(!offset.isDouble() ||
                        places.contains(QByteArray::number(offset.toInteger())));
            }
        }
    }

    /// Six of the twelve weights of this network sit inside while_loop bodies.
    void loopBodies()
    {
        const QString package = dataPath(u"real/dtln/DTLN_AEC_128_Part1.mlpackage"_s);
        KERNSCOPE_NEEDS(package);
        const auto parsed = readFile(modelOf(package));
        QCOMPARE(blobsOf(parsed.program).size(), 12);
        mil::Program outside = parsed.program;
        for (mil::Operation &operation : outside.functions.at(0).body.operations)
            operation.blocks.clear();
        QCOMPARE(blobsOf(outside).size(), 6);
    }
};

KERNSCOPE_TEST(TestMilReal, NoApplication)
#include "tst_mil_real.moc"
