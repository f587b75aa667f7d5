// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest> // first: moc 6.4 stumbles over <concepts> otherwise

// Core AI packages: edits in place and through the writer, other forms.
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "core/container/aimodel/package.h"
#include "core/patch/edit/edit.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/module_reencoder.h"
#include "core/patch/reencode/reencode.h"
#include "made_module.h"
#include "tests/data/data_folder.h"
#include "tests/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QTemporaryDir>

using namespace kernscope;
using codec::FormSpec;

namespace {

/// A folder NAME.aimodel of the module.
QString writePackage(const QTemporaryDir &dir, const test::Bytes &module)
{
    const QString path = dir.filePath(QStringLiteral("made.aimodel"));
    QDir().mkpath(path);
    Sha256 sum;
    sum.update(module);
    const auto digest = *sum.finish();
    const auto write = [&path](const char *name, const void *data, std::size_t size) {
        QFile file(path + u'/' + QString::fromUtf8(name));
        return file.open(QIODevice::WriteOnly) &&
               file.write(static_cast<const char *>(data), qint64(size)) == qint64(size);
    };
    const std::string metadata = R"({"assetVersion" : "2.0", "producer" : "made"})";
    return write("main.mlirb", module.data(), module.size()) &&
                   write("main.hash", digest.data(), digest.size()) &&
                   write("metadata.json", metadata.data(), metadata.size())
               ? path
               : QString();
}

std::vector<float> valuesOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    std::vector<float> values(decoder ? decoder->elements().value : 0);
    if (decoder)
        decoder->decodeFloat(0, values);
    return values;
}

std::size_t scaledWeight(const Bundle &bundle)
{
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (bundle.weights()[i].shape.size() == 2)
            return i;
    }
    return kNoIndex;
}

std::optional<Error> hashFault(const Bundle &bundle)
{
    const auto module = bundle.fileByPath("main.mlirb"), hash = bundle.fileByPath("main.hash");
    return aimodel::hashFinding(bundle.files()[*module].file->bytes(),
                                bundle.files()[*hash].file->bytes());
}

std::vector<FormSpec> someForms()
{
    std::vector<FormSpec> forms(9);
    forms[1].node = forms[2].node = FormNode::Affine;
    forms[2].affine = {ElementType::Uint8, std::nullopt, false};
    forms[3].node = forms[4].node = forms[5].node = FormNode::Palette;
    forms[4].palette = {2, 2, 2};
    forms[5].palette = {3, 1, 1, ElementType::Int8};
    forms[6].node = FormNode::Sparse;
    forms[6].density = 0.25;
    forms[7].node = forms[8].node = FormNode::Blockwise;
    forms[7].blockwise = {ElementType::Int8, 4, 1, false};
    forms[8].blockwise = {ElementType::Uint4, 2, 1, true};
    FormSpec joint;
    joint.node = FormNode::Sparse;
    joint.density = 0.5;
    joint.survivors = FormNode::Palette;
    joint.palette = {4, 1, 1};
    forms.push_back(joint);
    joint.survivors = FormNode::Blockwise;
    joint.blockwise = {ElementType::Int8, 2, 1, false};
    forms.push_back(joint);
    return forms;
}

} // namespace

class TestAimodelEdits : public QObject
{
    Q_OBJECT

private slots:
    void hashFollows();
    void copyHasItsHash();
    void splatsGetBytesOfTheirOwn();
    void everyForm();
    void paths();
    void peers_data();
    void peers();
};

