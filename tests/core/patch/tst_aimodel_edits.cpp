// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages: edits in place and through the writer, other forms.
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/codec/decode/decoder.h"
#include "core/container/aimodel/package.h"
#include "core/container/mil/program.h"
#include "core/patch/patch.h"
#include "core/patch/reencode/module_reencoder.h"
#include "made_coreai.h"
#include "resources/sample.h"
#include "tests/core/patch/form_rows.h"
#include "tests/data/data_folder.h"

using codec::FormSpec;

namespace {

/// A folder NAME.aimodel of the module.
QString writePackage(const QTemporaryDir &dir, const Bytes &module)
{
    const QString path = dir.filePath(u"made.aimodel"_s);
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

struct KeptPlaces {
    std::vector<std::uint64_t> kept, left;
};

KeptPlaces placesOf(const codec::Decoder &decoder)
{
    KeptPlaces places;
    for (std::uint64_t i = 0; i < decoder.elements().value; ++i)
        (decoder.stored(i) ? places.kept : places.left).push_back(i);
    return places;
}

Edit maskEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element,
              std::optional<float> value)
{
    const std::string place =
        bundle.weights()[weight].findableName() + "[" + std::to_string(element) + "]";
    return value ? *parseEdit(Edit::Kind::Keep, place + "=" + std::to_string(*value))
                 : *parseEdit(Edit::Kind::Drop, place);
}

/// What is wrong with the edits made on the bundle: nothing but the elements named may change.
std::string faultOfMask(const BundlePtr &bundle, std::size_t weight, const std::vector<Edit> &edits,
                        const std::vector<std::uint64_t> &named, std::uint64_t kept)
{
    const auto before = valuesOf(*bundle, weight); // edits lie over its files as well
    const auto own = patch::withOwnConstants(*bundle, edits, 1e3);
    if (!own)
        return describe(own.error());
    const auto planned = planEdits(own->bundle ? own->bundle : bundle, edits, 1e3);
    if (!planned)
        return describe(planned.error());
    BundlePtr changed = own->bundle ? own->bundle : bundle->reread().value_or(nullptr);
    for (const AppliedEdit &each : *planned)
        changed = *applyEdit(changed, each);
    const auto decoder = changed->decoder(weight);
    if (!decoder || !decoder->verify().empty() || hasErrors(changed->diagnostics()))
        return "the changed weight is not sound";
    if (decoder->payloadElements().value != kept || placesOf(*decoder).kept.size() % kept != 0)
        return "another number is kept";
    if (changed->weights()[weight].name != bundle->weights()[weight].name)
        return "another name";
    const auto changes = [&](const std::vector<std::uint64_t> &meant) -> std::string {
        const auto after = valuesOf(*changed, weight);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool same =
                before[i] == after[i] || (std::isnan(before[i]) && std::isnan(after[i]));
            if (!same && std::ranges::find(meant, i) == meant.end())
                return "element " + std::to_string(i) + " has changed";
        }
        return {};
    };
    if (auto fault = changes(named); !fault.empty())
        return fault;
    if (hashFault(*changed) && own->bundle)
        return "the hash is of another module";
    for (auto each = planned->rbegin(); each != planned->rend(); ++each)
        changed = *revertEdit(changed, *each);
    return own->bundle ? std::string() : changes({});
}

/// The same of elements that are dropped, and of some that are kept with 0.5.
std::string faultOfPlaces(const BundlePtr &bundle, std::size_t weight, std::uint64_t kept,
                          const std::vector<std::uint64_t> &drops,
                          const std::vector<std::uint64_t> &keeps)
{
    std::vector<Edit> edits;
    for (const std::uint64_t each : drops)
        edits.push_back(maskEdit(*bundle, weight, each, std::nullopt));
    for (const std::uint64_t each : keeps)
        edits.push_back(maskEdit(*bundle, weight, each, 0.5F));
    auto named = drops;
    named.insert(named.end(), keeps.begin(), keeps.end());
    return faultOfMask(bundle, weight, edits, named, kept - drops.size() + keeps.size());
}

