// SPDX-License-Identifier: GPL-3.0-or-later
#include "mil_text.h"

using namespace miltest;

class TestMilManifest : public QObject
{
    Q_OBJECT

private slots:
    void manifests_data()
    {
        // answer: the path, or the code of the fault
        const auto row = addColumns<QByteArray, QByteArray>();
        const auto with = [](const QByteArray &path) {
            return R"({"itemInfoEntries": {"U": {"path": "%"}, "W": {"path": "weights"}}, )"
                   R"("fileFormatVersion": "1.0.0", "rootModelIdentifier": "U"})"_ba.replace('%',
                                                                                             path);
        };
        row("real", with("com.apple.CoreML/model.mlmodel"), "Data/com.apple.CoreML/model.mlmodel");
        row("flat", with("m.mlmodel"), "Data/m.mlmodel");
        row("dots in names", with("..a/b..c/.d"), "Data/..a/b..c/.d");
        row("up", with("../m.mlmodel"), "manifest.path");
        row("up within", with("a/../../m"), "manifest.path");
        row("up at the end", with("a/.."), "manifest.path");
        row("absolute", with("/etc/hostname"), "manifest.path");
        row("backslashes", with("..\\\\m"), "manifest.path");
        row("NUL", with("a\\u0000b"), "manifest.path");
        row("empty path", with(""), "manifest.path");
        row("here", with("./m"), "manifest.path");
        row("double slash", with("a//m"), "manifest.path");
        row("empty", "", "manifest.json");
        row("no JSON", "{", "manifest.json");
        row("bad UTF-8", "{\"a\": \"\xFF\"}", "manifest.json");
        row("a list", "[]", "manifest.json");
        row("too deep", "["_ba.repeated(100000), "manifest.json");
        row("deep and closed", "{\"a\":" + "["_ba.repeated(100000) + "]"_ba.repeated(100000) + "}",
            "manifest.json");
        row("no root", "{}", "manifest.root");
        row("root a number", R"({"rootModelIdentifier": 1})", "manifest.root");
        row("no entries", R"({"rootModelIdentifier": "U"})", "manifest.root");
        row("entries a list", R"({"rootModelIdentifier": "U", "itemInfoEntries": ["U"]})",
            "manifest.root");
        row("other entries",
            R"({"rootModelIdentifier": "U", "itemInfoEntries": {"V": {"path": "m"}}})",
            "manifest.root");
        row("entry a string", R"({"rootModelIdentifier": "U", "itemInfoEntries": {"U": "m"}})",
            "manifest.root");
        row("no path", R"({"rootModelIdentifier": "U", "itemInfoEntries": {"U": {"name": "m"}}})",
            "manifest.root");
        row("path a number",
            R"({"rootModelIdentifier": "U", "itemInfoEntries": {"U": {"path": 3}}})",
            "manifest.root");
        row("too large", QByteArray(17 << 20, ' '), "manifest.json");
    }

    void manifests()
    {
        const auto [json, answer] = fetched<QByteArray, QByteArray>();
        const auto path = mil::modelPathFromManifest(asSpan(json), "Manifest.json");
        QCOMPARE(QByteArray::fromStdString(path ? *path : path.error().code), answer);
        if (!path) {
            QCOMPARE(path.error().file, "Manifest.json");
            QVERIFY(!path.error().expected.empty());
            QVERIFY(!path.error().message.empty());
            QVERIFY(!path.error().found.empty() && path.error().found.size() < 300);
            QVERIFY(path.error().offset &&
                    path.error().offset->value <= std::uint64_t(json.size()));
        }
    }

    /// The first character that is no JSON, not the whole manifest.
    void placeOfAFault()
    {
        const auto at = [](const QByteArray &json) {
            const auto path = mil::modelPathFromManifest(asSpan(json), "Manifest.json");
            return path ? std::pair(UINT64_MAX, std::string())
                        : std::pair(path.error().offset.value_or(FileOffset(UINT64_MAX)).value,
                                    path.error().found);
        };
        QCOMPARE(at("{\"a\": 1, !\"b\": 2}"),
                 std::pair(std::uint64_t{9}, std::string("!\"b\": 2}")));
        QCOMPARE(at("{\"a\": 1"), std::pair(std::uint64_t{7}, std::string("the end")));
        QCOMPARE(at("[]"), std::pair(std::uint64_t{0}, std::string("[]")));
        QCOMPARE(at("{\"rootModelIdentifier\": 1}").first, 1U);
    }
};

KERNSCOPE_TEST(TestMilManifest, NoApplication)
#include "tst_mil_manifest.moc"
