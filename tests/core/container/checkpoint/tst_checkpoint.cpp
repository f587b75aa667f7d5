// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/statistics.h"
#include "core/bundle/stored_bytes.h"
#include "core/codec/decode/decoder.h"
#include "core/patch/patch.h"
#include "core/plan/section_build.h"
#include "core/search/find.h"
#include "made_checkpoint.h"

namespace {

Result<BundlePtr> open(const char *name, const QByteArray &raw)
{
    return Bundle::open(name, {.memory = {{name, asBytes(raw)}}});
}

/// A folder of those files, opened.
Result<BundlePtr> openFolder(const std::vector<std::pair<QString, QByteArray>> &files)
{
    QTemporaryDir folder;
    for (const auto &[name, content] : files) {
        const QString path = folder.filePath(name);
        if (!QDir().mkpath(QFileInfo(path).path()) || !put(path, content))
            return {};
    }
    return Bundle::open(folder.path().toStdString());
}

/// "\"a\":{…}": two numbers that lie from `begin` on.
QByteArray entry(const char *name, int begin, int end)
{
    return QByteArray("\"") + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[)" +
           QByteArray::number(begin) + ',' + QByteArray::number(end) + "]}";
}

/// A checkpoint of tensors of two numbers, which are all `value`.
QByteArray tensorsOf(std::initializer_list<const char *> names, float value)
{
    QByteArray json, data;
    for (const char *name : names) {
        json += (json.isEmpty() ? "{" : ",") +
                entry(name, static_cast<int>(data.size()), static_cast<int>(data.size()) + 8);
        data += floats({value, value});
    }
    return safetensors(json + '}', data);
}

constexpr const char *kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 12345\n";

} // namespace

/// Checkpoints and archives: read, compared with, never changed.
class TestCheckpoint : public QObject
{
    Q_OBJECT

private slots:
    void tensors()
    {
        const QByteArray json = R"({"__metadata__":{"format":"pt"},)"
                                R"("b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
                                R"("e":{"dtype":"F32","shape":[0],"data_offsets":[8,8]},)"
                                R"("a.weight":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}})";
        const auto bundle = VERIFIED(open(
            "x.safetensors",
            safetensors(json, QByteArray("\x00\x3C\x00\x40\x00\xC0\x00\x00", 8) + floats({3, 4}))));
        QCOMPARE((*bundle)->kind(), BundleKind::Safetensors);
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        QCOMPARE((*bundle)->weights()[0].name, "a.weight");
        QCOMPARE(decoded(**bundle, "a.weight"), (std::vector<float>{1, 2, -2, 0}));
        QCOMPARE(decoded(**bundle, "b"), (std::vector<float>{3, 4}));
        QCOMPARE(REFUSED(planEdits(*bundle, {*parseEdit(Edit::Kind::Set, "b[0]=1")}, 0)).code,
                 "patch.readonly");
    }

    /// The types of microscaled checkpoints: two numbers a byte, the first in the low half; scales.
    void smallTypes()
    {
        const QByteArray json = R"({"f":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},)"
                                R"("s":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[2,4]}})";
        const auto bundle =
            VERIFIED(open("x.safetensors", safetensors(json, QByteArray("\x12\x34\x7F\x82", 4))));
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(decoded(**bundle, "f"), (std::vector<float>{1, 0.5, 2, 1.5}));
        QCOMPARE(decoded(**bundle, "s"), (std::vector<float>{1, 8}));
    }