/// The values of each weight after an edit of weight `index` through a copy ("scale[0]=2" of a
/// part, "[0]=2" of an element), or what refuses it.
Result<std::vector<std::vector<float>>> valuesAfter(const BundlePtr &bundle, std::size_t index,
                                                    Edit::Kind kind, const std::string &what)
{
    const std::string name = bundle->weights()[index].findableName();
    const auto edit = TRY(parseEdit(kind, name + what));
    const auto own = TRY(patch::withOwnConstants(*bundle, {edit}));
    const auto planned = TRY(planEdits(own.bundle ? own.bundle : bundle, {edit}, 0));
    const BundlePtr fork = own.bundle ? own.bundle : TRY(bundle->reread());
    const BundlePtr changed = TRY(applyEdit(fork, planned.front()));
    std::vector<std::vector<float>> all;
    for (std::size_t i = 0; i < changed->weights().size(); ++i)
        all.push_back(valuesOf(*changed, i));
    return all;
}

} // namespace

class TestAimodelEdits : public QObject
{
    Q_OBJECT

private slots:
    /// main.hash is written with the module, in one journalled save, and is in its list.
    void hashFollows_data()
    {
        const auto row = addColumns<QString>();
        row("the package", "");
        row("its module", "/main.mlirb");
    }

    /// Whether the package is opened or its module.
    void hashFollows()
    {
        const auto [member] = fetched<QString>();
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes()) + member;
        const auto opened = VERIFIED(Bundle::open(path.toStdString()));
        BundlePtr bundle = *opened;
        QVERIFY(!hasErrors(bundle->diagnostics()));
        const std::size_t weight = scaledWeight(*bundle);
        QVERIFY(weight != kNoIndex);
        const std::string name = bundle->weights()[weight].findableName();
        const auto edit = VERIFIED(parseEdit(Edit::Kind::SetStored, name + ":data[5]=-3"));
        const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
        for (const AppliedEdit &each : *planned)
            bundle = *applyEdit(bundle, each);
        const auto pending = pendingRanges(*bundle);
        QCOMPARE(pending.size(), 2U);
        QCOMPARE(pending[0].file, "main.hash");
        QCOMPARE(pending[0].range.bytes.value, 32U);
        QCOMPARE(pending[1].file, "main.mlirb");
        QCOMPARE(pending[1].range.bytes.value, 1U);
        const auto saved = VERIFIED(saveInPlace(*bundle, SaveOptions()));
        QVERIFY(saved->ranges.size() >= 2 && saved->verified);
        QVERIFY(std::ranges::any_of(
            saved->ranges, [](const WrittenRange &each) { return each.file == "main.hash"; }));
        QVERIFY(!hashFault(*bundle)); // what is shown is what is on the disk
        QVERIFY(pendingRanges(*bundle).empty());
        const auto again = Bundle::open(path.toStdString());
        QVERIFY(again && !hashFault(**again));
        QCOMPARE(valuesOf(**again, weight)[5], -1.5F);
        // The next save follows as well.
        const auto back = parseEdit(Edit::Kind::SetStored, name + ":data[5]=7");
        const auto second = VERIFIED(planEdits(bundle, {*back}, 0));
        bundle = *applyEdit(bundle, second->front());
        QVERIFY(saveInPlace(*bundle, SaveOptions()));
        QVERIFY(!hashFault(**Bundle::open(path.toStdString())));
    }

    /// A module that was opened by itself is copied by itself, in its length or another one.
    void moduleAlone()
    {
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes()) + u"/main.mlirb"_s;
        const BundlePtr bundle = *Bundle::open(path.toStdString());
        QCOMPARE(bundle->files().size(), 3U);
        const std::string name = bundle->weights()[scaledWeight(*bundle)].findableName();
        const QString copy = dir.filePath(u"copy.mlirb"_s);
        // A package is a folder on the disk and out of an archive.
        QVERIFY(copyKind(**Bundle::open(dir.filePath(u"made.aimodel"_s).toStdString())) ==
                OutputKind::Model);
        QVERIFY(copyKind(*bundle) == OutputKind::File);
        MadeCoreAi inMemory;
        inMemory.output({inMemory.constant({2}, test::Elem::F16, test::halves({1, 2}))});
        QVERIFY(copyKind(*inMemory.open()) == OutputKind::Model);
        for (const auto &edit : {*parseEdit(Edit::Kind::SetStored, name + ":data[5]=-3"),
                                 *parseEdit(Edit::Kind::Scale, name + "[3]=2")}) {
            const auto own = VERIFIED(patch::withOwnConstants(*bundle, {edit}));
            const BundlePtr from = own->bundle ? own->bundle : *Bundle::open(path.toStdString());
            const auto planned = VERIFIED(planEdits(from, {edit}, 0));
            const BundlePtr changed = *applyEdit(from, planned->front());
            const CopyOptions options{true, path.toStdString()};
            QVERIFY(copyKind(*changed, options) == OutputKind::File);
            const auto saved = VERIFIED(saveCopy(*changed, copy.toStdString(), nullptr, options));
            QVERIFY(QFileInfo(copy).isFile());
            for (const WrittenRange &range : saved->ranges)
                QCOMPARE(range.file, "main.mlirb");
            QVERIFY(!hasErrors(Bundle::open(copy.toStdString())->get()->diagnostics()));
        }
    }

    /// An element of what has none is refused for its index.
    void emptyConstants()
    {
        MadeCoreAi made;
        const auto empty = [&made] { return made.constant({0, 2}, test::Elem::F16, {}); };
        made.output({empty(), empty()});
        const BundlePtr bundle = made.open();
        QVERIFY(!bundle->weights().empty());
        const auto edit =
            *parseEdit(Edit::Kind::Set, bundle->weights()[0].findableName() + "[0]=5");
        QVERIFY(!VERIFIED(patch::withOwnConstants(*bundle, {edit}))->bundle);
        QCOMPARE(REFUSED(planEdits(bundle, {edit}, 0)).code, "patch.index");
    }

    void copyHasItsHash()
    {
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes());
        BundlePtr bundle = *Bundle::open(path.toStdString());
        const std::size_t weight = scaledWeight(*bundle);
        const auto edit = parseEdit(Edit::Kind::SetStored,
                                    bundle->weights()[weight].findableName() + ":data[0]=1");
        const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
        bundle = *applyEdit(bundle, planned->front());
        const QString copy = dir.filePath(u"copy.aimodel"_s);
        const auto saved = VERIFIED(saveCopy(*bundle, copy.toStdString()));
        QVERIFY(!hashFault(**Bundle::open(copy.toStdString())));
        QVERIFY(!hashFault(**Bundle::open(path.toStdString()))); // that of the old module
    }

    /// The scales are one element: in place nothing can change, the writer gives each one its own.
    void splatsGetBytesOfTheirOwn()
    {
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes());
        const BundlePtr bundle = *Bundle::open(path.toStdString());
        const std::size_t weight = scaledWeight(*bundle);
        const auto edit = VERIFIED(
            parseEdit(Edit::Kind::Scale, bundle->weights()[weight].findableName() + "[3]=2"));
        QCOMPARE(REFUSED(planEdits(bundle, {*edit}, 0)).code, "patch.shared");
        const auto own = VERIFIED(patch::withOwnConstants(*bundle, {*edit}));
        QVERIFY(own->bundle);
        QCOMPARE(own->notes.size(), 1U);
        QVERIFY(!hashFault(*own->bundle));
        QCOMPARE(valuesOf(*own->bundle, weight), valuesOf(*bundle, weight));
        const auto planned = VERIFIED(planEdits(own->bundle, {*edit}, 0));
        const BundlePtr changed = *applyEdit(own->bundle, planned->front());
        auto expected = valuesOf(*bundle, weight);
        for (std::size_t i = 48; i < 64; ++i)
            expected[i] *= 4;
        QCOMPARE(valuesOf(*changed, weight), expected);
        // What belongs to one weight alone stays where it is.
        const auto code = parseEdit(Edit::Kind::SetStored,
                                    bundle->weights()[weight].findableName() + ":data[3]=2");
        QVERIFY(!patch::withOwnConstants(*bundle, {*code})->bundle);
    }

    /// Offsets of fp8 data are 0, and one element stands for all of them: nothing else runs.
    void offsetsOfFp8()
    {
        using test::Elem, test::byteRow, test::halves;
        for (const std::uint64_t rows : {1U, 2U}) {
            MadeCoreAi made;
            const auto data = made.constant({2, 2}, Elem::E4m3, byteRow({0x38, 0x40, 0x30, 0x28}));
            const auto scale =
                made.constant({rows, 1}, Elem::F16, halves(std::vector<float>(rows, 2)));
            const auto offset = made.constant({rows, 1}, Elem::E4m3, byteRow({0}), true);
            const auto bias = made.constant({rows, 1}, Elem::F16, byteRow({0, 0}), true);
            made.output({made.scaled({data, scale, offset, bias}, {2, 2})});
            const BundlePtr bundle = made.open();
            const std::string name = bundle->weights()[0].findableName();
            const std::string last = "[" + std::to_string(rows - 1) + "]=";
            for (const char *part : {":bias", ":offset"}) {
                const Edit same = *parseEdit(Edit::Kind::SetStored, name + part + last + "0"),
                           other = *parseEdit(Edit::Kind::SetStored, name + part + last + "1");
                QVERIFY(!VERIFIED(patch::withOwnConstants(*bundle, {same}))->bundle);
                const auto planned = VERIFIED(planEdits(bundle, {same}, 0));
                QVERIFY(planned->front().bytes.empty());
                QCOMPARE(planned->front().oldText, planned->front().newText);
                const auto own = VERIFIED(patch::withOwnConstants(*bundle, {other}));
                const Error error =
                    REFUSED(planEdits(own->bundle ? own->bundle : bundle, {other}, 0));
                QCOMPARE(error.code, "patch.unrepresentable");
            }
        }
    }

    /// Of two scales the outer one is named, whatever the inner one is.
    /// Operations with a decomposition read one constant: the edited one gets its own, and stays.
    void codesOfTwoDequantizes()
    {
        using test::Elem, test::byteRow, test::halves;
        MadeCoreAi made;
        const auto codes = made.constant({2, 2}, Elem::Si8, byteRow({1, 2, 3, 4}));
        const auto scale = made.constant({}, Elem::F16, halves({0.5f}));
        const auto zero = made.constant({}, Elem::Si8, byteRow({0}));
        const auto bias = made.constant({}, Elem::F16, halves({0}));
        const auto axis = made.constant({2}, Elem::Si32, byteRow({0, 0, 0, 0, 1, 0, 0, 0}));
        std::vector<MadeCoreAi::Value> results;
        for (int i = 0; i < 2; ++i)
            results.push_back(made.operation("dequantize_v2", {codes, scale, zero, bias, axis},
                                             {2, 2}, Elem::F16, true));
        made.output(results);
        const BundlePtr bundle = VERIFIED(made.open());
        const Edit edit =
            *parseEdit(Edit::Kind::Set, bundle->weights()[1].findableName() + "[1,0]=4");
        const auto own = VERIFIED(patch::withOwnConstants(*bundle, {edit}));
        QVERIFY(own->bundle && !hasErrors(own->bundle->diagnostics()));
        const auto planned = VERIFIED(planEdits(own->bundle, {edit}, 0));
        const BundlePtr changed = *applyEdit(own->bundle, planned->front());
        QCOMPARE(valuesOf(*changed, 0), (std::vector<float>{0.5f, 1, 1.5f, 2}));
        QCOMPARE(valuesOf(*changed, 1), (std::vector<float>{0.5f, 1, 4, 2}));
    }

    void outerScale()
    {
        using test::Elem, test::byteRow, test::halves;
        MadeCoreAi made;
        const auto codes = made.constant({2, 2}, Elem::Si8, byteRow({1, 2, 3, 4}));
        const auto one = made.constant({2, 1}, Elem::F16, halves({1}), true);
        const auto zero = made.constant({2, 1}, Elem::Si8, byteRow({0}), true);
        const auto bias = made.constant({2, 1}, Elem::F16, byteRow({0, 0}), true);
        const auto inner = made.scaled({codes, one, zero, bias}, {2, 2});
        const auto scale = made.constant({2, 1}, Elem::F16, halves({2, 3}));
        made.output({made.scaled({inner, scale, bias, bias}, {2, 2})});
        const auto after = VERIFIED(valuesAfter(made.open(), 0, Edit::Kind::Scale, "[1]=5"));
        QCOMPARE(after->front(), (std::vector<float>{2, 4, 15, 20}));
        const auto biased =
            VERIFIED(valuesAfter(made.open(), 0, Edit::Kind::SetStored, ":bias[0]=15360"));
        QCOMPARE(biased->front(), (std::vector<float>{3, 5, 9, 12}));
    }

    /// A weight that others are made of, and what two weights are made of by one operation: an edit
    /// changes the weight that it names alone.
    void partsOfTwoWeights()
    {
        using test::Elem, test::byteRow, test::halves;
        MadeCoreAi made;
        const auto zero = made.constant({2, 1}, Elem::Si8, byteRow({0}), true);
        const auto bias = made.constant({2, 1}, Elem::F16, byteRow({0, 0}), true);
        const auto scaled = [&](std::initializer_list<int> codes, MadeCoreAi::Value scale) {
            return made.scaled(
                {made.constant({2, 2}, Elem::Si8, byteRow(codes)), scale, zero, bias}, {2, 2});
        };
        const auto d = made.constant({2, 1}, Elem::F16, halves({2, 3}));
        const auto c = scaled({1, 2, 3, 4}, d);
        const auto single =
            made.constant({2, 1}, Elem::F32, byteRow({0, 0, 0x80, 0x3F, 0, 0, 0, 0x40})); // 1 and 2
        const auto scale = made.operation("primitive.cast_v1", {single}, {2, 1}, Elem::F16);
        made.output({d, c, scaled({1, 1, 1, 2}, scale), scaled({2, 2, 2, 4}, scale)});
        const BundlePtr bundle = made.open();
        using Rows = std::vector<std::vector<float>>;
        const Rows before{{2, 3}, {2, 4, 9, 12}, {1, 1, 2, 4}, {2, 2, 4, 8}};
        const auto fault = [&](std::size_t index, Edit::Kind kind, const std::string &what,
                               const std::vector<float> &wanted) -> std::string {
            const auto after = valuesAfter(bundle, index, kind, what);
            if (!after)
                return describe(after.error());
            Rows all = before;
            all[index] = wanted;
            return *after == all ? std::string() : "other values";
        };
        QCOMPARE(fault(0, Edit::Kind::Set, "[0]=5", {5, 3}), std::string());
        QCOMPARE(fault(1, Edit::Kind::Scale, "[0]=5", {5, 10, 9, 12}), std::string());
        QCOMPARE(fault(2, Edit::Kind::Scale, "[0]=5", {5, 5, 2, 4}), std::string());
        QCOMPARE(fault(3, Edit::Kind::Scale, "[1]=5", {2, 2, 10, 20}), std::string());
        // All of them at once: some in a second round.
        std::vector<Edit> edits;
        for (const auto &[index, what] : {std::pair(0, "[0]=5"), std::pair(1, "[0]=5"),
                                          std::pair(2, "[0]=5"), std::pair(3, "[1]=5")})
            edits.push_back(
                *parseEdit(index == 0 ? Edit::Kind::Set : Edit::Kind::Scale,
                           bundle->weights()[std::size_t(index)].findableName() + what));
        const auto own = VERIFIED(patch::withOwnConstants(*bundle, edits));
        BundlePtr changed = own->bundle;
        const auto planned = VERIFIED(planEdits(changed, edits, 0));
        for (const AppliedEdit &each : *planned)
            changed = *applyEdit(changed, each);
        Rows after;
        for (std::size_t i = 0; i < changed->weights().size(); ++i)
            after.push_back(valuesOf(*changed, i));
        QCOMPARE(after, (Rows{{5, 3}, {5, 10, 9, 12}, {5, 5, 2, 4}, {2, 2, 10, 20}}));
    }

    void everyForm()
    {
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes());
        const BundlePtr bundle = *Bundle::open(path.toStdString());
        const std::size_t weight = scaledWeight(*bundle);
        const auto values = valuesOf(*bundle, weight);
        for (const FormSpec &form : someForms()) {
            const auto encoded =
                VERIFIED(codec::encodeForm(values, bundle->weights()[weight].shape, form));
            const auto made = reencodeWeight(*bundle, weight, *encoded);
            QVERIFY2(made, made ? "" : (describe(form) + ": " + describe(made.error())).c_str());
            QVERIFY(!hasErrors((*made)->diagnostics()));
            QVERIFY(!hashFault(**made));
            QCOMPARE((*made)->weights().size(), bundle->weights().size());
            QCOMPARE((*made)->weights()[weight].name, bundle->weights()[weight].name);
        }
    }

    /// The vendor's runtime ends the process at a table without an axis.
    void tableOfASingleValue()
    {
        auto module = madeWeights();
        module.types[2] = varints({2, 0, 0}); // the dense constant: no axes, fp16
        for (Bytes &each : module.attributes) {
            if (each.size() == 11 && each[4] == std::byte{0x3C}) // and one element, a splat
                each = {std::byte{0x0D}, std::byte{1}, std::byte{5}, std::byte{0}, std::byte{0x3C}};
        }
        const QTemporaryDir dir;
        const auto bundle = VERIFIED(Bundle::open(writePackage(dir, module.bytes()).toStdString()));
        const auto weight = std::ranges::find_if(
            (*bundle)->weights(), [](const Weight &each) { return each.shape.empty(); });
        QVERIFY(weight != (*bundle)->weights().end());
        const auto index = std::size_t(weight - (*bundle)->weights().begin());
        for (const FormSpec &form : someForms()) {
            const auto encoded = codec::encodeForm(valuesOf(**bundle, index), {}, form);
            if (!encoded)
                continue;
            const auto made = reencodeWeight(**bundle, index, *encoded);
            QCOMPARE(bool(made), form.node != FormNode::Palette);
            if (!made)
                QCOMPARE(made.error().code, "encode.form");
        }
    }

    void masks_data()
    {
        QTest::addColumn<int>("form");
        const auto forms = someForms();
        for (std::size_t i = 0; i < forms.size(); ++i) {
            if (forms[i].node == FormNode::Sparse)
                addRow(describe(forms[i]).c_str(), int(i));
        }
    }

    /// A bit that goes and one that comes: the same number of values, in place. One alone: through
    /// the writer, which changes the types of the module.
    void masks()
    {
        QFETCH(int, form);
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes());
        const BundlePtr dense = *Bundle::open(path.toStdString());
        const std::size_t weight = scaledWeight(*dense);
        const auto encoded =
            VERIFIED(codec::encodeForm(valuesOf(*dense, weight), dense->weights()[weight].shape,
                                       someForms()[std::size_t(form)]));
        const BundlePtr bundle = *reencodeWeight(*dense, weight, *encoded);
        const auto places = placesOf(*bundle->decoder(weight));
        const std::uint64_t kept = places.kept.size();
        QVERIFY(kept > 8 && places.left.size() > 8);
        const auto fault = [&](const std::vector<std::uint64_t> &drops,
                               const std::vector<std::uint64_t> &keeps) {
            return faultOfPlaces(bundle, weight, kept, drops, keeps);
        };
        const auto &k = places.kept;
        const auto &l = places.left;
        for (const std::string &each :
             {fault({k[3]}, {l[5]}), fault({k.back()}, {l.front()}), fault({k.front()}, {l.back()}),
              fault({k[1], k[2], k[6]}, {l[0], l[4], l[7]}), fault({k[4]}, {}), fault({}, {l[2]}),
              fault({k[0], k[7]}, {l[1]}), fault({k.back()}, {l[0], l[3], l.back()})})
            QVERIFY2(each.empty(), each.c_str());
        // In place: the module keeps its length, and nothing but mask and values is written.
        const std::vector<Edit> pair{maskEdit(*bundle, weight, k[3], std::nullopt),
                                     maskEdit(*bundle, weight, l[5], 0.5F)};
        QVERIFY(!patch::withOwnConstants(*bundle, pair, 1e3)->bundle);
        const auto planned = VERIFIED(planEdits(bundle, pair, 1e3));
        QCOMPARE(planned->size(), 2U);
        QVERIFY(planned->front().bytes.empty() && !planned->back().bytes.empty());
        QCOMPARE(planned->front().newText, "not stored");
        QCOMPARE(planned->back().oldText, "not stored");
        const Error alone = REFUSED(planEdits(bundle, {pair.front()}, 0));
        QCOMPARE(alone.code, "patch.mask");
        QVERIFY(alone.message.find("patch --output") != std::string::npos);
    }

    /// Behind a transpose mask and values lie as they do without one.
    void turnedMasks()
    {
        using test::Elem, test::byteRow, test::halves;
        for (const bool all : {false, true}) {
            MadeCoreAi made;
            const auto mask = all ? made.constant({4, 3}, Elem::Ui1, byteRow({1}), true)
                                  : made.constant({4, 3}, Elem::Ui1, byteRow({0xA5, 0x0C}));
            const std::uint64_t kept = all ? 12 : 6;
            Bytes numbers = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
            numbers.resize(2 * kept);
            const auto values = made.constant({kept}, Elem::F16, numbers);
            const auto dense = made.masked(values, mask, {4, 3}, Elem::F16);
            const auto turned = made.transposed(dense, {1, 0}, {3, 4}, Elem::F16);
            made.output({made.operation("primitive.cast_v1", {turned}, {3, 4}, Elem::F32)});
            const QTemporaryDir dir;
            const BundlePtr bundle = *Bundle::open(writePackage(dir, made.module()).toStdString());
            const auto places = placesOf(*bundle->decoder(0));
            QCOMPARE(places.kept.size(), kept);
            const auto fault = [&](const std::vector<std::uint64_t> &drops,
                                   const std::vector<std::uint64_t> &keeps) {
                return faultOfPlaces(bundle, 0, kept, drops, keeps);
            };
            const auto &k = places.kept, &l = places.left;
            QCOMPARE(fault({k[1]}, {}), std::string());
            QCOMPARE(fault({k[0], k[5]}, {}), std::string());
            if (all)
                continue;
            QCOMPARE(fault({}, {l[2]}), std::string());
            QCOMPARE(fault({k[2]}, {l[4]}), std::string());
            // In place, and an element that is kept.
            const std::vector<Edit> pair{maskEdit(*bundle, 0, k[3], std::nullopt),
                                         maskEdit(*bundle, 0, l[5], 0.5F)};
            QVERIFY(!patch::withOwnConstants(*bundle, pair, 1e3)->bundle);
            const auto set = parseEdit(Edit::Kind::Set, bundle->weights()[0].findableName() + "[" +
                                                            std::to_string(k[4]) + "]=8");
            const auto planned = VERIFIED(planEdits(bundle, {*set}, 0));
            QCOMPARE(planned->front().bytes.size(), 1U);
        }
    }

    /// Each edit sees those before it, and what comes to nothing writes nothing.
    void severalMaskBits()
    {
        const QTemporaryDir dir;
        const QString path = writePackage(dir, madeWeights().bytes());
        const BundlePtr dense = *Bundle::open(path.toStdString());
        const std::size_t weight = scaledWeight(*dense);
        const auto encoded = codec::encodeForm(valuesOf(*dense, weight),
                                               dense->weights()[weight].shape, someForms()[6]);
        const BundlePtr bundle = *reencodeWeight(*dense, weight, *encoded);
        const auto places = placesOf(*bundle->decoder(weight));
        const std::uint64_t a = places.left[3], b = places.kept[2];
        const auto plan = [&](std::vector<std::pair<std::uint64_t, std::optional<float>>> wanted) {
            std::vector<Edit> edits;
            for (const auto &[element, value] : wanted)
                edits.push_back(maskEdit(*bundle, weight, element, value));
            return planEdits(bundle, edits, 0);
        };
        const auto nothing = plan({{a, 0.5F}, {a, std::nullopt}});
        QVERIFY(nothing && nothing->back().bytes.empty());
        const auto twice = VERIFIED(plan({{a, 0.5F}, {b, std::nullopt}, {a, 0.25F}}));
        BundlePtr changed = bundle;
        for (const AppliedEdit &each : *twice)
            changed = *applyEdit(changed, each);
        QCOMPARE(valuesOf(*changed, weight)[a], 0.25F);
        QCOMPARE(valuesOf(*changed, weight)[b], 0.0F);
        const auto off = plan({{a, 0.5F}, {b, std::nullopt}, {b, 0.5F}});
        QVERIFY(!off && off.error().code == "patch.mask");
    }

    /// The embedded package is sound, and has a form a layer.
    void embeddedSample()
    {
        sample::SampleBundle made = sample::coreAi();
        const auto opened = VERIFIED(Bundle::open(made.name, OpenOptions{std::move(made.files)}));
        const Bundle &bundle = **opened;
        QCOMPARE(bundle.diagnostics().size(), 0U);
        QCOMPARE(bundle.kind(), BundleKind::Aimodel);
        QVERIFY(!hashFault(bundle));
        QCOMPARE(bundle.program()->functions.front().inputs.size(), 1U);
        QCOMPARE(bundle.program()->functions.front().inputs.front().name, "x");
        for (const auto &[name, node] :
             {std::pair("fc1.weight", FormNode::Palette), std::pair("fc2.weight", FormNode::Sparse),
              std::pair("fc3.weight", FormNode::Blockwise),
              std::pair("fc1.bias", FormNode::Dense)}) {
            const auto weight = bundle.weightByName(name);
            QVERIFY2(weight, name);
            QCOMPARE(bundle.weights()[*weight].form.nodes().front(), node);
            QVERIFY(!bundle.weights()[*weight].consumers.empty());
        }
    }

    void paths()
    {
        MadeModule made = madeWeights();
        const std::uint64_t next = made.attributes.size();
        made.attributes[0] = varints(
            {32, made.string("py"), next, made.string("x"), 0, made.string(""), 2, next, next + 1});
        made.attribute({30, made.string("/Users/me/model.py"), made.string(""), made.string("")});
        made.attribute({30, made.string("/Users/me"), made.string(""), made.string("")});
        const QTemporaryDir dir;
        const QString path = writePackage(dir, made.bytes());
        BundlePtr bundle = *Bundle::open(path.toStdString());
        const auto edits = patch::blankPathEdits(*bundle);
        QCOMPARE(edits.size(), 2U);
        const auto planned = VERIFIED(planEdits(bundle, edits, 0));
        for (const AppliedEdit &each : *planned)
            bundle = *applyEdit(bundle, each);
        const auto bytes = bundle->files()[*bundle->fileByPath("main.mlirb")].file->bytes();
        const QByteArray text(reinterpret_cast<const char *>(bytes.data()),
                              qsizetype(bytes.size()));
        QVERIFY(!text.contains("Users"));
        QVERIFY(text.contains("          model.py"));
        QVERIFY(patch::blankPathEdits(*bundle).empty());
    }

    void peers_data()
    {
        QTest::addColumn<QString>("path");
        const QString root = dataPath(u"../peers/coreai"_s);
        addPaths({u"*.aimodel"_s}, {root});
    }

    /// Every weight of the vendor's packages in every form that it can have.
    void peers()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto opened = VERIFIED(Bundle::open(path.toStdString()));
        const BundlePtr bundle = *opened;
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            const Weight &weight = bundle->weights()[i];
            const bool half = weight.type == ElementType::Fp16,
                       single = weight.type == ElementType::Fp32;
            const auto values = valuesOf(*bundle, i);
            if (weight.fault || (!half && !single) || values.size() < 2 || values.size() > 3000)
                continue;
            const auto stored = placesOf(*bundle->decoder(i));
            if (const std::uint64_t kept = bundle->decoder(i)->payloadElements().value;
                weight.form.encoding()->mask && kept > 1 && !stored.left.empty()) {
                const std::uint64_t gone = stored.kept[stored.kept.size() / 2],
                                    come = stored.left[stored.left.size() / 2];
                const Edit drop = maskEdit(*bundle, i, gone, std::nullopt),
                           keep = maskEdit(*bundle, i, come, values[gone]);
                for (const auto &[edits, count] : {std::pair(std::vector{drop, keep}, kept),
                                                   std::pair(std::vector{drop}, kept - 1),
                                                   std::pair(std::vector{keep}, kept + 1)}) {
                    const std::string fault = faultOfMask(bundle, i, edits, {gone, come}, count);
                    const bool refused = fault.find("Single elements of this form") != fault.npos ||
                                         fault.find("rest of its vector") != fault.npos ||
                                         fault.find("within the tolerance") != fault.npos;
                    QVERIFY2(fault.empty() || refused, (weight.name + ": " + fault).c_str());
                }
            }
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
                QVERIFY2(made, made ? ""
                                    : (weight.name + ", " + describe(form) + ": " +
                                       describe(made.error()))
                                          .c_str());
            }
        }
    }
};

KERNSCOPE_TEST(TestAimodelEdits, QCoreApplication)
#include "tst_aimodel_edits.moc"