/// main.hash is written with the module, in one journalled save, and is in its list.
void TestAimodelEdits::hashFollows()
{
    const QTemporaryDir dir;
    const QString path = writePackage(dir, test::madeWeights().bytes());
    const auto opened = Bundle::open(path.toStdString());
    QVERIFY2(opened, opened ? "" : describe(opened.error()).c_str());
    BundlePtr bundle = *opened;
    QVERIFY(!hasErrors(bundle->diagnostics()));
    const std::size_t weight = scaledWeight(*bundle);
    QVERIFY(weight != kNoIndex);
    const std::string name = bundle->weights()[weight].findableName();
    const auto edit = parseEdit(Edit::Kind::SetStored, name + ":data[5]=-3");
    QVERIFY(edit);
    const auto planned = planEdits(bundle, {*edit}, 0);
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    for (const AppliedEdit &each : *planned)
        bundle = *applyEdit(bundle, each);
    const auto pending = pendingRanges(*bundle);
    QCOMPARE(pending.size(), std::size_t(2));
    QCOMPARE(pending[0].file, std::string("main.hash"));
    QCOMPARE(pending[0].range.bytes.value, std::uint64_t(32));
    QCOMPARE(pending[1].file, std::string("main.mlirb"));
    QCOMPARE(pending[1].range.bytes.value, std::uint64_t(1));
    const auto saved = saveInPlace(*bundle, SaveOptions());
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(saved->ranges.size() >= 2 && saved->verified);
    QVERIFY(std::any_of(saved->ranges.begin(), saved->ranges.end(),
                        [](const WrittenRange &each) { return each.file == "main.hash"; }));
    QVERIFY(!hashFault(*bundle)); // what is shown is what is on the disk
    QVERIFY(pendingRanges(*bundle).empty());
    const auto again = Bundle::open(path.toStdString());
    QVERIFY(again && !hashFault(**again));
    QCOMPARE(valuesOf(**again, weight)[5], -1.5F);
    // The next save follows as well.
    const auto back = parseEdit(Edit::Kind::SetStored, name + ":data[5]=7");
    const auto second = planEdits(bundle, {*back}, 0);
    QVERIFY(second);
    bundle = *applyEdit(bundle, second->front());
    QVERIFY(saveInPlace(*bundle, SaveOptions()));
    QVERIFY(!hashFault(**Bundle::open(path.toStdString())));
}

void TestAimodelEdits::copyHasItsHash()
{
    const QTemporaryDir dir;
    const QString path = writePackage(dir, test::madeWeights().bytes());
    BundlePtr bundle = *Bundle::open(path.toStdString());
    const std::size_t weight = scaledWeight(*bundle);
    const auto edit =
        parseEdit(Edit::Kind::SetStored, bundle->weights()[weight].findableName() + ":data[0]=1");
    const auto planned = planEdits(bundle, {*edit}, 0);
    QVERIFY(planned);
    bundle = *applyEdit(bundle, planned->front());
    const QString copy = dir.filePath(QStringLiteral("copy.aimodel"));
    const auto saved = saveCopy(*bundle, copy.toStdString());
    QVERIFY2(saved, saved ? "" : describe(saved.error()).c_str());
    QVERIFY(!hashFault(**Bundle::open(copy.toStdString())));
    QVERIFY(!hashFault(**Bundle::open(path.toStdString()))); // that of the old module
}

/// The scales are one element: in place nothing can change, the writer gives each one its own.
void TestAimodelEdits::splatsGetBytesOfTheirOwn()
{
    const QTemporaryDir dir;
    const QString path = writePackage(dir, test::madeWeights().bytes());
    const BundlePtr bundle = *Bundle::open(path.toStdString());
    const std::size_t weight = scaledWeight(*bundle);
    const auto edit =
        parseEdit(Edit::Kind::Scale, bundle->weights()[weight].findableName() + "[3]=2");
    QVERIFY2(edit, edit ? "" : describe(edit.error()).c_str());
    const auto refused = planEdits(bundle, {*edit}, 0);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("patch.shared"));
    const auto own = patch::withOwnConstants(*bundle, {*edit});
    QVERIFY2(own, own ? "" : describe(own.error()).c_str());
    QVERIFY(own->bundle);
    QCOMPARE(own->notes.size(), std::size_t(1));
    QVERIFY(!hashFault(*own->bundle));
    QCOMPARE(valuesOf(*own->bundle, weight), valuesOf(*bundle, weight));
    const auto planned = planEdits(own->bundle, {*edit}, 0);
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    const BundlePtr changed = *applyEdit(own->bundle, planned->front());
    auto expected = valuesOf(*bundle, weight);
    for (std::size_t i = 48; i < 64; ++i)
        expected[i] *= 4;
    QCOMPARE(valuesOf(*changed, weight), expected);
    // What belongs to one weight alone stays where it is.
    const auto code =
        parseEdit(Edit::Kind::SetStored, bundle->weights()[weight].findableName() + ":data[3]=2");
    QVERIFY(!patch::withOwnConstants(*bundle, {*code})->bundle);
}