    /// A tensor that is called like the bias of a section's weight is a weight like any other.
    void namesAreNoRoles()
    {
        const QByteArray json = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                R"("a: bias":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})";
        const auto bundle =
            VERIFIED(open("x.safetensors", safetensors(json, floats({1, 2, 3, 4}))));
        QCOMPARE((*bundle)->weights().size(), 2U);
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE((*bundle)->weights()[i].role, WeightRole::Weight);
            QCOMPARE((*bundle)->weights()[i].beside, kNoIndex);
            QCOMPARE(plan::biasOf(**bundle, i), kNoIndex);
            const auto decoder = VERIFIED((*bundle)->decoder(i));
            QVERIFY(plan::sectionWeight(**bundle, i, *decoder)->bias.empty());
        }
    }

    /// Bounds what opening costs; the first ones are shown.
    void mostTensors()
    {
        QByteArray json = "{";
        for (int i = 0; i <= 100000; ++i)
            json += QByteArray(i == 0 ? "'" : ",'") + QByteArray::number(i) +
                    "':{'dtype':'U8','shape':[0],'data_offsets':[0,0]}";
        json.replace('\'', '"');
        const auto bundle = VERIFIED(
            Bundle::open("x.safetensors",
                         {.memory = {{"x.safetensors", asBytes(safetensors(json + "}", {}))}}}));
        QCOMPARE((*bundle)->weights().size(), 100000U);
        QCOMPARE((*bundle)->diagnostics().front().error.code, "checkpoint.limit");
    }

    /// The format's own limit for its header: blanks may follow the text up to there.
    void longestHeader()
    {
        for (const int length : {100'000'000, 100'000'001}) {
            const auto bundle = VERIFIED(Bundle::open(
                "x.safetensors",
                {.memory = {{"x.safetensors",
                             asBytes(safetensors(QByteArray("{}").leftJustified(length), {}))}}}));
            QCOMPARE(hasErrors((*bundle)->diagnostics()), length > 100'000'000);
        }
    }

    /// Names too: long ones are left out, and the last ones of many.
    void mostNames_data()
    {
        const auto row = addColumns<int, int, std::size_t>();
        row("one", 1, 4097, 0U);
        row("that fits", 1, 4096, 1U);
        row("many", 9000, 4096, 8192U);
    }

    void mostNames()
    {
        const auto [count, length, shown] = fetched<int, int, std::size_t>();
        QByteArray json = "{";
        for (int i = 0; i < count; ++i)
            json += QByteArray(i == 0 ? "\"" : ",\"") +
                    QByteArray::number(i).rightJustified(length, 'n') +
                    "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
        const auto bundle = VERIFIED(
            Bundle::open("x.safetensors",
                         {.memory = {{"x.safetensors", asBytes(safetensors(json + "}", {}))}}}));
        QCOMPARE((*bundle)->weights().size(), shown);
        QCOMPARE((*bundle)->diagnostics().empty(), shown == std::size_t(count));
        if (shown < std::size_t(count))
            QCOMPARE((*bundle)->diagnostics().front().error.code, "checkpoint.limit");
    }

    /// An index that is too long for the parser is not read, and the files that it names are not.
    void longIndex()
    {
        const QByteArray json = "{\"weight_map\":{\"a\":\"1.safetensors\"}}";
        const auto bundle =
            VERIFIED(openFolder({{u"m.safetensors.index.json"_s, json + QByteArray(64 << 20, ' ')},
                                 {u"1.safetensors"_s, tensorsOf({"a"}, 1)}}));
        QCOMPARE((*bundle)->weights().size(), 0U);
        QCOMPARE((*bundle)->diagnostics().front().error.code, "safetensors.index");
        QCOMPARE((*bundle)->diagnostics().front().error.found, "more");
    }

    void tensorFaults_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        const auto one = [](const char *entry) {
            return safetensors("{\"t\":"_ba + entry + "}", floats({1, 2}));
        };
        row("empty", {}, "safetensors.header");
        row("long header", little(1000, 8) + "{}", "safetensors.header");
        row("no JSON", safetensors("{\"a\"", {}), "safetensors.header");
        row("dtype", one(R"({"dtype":"C64","shape":[1],"data_offsets":[0,8]})"),
            "safetensors.tensor");
        row("negative", one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,8]})"),
            "safetensors.tensor");
        row("huge", one(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"),
            "safetensors.tensor");
        row("outside", one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})"),
            "safetensors.cut");
        row("backwards", one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"),
            "safetensors.tensor");
        row("length", one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})"),
            "safetensors.tensor");
        row("no object", one("3"), "safetensors.tensor");
        row("overlap",
            safetensors('{' + entry("a", 0, 8) + ',' + entry("t", 4, 12) + '}', floats({1, 2, 3})),
            "safetensors.layout");
        row("gap",
            safetensors('{' + entry("a", 0, 8) + ',' + entry("t", 12, 20) + '}',
                        floats({1, 2, 3, 4, 5})),
            "safetensors.layout");
        row("behind", safetensors('{' + entry("t", 0, 8) + '}', floats({1, 2, 3})),
            "safetensors.layout");
        row("twice",
            safetensors('{' + entry("t", 0, 8) + ',' + entry("t", 8, 16) + '}',
                        floats({1, 2, 3, 4})),
            "safetensors.layout");
    }

    void tensorFaults()
    {
        const auto [raw, code] = fetched<QByteArray, QByteArray>();
        const auto bundle = VERIFIED(open("x.safetensors", raw));
        QCOMPARE((*bundle)->diagnostics().size(), 1U);
        const Diagnostic &row = (*bundle)->diagnostics().front();
        QCOMPARE(row.error.code, code.toStdString());
        QCOMPARE(test::sectionFault(**bundle), std::string());
        if (code == "safetensors.tensor")
            QVERIFY2(row.error.message.starts_with("The tensor t "), row.error.message.c_str());
        if (code == "safetensors.layout") {
            QCOMPARE(row.severity, Severity::Warning);
            QVERIFY(row.error.offset);
            QVERIFY((*bundle)->decoder((*bundle)->weights().size() - 1)); // still readable
        }
    }

    /// The header of a cut file says what is missing: it is said once.
    void missingTail()
    {
        const QByteArray whole = tensorsOf({"a", "b", "c"}, 1);
        const auto bundle = VERIFIED(open("x.safetensors", whole.left(whole.size() - 12)));
        QCOMPARE((*bundle)->weights().size(), std::size_t(3));
        for (const Weight &weight : (*bundle)->weights())
            QCOMPARE(weight.fault.has_value(), weight.name != "a");
        QCOMPARE((*bundle)->diagnostics().size(), std::size_t(1));
        const Error &error = (*bundle)->diagnostics()[0].error;
        QCOMPARE(error.code, "safetensors.cut");
        QCOMPARE(error.offset->value, static_cast<std::uint64_t>(whole.size() - 12));
        QCOMPARE(error.message, "The file ends early: 1 of 3 tensors are there");
        QCOMPARE(error.expected, "24 bytes of tensors");
        QCOMPARE(error.found, "12 bytes");
    }

    void formatTypes_data()
    {
        addEach({"C64", "F6_E2M3", "F6_E3M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"});
    }

    /// Types of the format that are not shown: no fault of the file.
    void formatTypes()
    {
        const auto [type] = fetched<QString>();
        const auto bundle = VERIFIED(
            open("x.safetensors", safetensors(R"({"t":{"dtype":")" + type.toUtf8() +
                                                  R"(","shape":[1],"data_offsets":[0,8]}})",
                                              floats({1, 2}))));
        const std::string wanted =
            "x.safetensors+0x8: The tensor t is of a type whose values are not shown (found " +
            type.toStdString() + ')';
        QCOMPARE(describe((*bundle)->diagnostics().at(0).error), wanted);
        // What is known of it is shown.
        const Weight &weight = (*bundle)->weights().front();
        QVERIFY(weight.fault);
        QCOMPARE(weight.shape, Shape({1}));
        QCOMPARE(weight.elements.value, 1U);
        QCOMPARE(weight.storedBytes.value, 8U);
    }

    void index_data()
    {
        const auto row = addColumns<QByteArray, QString, QString>();
        row("sound", R"("a":"1","b":"1","c":"2")", "a1 b1 c2", "");
        row("below", R"("a":"1","b":"1","e":"sub/4")", "a1 b1 e4", "");
        row("outside", R"("a":"1","b":"1","c":"../2")", "a1 b1", "error safetensors.shard m-index");
        row("absolute", R"("a":"1","b":"1","c":"/2")", "a1 b1", "error safetensors.shard m-index");
        row("gone", R"("a":"1","b":"1","c":"9.safetensors")", "a1 b1", "error safetensors.shard 9");
        row("lacks", R"("a":"1","b":"1","c":"2","x":"2")", "a1 b1 c2", "error safetensors.index 2");
        row("elsewhere", R"("a":"1","b":"2","c":"2")", "a1 b1 c2", "warning safetensors.index 1");
        row("twice", R"("a":"3","b":"1","c":"2")", "b1 c2 a3", "warning safetensors.index 1");
        row("pointer", R"("a":"1","b":"1","p":"5")", "a1 b1", "error bundle.lfs 5");
    }

    /// The index says which files there are, and which of them has a tensor.
    void index()
    {
        const auto [map, weights, faults] = fetched<QByteArray, QString, QString>();
        QByteArray json = R"({"weight_map":{)" + map + "}}";
        for (const char *file : {"1", "2", "3", "4", "5"})
            json.replace(file + QByteArray("\""), file + QByteArray(".safetensors\""));
        const auto bundle =
            VERIFIED(openFolder({{u"m.safetensors.index.json"_s, json},
                                 {u"1.safetensors"_s, tensorsOf({"a", "b"}, 1)},
                                 {u"2.safetensors"_s, tensorsOf({"c"}, 2)},
                                 {u"3.safetensors"_s, tensorsOf({"a"}, 3)},
                                 {u"sub/4.safetensors"_s, tensorsOf({"e"}, 4)},
                                 {u"5.safetensors"_s, map.contains("5") ? QByteArray(kPointer)
                                                                        : tensorsOf({"f"}, 5)}}));
        QStringList found, said;
        for (const Weight &weight : (*bundle)->weights())
            found << QString::fromStdString(weight.name) +
                         QString::number(test::decoded(**bundle, weight.name).at(0));
        for (const Diagnostic &row : (*bundle)->diagnostics())
            said << QString::fromStdString(fmt::format("{} {} {}", severityName(row.severity),
                                                       row.error.code, row.error.file))
                        .remove(u".safetensors"_s)
                        .replace(u".index.json"_s, u"-index"_s);
        QCOMPARE(found.join(u' '), weights);
        QCOMPARE(said.join(u", "_s), faults);
        QCOMPARE(test::sectionFault(**bundle), std::string());
    }

    /// One checkpoint in a folder, called as hubs do, is what the folder is.
    void folderOfOne()
    {
        const QByteArray tensors = tensorsOf({"a"}, 1);
        const auto bundle = VERIFIED(openFolder({{u"config.json"_s, "{}"},
                                                 {u"README.md"_s, "text"},
                                                 {u"model.safetensors"_s, tensors}}));
        QCOMPARE(test::decoded(**bundle, "a"), (std::vector<float>{1, 1}));
        QVERIFY((*bundle)->diagnostics().empty());
        QCOMPARE((*VERIFIED((*bundle)->reread()))->weights().size(), std::size_t(1));
        for (const char *other : {"adapter.safetensors", "sub/x.npz"})
            QCOMPARE(REFUSED(openFolder({{u"model.safetensors"_s, tensors},
                                         {QString::fromUtf8(other), tensors}}))
                         .code,
                     "bundle.several");
        QCOMPARE(REFUSED(openFolder({{u"other.safetensors"_s, tensors}})).code, "bundle.several");
    }

    void misnamed_data()
    {
        const auto row = addColumns<QString, QByteArray, QString>(); // its kind, or what it is
        const QByteArray torch = zip({{"model/data.pkl", "x", false}});
        row("array", "x.safetensors", npy("<f4", "False", "(1,)", floats({1})), "npz");
        row("model", "x.safetensors", QByteArray::fromHex("08041200d20c00"), "pipeline");
        row("checkpoint", "x.mlmodel", tensorsOf({"a"}, 1), "safetensors");
        row("torch as npz", "x.npz", torch, "a PyTorch checkpoint");
        row("torch", "x.safetensors", torch, "a PyTorch checkpoint");
        row("torch, named", "model.pt", torch, "a PyTorch checkpoint");
        row("pickle", "x.safetensors", QByteArray::fromHex("80028a0a6cfc9c46f9206aa8501a2e"),
            "a PyTorch checkpoint");
        row("gguf", "x.gguf", QByteArray("GGUF\3\0\0\0", 8), "a GGUF");
        row("gguf, named", "x.safetensors", QByteArray("GGUF\3\0\0\0", 8), "a GGUF");
        row("notes", "x.npz", zip({{"a.txt", "x", false}, {"b.npy", "x", false}}), "npz");
    }

    /// The content tells more than the name.
    void misnamed()
    {
        const auto [name, content, kind] = fetched<QString, QByteArray, QString>();
        const auto bundle = open(name.toUtf8().constData(), content);
        if (bundle) {
            QCOMPARE(std::string(bundleKindName((*bundle)->kind())), kind.toStdString());
            return;
        }
        QCOMPARE(bundle.error().code, "bundle.kind");
        QVERIFY2(bundle.error().found.starts_with(kind.toStdString()),
                 bundle.error().found.c_str());
        QVERIFY(bundle.error().expected.find("a .pte") != std::string::npos);
    }

    /// Integers of 64 bits that one double stands for are told apart by a search.
    void wideIntegers()
    {
        const std::int64_t big = std::int64_t(1) << 62;
        QByteArray data;
        for (const std::int64_t value : {big, big + 1, big + 3, -big - 2})
            data += little(std::uint64_t(value), 8);
        const auto bundle =
            open("x.safetensors",
                 safetensors(R"({"i":{"dtype":"I64","shape":[4],"data_offsets":[0,32]}})", data));
        QVERIFY2(bundle, bundle ? "" : describe(bundle.error()).c_str());
        search::Query query;
        query.what = search::What::Largest;
        query.most = 2;
        const auto found = VERIFIED(search::find(**bundle, query));
        QCOMPARE(found->hits.size(), 2U);
        QCOMPARE(*found->hits[0].element, 2U);
        QCOMPARE(found->hits[0].valueText(), "4611686018427387907");
        QCOMPARE(*found->hits[1].element, 3U);
        QCOMPARE(found->hits[1].valueText(), "-4611686018427387906");
        search::Query one;
        one.what = search::What::Value;
        one.value = 4611686018427387905.0;
        one.wide = search::wideInteger("4611686018427387905");
        const auto exact = VERIFIED(search::find(**bundle, one));
        QCOMPARE(exact->hits.size(), 1U);
        QCOMPARE(*exact->hits[0].element, 1U);
        one.tolerance = 0; // by doubles
        QCOMPARE(search::find(**bundle, one)->hits.size(), 3U);
    }

    void arrays()
    {
        const QByteArray row = npy("<f4", "False", "(2, 3)", floats({1, 2, 3, 4, 5, 6}));
        const QByteArray column = npy("<f4", "True", "(2, 3)", floats({1, 4, 2, 5, 3, 6}));
        const QByteArray raw = zip({{"row.npy", row, false},
                                    {"packed.npy", row, true},
                                    {"column.npy", column, true},
                                    {"note.txt", "hello", false},
                                    {"big.npy", npy(">f4", "False", "(1,)", "abcd"), false}});
        const auto bundle = VERIFIED(open("x.npz", raw));
        QCOMPARE((*bundle)->kind(), BundleKind::Npz);
        QCOMPARE((*bundle)->diagnostics().size(), 1U);
        QCOMPARE((*bundle)->diagnostics()[0].error.message,
                 "big: An array of this byte order is not read");
        QCOMPARE(test::sectionFault(**bundle), std::string());
        for (const char *name : {"row", "packed", "column"})
            QCOMPARE(decoded(**bundle, name), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        const auto again = VERIFIED((*bundle)->reread());
        QCOMPARE((*again)->files().size(), (*bundle)->files().size());
        QCOMPARE(decoded(**again, "column"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        const auto alone = VERIFIED(open("x.npy", row));
        QCOMPARE(decoded(**alone, "x"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    }

    /// A packed member is unpacked when it is read: until then only its header is known, and then
    /// it is kept. Members that have bytes in common are refused.
    void packedMembers()
    {
        const QByteArray row = npy("<f4", "False", "(2,)", floats({1, 2}));
        QByteArray raw = zip({{"a.npy", row, true}, {"b.npy", row, true}});
        const auto sound = VERIFIED(open("x.npz", raw));
        QCOMPARE((*sound)->files().size(), 1U);
        QVERIFY(verifyPayloads(**sound).empty());
        QCOMPARE(decoded(**sound, "b"), (std::vector<float>{1, 2}));
        QCOMPARE((*sound)->weights().at(0).storedBytes.value, std::uint64_t(deflated(row).size()));

        QByteArray second = raw;
        const qsizetype entry = raw.lastIndexOf(little(0x02014b50, 4));
        for (int i = 0; i < 4; ++i)
            second[entry + 16 + i] = char(~second[entry + 16 + i]); // its checksum
        const auto damaged = VERIFIED(open("x.npz", second));
        QVERIFY((*damaged)->diagnostics().empty());
        const Error decoder = REFUSED((*damaged)->decoder(1));
        QCOMPARE(decoder.code, "zip.data");
        QCOMPARE(decoded(**damaged, "a"), (std::vector<float>{1, 2}));

        for (int i = 0; i < 4; ++i)
            raw[entry + 42 + i] = 0; // the place of the first one
        const auto shared = VERIFIED(open("x.npz", raw));
        QCOMPARE(faults((*shared)->diagnostics()),
                 (std::vector<std::string>{"error zip.overlap x.npz+0"}));
    }

    /// Values of a tensor, by its own name or by another one.
    void patchSource()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"x.safetensors"_s);
        QVERIFY(
            put(path, safetensors(R"({"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                                  R"("other":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
                                  floats({3, 4, 5, 6}))));
        MadeBundle made;
        made.layer("w", "[2]", halves({1, 2}));
        const auto bundle = VERIFIED(made.open());
        for (const auto &[source, wanted] :
             {std::pair(path, std::vector<float>{3, 4}), {path + u"#other"_s, {5, 6}}}) {
            const auto edit = VERIFIED(parseEdit(Edit::Kind::FromNpy, "w=" + source.toStdString()));
            const auto planned = VERIFIED(planEdits(*bundle, {*edit}, 0));
            const auto after = VERIFIED(applyEdit(*bundle, planned->front()));
            QCOMPARE(decoded(**after, "w"), wanted);
        }
        const auto missing = parseEdit(Edit::Kind::FromNpy, "w=" + path.toStdString() + "#nothing");
        QVERIFY(missing && !planEdits(*bundle, {*missing}, 0));
    }

    /// A zipped compiled model opens like the folder, and is not changed.
    void zippedBundle()
    {
        MadeBundle made;
        made.layer("w", "[2]", halves({1, 2}));
        const Bytes weights = made.weights();
        const QByteArray blob(reinterpret_cast<const char *>(weights.data()),
                              qsizetype(weights.size()));
        const auto bundle = VERIFIED(open(
            "x.zip", zip({{"m.mlmodelc/", {}, false},
                          {"m.mlmodelc/model.mil", QByteArray::fromStdString(made.text()), true},
                          {"m.mlmodelc/weights/weight.bin", blob, true},
                          {"m.mlmodelc/../evil", "x", false}})));
        QCOMPARE((*bundle)->kind(), BundleKind::Mlmodelc);
        QCOMPARE((*bundle)->files().size(), 2U);
        QVERIFY(!(*bundle)->readOnlyReason().empty());
        QCOMPARE(decoded(**bundle, "w"), (std::vector<float>{1, 2}));
        QVERIFY(!planEdits(*bundle, {*parseEdit(Edit::Kind::Set, "w[0]=3")}, 0));
        const auto pipeline = VERIFIED(
            open("x.zip",
                 zip({{"p.mlmodelc/metadata.json", "[]", false},
                      {"p.mlmodelc/model0/model.mil", QByteArray::fromStdString(made.text()), true},
                      {"p.mlmodelc/model0/weights/weight.bin", blob, true},
                      {"p.mlmodelc/model1/model.mil", QByteArray::fromStdString(made.text()), true},
                      {"p.mlmodelc/model1/weights/weight.bin", blob, true}})));
        QCOMPARE(decoded(**pipeline, "model1/main/w"), (std::vector<float>{1, 2}));
        // A compiled program: the end of a name says what it is.
        const auto compiled = VERIFIED(
            open("x.zip", zip({{"c.aimodelx/main-universal.odix", QByteArray(64, 'o'), false}})));
        QCOMPARE((*compiled)->kind(), BundleKind::Aimodelx);
        QCOMPARE((*compiled)->files()[0].path, "main-universal.odix");
        const Error several = REFUSED(open(
            "x.zip", zip({{"a/model.mil", "program", false}, {"b/Manifest.json", "{}", false}})));
        QCOMPARE(several.code, "bundle.several");
        QVERIFY(!several.file.empty() && several.offset);
        QCOMPARE(REFUSED(open("x.zip", zip({{"a.txt", "hello", false}}))).code, "bundle.kind");
    }

    void pointers()
    {
        const Error lone = REFUSED(open("weight.bin", kPointer));
        QCOMPARE(lone.code, "bundle.lfs");
        QVERIFY(lone.expected.find("12345 bytes") != std::string::npos);
        QVERIFY(lone.message.find("git lfs pull") != std::string::npos);
    }

    /// What is not there is said once, and not read as something else.
    void pointersInAPackage()
    {
        test::MadeBundle made;
        made.layer("w", "[2]", test::Bytes(4));
        QTemporaryDir folder;
        QDir dir(folder.path());
        QVERIFY(dir.mkpath(u"m.mlmodelc/weights"_s));
        const auto put = [&dir](const QString &name, const QByteArray &content) {
            return test::put(dir.filePath(name), content);
        };
        QVERIFY(put(u"m.mlmodelc/model.mil"_s, QByteArray::fromStdString(made.text())));
        QVERIFY(put(u"m.mlmodelc/weights/weight.bin"_s, kPointer));
        const auto weights = VERIFIED(Bundle::open(dir.filePath(u"m.mlmodelc"_s).toStdString()));
        for (const Diagnostic &row : (*weights)->diagnostics())
            QVERIFY2(row.error.code != "blob.version" && row.error.code != "blob.sentinel",
                     describe(row.error).c_str());
        QCOMPARE((*weights)->diagnostics().front().error.code, "bundle.lfs");
        // No byte of the weight is there: how many it takes its type says.
        QCOMPARE(weightsOfUnknownBytes(**weights), std::size_t(0));
        QCOMPARE(knownStoredBytes((*weights)->weights().front())->value, std::uint64_t(4));
        QVERIFY(put(u"m.mlmodelc/model.mil"_s, kPointer));
        const auto program = VERIFIED(Bundle::open(dir.filePath(u"m.mlmodelc"_s).toStdString()));
        for (const Diagnostic &row : (*program)->diagnostics())
            QCOMPARE(row.error.code, "bundle.lfs");
    }

    void folders()
    {
        QTemporaryDir folder;
        QDir dir(folder.path());
        QVERIFY(dir.mkpath(u"a.mlmodelc"_s) && dir.mkpath(u"sub/b.mlpackage"_s));
        const Error several = REFUSED(Bundle::open(folder.path().toStdString()));
        QCOMPARE(several.code, "bundle.several");
        QCOMPARE(several.expected, "one of a.mlmodelc, sub/b.mlpackage");
        // A package whose program is not there, or no file.
        QVERIFY(dir.mkpath(u"p.aimodel"_s));
        Error program = REFUSED(Bundle::open(dir.filePath(u"p.aimodel"_s).toStdString()));
        QCOMPARE(program.code, "bundle.kind");
        QCOMPARE(program.file, "p.aimodel");
        QCOMPARE(program.found, "a folder without main.mlirb");
        QVERIFY(QFile::link(u"/dev/null"_s, dir.filePath(u"p.aimodel/main.mlirb"_s)));
        program = REFUSED(Bundle::open(dir.filePath(u"p.aimodel"_s).toStdString()));
        QCOMPARE(program.file, "main.mlirb");
        QCOMPARE(program.found, "main.mlirb, which is not a file inside the folder");
        QVERIFY(dir.mkpath(u"old.mlmodelc"_s));
        QFile(dir.filePath(u"old.mlmodelc/model.espresso.net"_s)).open(QIODevice::WriteOnly);
        const auto espresso = Bundle::open(dir.filePath(u"old.mlmodelc"_s).toStdString());
        QVERIFY(espresso && hasErrors((*espresso)->diagnostics())); // empty layers, no weights
        // The files beside the layers, alone.
        for (const char *ending : {"shape", "weights"}) {
            const QString loose = dir.filePath(u"model.espresso."_s + QString::fromUtf8(ending));
            QVERIFY(put(loose, "{\"layers\""));
            const auto refused = Bundle::open(loose.toStdString());
            QVERIFY(!refused && refused.error().code == "bundle.kind");
            QVERIFY2(refused.error().found.find("neural network (Espresso)") != std::string::npos,
                     refused.error().found.c_str());
        }
        QVERIFY(put(dir.filePath(u"m.mlarchive"_s), "AA01...."));
        const Error archived = REFUSED(Bundle::open(dir.filePath(u"m.mlarchive"_s).toStdString()));
        QVERIFY(archived.found.find(".mlarchive") != std::string::npos);
    }
};

KERNSCOPE_TEST(TestCheckpoint, QCoreApplication)
#include "tst_checkpoint.moc"
