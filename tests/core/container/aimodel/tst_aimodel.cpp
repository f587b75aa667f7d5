// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/aimodel/package.h"

#include "core/base/sha256.h"
#include "made_module.h"
#include "tests/test_program.h"

namespace {

std::string codesOf(const Diagnostics &findings)
{
    std::string codes;
    for (const Diagnostic &each : findings)
        codes += (codes.empty() ? "" : " ") + each.error.code;
    return codes;
}

} // namespace

class TestAimodel : public QObject
{
    Q_OBJECT

private slots:
    void metadata_data()
    {
        // codes: /< of the error, or of the findings
        const auto row = addColumns<QByteArray, QByteArray>();
        row("whole", R"({"assetVersion":"2.0","producer":"x"})", {});
        row("minimal", R"({"assetVersion":"2.0"})", "aimodel.producer");
        row("newer", R"({"assetVersion":"3.0","producer":"x"})", "aimodel.asset_version");
        row("a number", R"({"assetVersion":2.0,"producer":"x"})", "aimodel.asset_version");
        row("empty", "{}", "aimodel.asset_version aimodel.producer");
        row("a list", "[]", "aimodel.metadata");
        row("no JSON", "{ x", "aimodel.metadata");
        row("nothing", {}, "aimodel.metadata");
        row("deep", QByteArray(1000, '['), "aimodel.metadata");
    }

    void metadata()
    {
        const auto [text, codes] = fetched<QByteArray, QByteArray>();
        const auto read = aimodel::readMetadata(asSpan(text), "metadata.json");
        if (!read) {
            QCOMPARE(QByteArray::fromStdString(read.error().code), codes);
            QCOMPARE(read.error().file, "metadata.json");
            QVERIFY(read.error().offset);
            return;
        }
        QCOMPARE(QByteArray::fromStdString(codesOf(aimodel::metadataFindings(&*read))), codes);
    }

    void values()
    {
        const auto read = VERIFIED(aimodel::readMetadata(
            asSpan(R"({"assetVersion":"2.0","author":7,"license":"MIT","x":[1],
                    "creatorDefinedMetadata":{"":{"a":[true]},"k":"v"}})"),
            "metadata.json"));
        QCOMPARE(read->author, "7");
        QCOMPARE(read->license, "MIT");
        QCOMPARE(read->custom.size(), 2U);
        QCOMPARE(read->custom[0].second, std::string(R"({"a":[true]})"));
        QCOMPARE(read->others.size(), 1U);
        QCOMPARE(codesOf(aimodel::metadataFindings(nullptr)), "aimodel.no_metadata");
    }

    void hash()
    {
        const QByteArray text("abc");
        auto digest =
            QByteArray::fromHex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        QVERIFY(!aimodel::hashFinding(asSpan(text), asSpan(digest)));
        digest[0] = char(0xBB);
        const auto wrong = VERIFIED(aimodel::hashFinding(asSpan(text), asSpan(digest)));
        QCOMPARE(wrong->code, "aimodel.hash");
        QCOMPARE(wrong->file, "main.hash");
        QVERIFY(wrong->found.starts_with("bb78") && wrong->expected.starts_with("ba78"));
        digest.chop(1);
        QCOMPARE(aimodel::hashFinding(asSpan(text), asSpan(digest))->found, "31 bytes");
        QCOMPARE(aimodel::hashFinding(asSpan(text), std::nullopt)->code, "aimodel.no_hash");
    }

    /// Only what debug information alone holds: the graph of this module is called as a path.
    void authorPaths()
    {
        MadeModule made = madeWeights();
        std::uint64_t next = made.attributes.size();
        made.attributes[0] =
            varints({32, made.string("py"), next, made.string("x"), 0, made.string(""), 5, next,
                     next + 1, next + 2, next + 3, next + 4}); // the location of all operations
        *std::ranges::find(made.strings, "main") = "/graph/main";
        for (const char *text :
             {"/Users/me/model.py", "C:\\Users\\me", "//comment", "a/b", "/graph/main"})
            made.attribute({30, made.string(text), made.string(""), made.string("")});
        const auto bytes = made.bytes();
        const mlir::Module module = mlir::readModule(bytes, "main.mlirb");
        QVERIFY2(!module.fault, module.fault ? describe(*module.fault).c_str() : "");
        const auto paths = aimodel::authorPaths(module);
        QCOMPARE(paths.size(), 2U);
        QCOMPARE(module.textOf(paths[0].range), std::string_view("/Users/me/model.py"));
        const auto finding = aimodel::authorPathFinding(paths);
        QVERIFY(finding && finding->found == "2" && finding->offset == paths[0].range.offset);
        QVERIFY(!aimodel::authorPathFinding({}));
    }
};

KERNSCOPE_TEST(TestAimodel, QCoreApplication)
#include "tst_aimodel.moc"