void TestAimodelEdits::everyForm()
{
    const QTemporaryDir dir;
    const QString path = writePackage(dir, test::madeWeights().bytes());
    const BundlePtr bundle = *Bundle::open(path.toStdString());
    const std::size_t weight = scaledWeight(*bundle);
    const auto values = valuesOf(*bundle, weight);
    for (const FormSpec &form : someForms()) {
        const auto encoded = codec::encodeForm(values, bundle->weights()[weight].shape, form);
        QVERIFY2(encoded, encoded ? "" : describe(encoded.error()).c_str());
        const auto made = reencodeWeight(*bundle, weight, *encoded);
        QVERIFY2(made, made ? "" : (describe(form) + ": " + describe(made.error())).c_str());
        QVERIFY(!hasErrors((*made)->diagnostics()));
        QVERIFY(!hashFault(**made));
        QCOMPARE((*made)->weights().size(), bundle->weights().size());
        QCOMPARE((*made)->weights()[weight].name, bundle->weights()[weight].name);
    }
}

void TestAimodelEdits::paths()
{
    test::MadeModule made = test::madeWeights();
    const std::uint64_t next = made.attributes.size();
    made.attributes[0] = test::varints(
        {32, made.string("py"), next, made.string("x"), 0, made.string(""), 2, next, next + 1});
    made.attribute({30, made.string("/Users/me/model.py"), made.string(""), made.string("")});
    made.attribute({30, made.string("/Users/me"), made.string(""), made.string("")});
    const QTemporaryDir dir;
    const QString path = writePackage(dir, made.bytes());
    BundlePtr bundle = *Bundle::open(path.toStdString());
    const auto edits = patch::blankPathEdits(*bundle);
    QCOMPARE(edits.size(), std::size_t(2));
    const auto planned = planEdits(bundle, edits, 0);
    QVERIFY2(planned, planned ? "" : describe(planned.error()).c_str());
    for (const AppliedEdit &each : *planned)
        bundle = *applyEdit(bundle, each);
    const auto bytes = bundle->files()[*bundle->fileByPath("main.mlirb")].file->bytes();
    const QByteArray text(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()));
    QVERIFY(!text.contains("Users"));
    QVERIFY(text.contains("          model.py"));
    QVERIFY(patch::blankPathEdits(*bundle).empty());
}

void TestAimodelEdits::peers_data()
{
    QTest::addColumn<QString>("path");
    const QString root = test::dataPath(QStringLiteral("../peers/coreai"));
    QDirIterator packages(root, {QStringLiteral("*.aimodel")}, QDir::Dirs,
                          QDirIterator::Subdirectories);
    while (packages.hasNext()) {
        const QString path = packages.next();
        QTest::newRow(qPrintable(path.section(u'/', -1))) << path;
    }
}

/// Every weight of the vendor's packages in every form that it can have.
void TestAimodelEdits::peers()
{
    KERNSCOPE_SKIP_WITHOUT_ROWS();
    QFETCH(QString, path);
    const auto opened = Bundle::open(path.toStdString());
    QVERIFY(opened);
    const BundlePtr bundle = *opened;
    for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
        const Weight &weight = bundle->weights()[i];
        const bool half = weight.type == ElementType::Fp16,
                   single = weight.type == ElementType::Fp32;
        const auto values = valuesOf(*bundle, i);
        if (weight.fault || (!half && !single) || values.size() < 2 || values.size() > 3000)
            continue;
        const auto forms = someForms(); // three each: all of them over all weights
        for (std::size_t f = i % 4; f < forms.size(); f += 4) {
            FormSpec form = forms[f];
            form.denseType = weight.type;
            auto encoded = codec::encodeForm(values, weight.shape, form);
            if (!encoded) // blocks that do not divide an extent, an axis that it does not have
                continue;
            if (single)
                codec::widenToFp32(*encoded);
            const auto made = reencodeWeight(*bundle, i, *encoded);
            QVERIFY2(made,
                     made ? ""
                          : (weight.name + ", " + describe(form) + ": " + describe(made.error()))
                                .c_str());
        }
    }
}

KERNSCOPE_TEST(TestAimodelEdits, QCoreApplication)
#include "tst_aimodel_edits.moc"
