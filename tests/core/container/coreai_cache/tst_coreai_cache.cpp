// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up folders of the published layout, and hostile ones: no folder that a Mac made was at hand.
#include "core/format/table_rows.h"
#include "core/report/compiled_origin.h"
#include "tests/core/container/coreai_cache/made_compiled_folder.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace kernscope::coreai_cache;

namespace {

Survey surveyed(const QString &path)
{
    auto survey = surveyFolder(path.toStdString(), nullptr);
    return survey ? std::move(*survey) : Survey();
}

QByteArray codeOf(const QString &path)
{
    const auto survey = surveyFolder(path.toStdString(), nullptr);
    return survey ? QByteArray() : QByteArray::fromStdString(survey.error().code);
}

const Part *partOf(const Survey &survey, std::string_view role)
{
    const auto found =
        std::ranges::find_if(survey.parts, [role](const Part &part) { return part.role == role; });
    return found != survey.parts.end() ? &*found : nullptr;
}

/// All values of a kind, with a space between them.
QByteArray said(const Survey &survey, std::string_view what)
{
    QByteArray all;
    for (const Fact &fact : survey.facts) {
        if (fact.what == what)
            all += (all.isEmpty() ? "" : " ") + QByteArray::fromStdString(fact.value);
    }
    return all;
}

QByteArray ascii(const QByteArray &text)
{
    return text.size() < 15 ? char(0x50 | text.size()) + text
                            : "\x5F\x10"_ba + char(text.size()) + text;
}

/// A binary property list of those objects, the first one on top; they name one another by a byte.
QByteArray binaryList(const std::vector<QByteArray> &objects)
{
    QByteArray list = "bplist00", table;
    for (const QByteArray &object : objects) {
        table += char(list.size() >> 16);
        table += char(list.size() >> 8);
        table += char(list.size());
        list += object;
    }
    const auto number = [](qsizetype value) {
        return QByteArray(4, '\0') + char(value >> 24) + char(value >> 16) + char(value >> 8) +
               char(value);
    };
    return list + table + QByteArray(6, '\0') + char(3) + char(1) +
           number(qsizetype(objects.size())) + number(0) + number(list.size());
}

std::vector<QByteArray> madeObjects()
{
    return {QByteArray("\xD2\x01\x02\x03\x04", 5),
            ascii("a"),
            QByteArray("\x63\x00\xe9\xd8\x3d\xde\x00", 7),
            QByteArray("\x11\x01\x2c", 3),
            QByteArray("\xA7\x05\x06\x07\x08\x09\x0a\x0b", 8),
            QByteArray("\x09", 1),
            QByteArray("\x23\x3f\xf8\x00\x00\x00\x00\x00\x00", 9),
            QByteArray("\x42\xaa\xbb", 3),
            QByteArray("\x13\xff\xff\xff\xff\xff\xff\xff\xff", 9),
            ascii("twenty letters are 20"),
            QByteArray("\x33\x40\x04\x00\x00\x00\x00\x00\x00", 9),
            ascii("{\"inner\": 1}")};
}

} // namespace

class TestCoreaiCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void compiledFolder()
    {
        const Survey survey = surveyed(madeCompiledFolder(scratch("sound")));
        QVERIFY(survey.diagnostics.empty());
        QCOMPARE(survey.bytes, 500000000U);
        QCOMPARE(survey.engineBytes, 48800000U);
        QCOMPARE(survey.files, 8U);
        QCOMPARE(report::surveySentence(survey), "48.8 of 500 MB lie on the engine, in 1 region");
        // Graph and weights of a region are one region, whose folder names the architecture.
        const Part &region = survey.parts.front();
        QCOMPARE(region.name, "main_0_ANE_region_0_0");
        QCOMPARE(region.bytes, 48800000U);
        QVERIFY(region.architectures == std::vector<std::string>{"h17c"});
        QCOMPARE(partOf(survey, "weights")->place, Place::Unknown);
        QCOMPARE(partOf(survey, "compiled module")->place, Place::Elsewhere);
        QCOMPARE(said(survey, "architecture"), "h17c"_ba);
        QCOMPARE(said(survey, "package version"), "7.0.63"_ba);
        QCOMPARE(said(survey, "compiler"), "coreai-build-0 made up"_ba);
        QCOMPARE(said(survey, "region hash"), "1111_2222"_ba);
        QCOMPARE(said(survey, "preferred device"), "2"_ba);
        QCOMPARE(said(survey, "GPU adapter"), "NO"_ba);
        QCOMPARE(said(survey, "statistics"), "250"_ba);
        for (const Fact &fact : survey.facts) {
            if (fact.what == "statistics")
                QCOMPARE(fact.of, "storage/Float16/count");
            if (fact.what == "region hash")
                QCOMPARE(fact.of, "h17c");
        }
    }

    void nothingIsRefused()
    {
        const Survey survey =
            surveyed(madeCompiledFolder(scratch("refused"), kNothing + "_" + kNothing));
        QCOMPARE(survey.engineBytes, 0U);
        QCOMPARE(survey.refused(), 1U);
        QCOMPARE(survey.parts.front().place, Place::Elsewhere);
        QCOMPARE(report::surveySentence(survey),
                 "0 of 500 MB lie on the engine, in no region; 1 refused by the engine");
        QVERIFY(isRefused("E3B0C442"));
        QVERIFY(isRefused("0123456789_e3b0c44298fc"));
        QVERIFY(!isRefused("E3B0C44"));
        QVERIFY(!isRefused("E3B0C443"));
        QVERIFY(!isRefused(""));
        QVERIFY(!isRefused("_"));
    }

    void isOfThePackage()
    {
        const Survey survey = surveyed(madeCompiledFolder(scratch("of")));
        const auto hash = [&](const QByteArray &bytes) {
            return packageHash(madePackage(scratch("of"), bytes).toStdString());
        };
        const auto same = hash(QByteArray(32, char(0xaa)));
        QVERIFY(same && compiledFrom(survey, *same) == true);
        const auto other = hash(QByteArray(32, char(0xab)));
        QVERIFY(other && compiledFrom(survey, *other) == false);
        const auto cut = hash("short");
        QVERIFY(!cut && cut.error().code == "aimodel.hash" && cut.error().offset);
        QCOMPARE(packageHash("/nowhere").error().code, "io.open");
        // A hash in a notation that was never seen says nothing.
        Survey odd;
        odd.facts.emplace_back();
        odd.facts.back().what = "source hash";
        odd.facts.back().value = "sha256:" + std::string(57, 'a');
        QVERIFY(!compiledFrom(odd, *same));
    }

    void entryOfACache()
    {
        const QByteArray options(64, 'C');
        const QString entry = scratch("coreai-cache/26A434/made/") +
                              QString::fromLatin1(kSourceHash) + u'/' +
                              QString::fromLatin1(options) + u"/model.aimodelx/"_s;
        QVERIFY(putFile(entry + u"main-this.odix"_s, "x"));
        QVERIFY(putFile(entry + u"main-this-delegates/BNNS/bnns.ir0"_s, "yy"));
        // From the whole cache, from the entry, and from a folder within it.
        for (const QString &path : {scratch("coreai-cache"), entry.chopped(1), entry}) {
            const Survey survey = surveyed(path);
            QCOMPARE(said(survey, "source hash"), kSourceHash);
            QCOMPARE(said(survey, "options hash"), options);
            QCOMPARE(said(survey, "architecture"), QByteArray()); // "this" is none
            QCOMPARE(survey.bytes, 3U);
            QCOMPARE(survey.count("BNNS program", Place::Elsewhere), 1U);
        }
    }

    void containersAreNotCountedTwice()
    {
        const QString root = madeCompiledFolder(scratch("containers"));
        const QString container =
            u"/main-h17c-delegates/MPSGraph/mpsExecutable.mpsgraphpackage/binary_0.hwx"_s;
        QVERIFY(putFile(root + container, {}, 1000));
        QCOMPARE(surveyed(root).engineBytes, 48800000U);
        QVERIFY(partOf(surveyed(root), "hardware container")->again);
        // Alone, as in a specialization bundle, it is what lies on the engine.
        const QString bundle = scratch("model.specialization.bundle");
        QVERIFY(putFile(bundle + u"/H16G.bundle/main/made_ane/model.hwx"_s, {}, 3000));
        QVERIFY(putFile(bundle + u"/H16G.bundle/H16G.e5"_s, {}, 1000));
        const Survey survey = surveyed(bundle);
        QCOMPARE(said(survey, "architecture"), "H16G"_ba);
        QCOMPARE(report::surveySentence(survey),
                 "3 of 4 kB lie on the engine, in 1 hardware container");
        QCOMPARE(surveyed(bundle + u"/H16G.bundle/H16G.e5"_s).files, 1U);
    }

    void unknownStaysUnknown()
    {
        const QString root = madeCompiledFolder(scratch("unknown"));
        QVERIFY(putFile(root + u"/never-seen.dat"_s, "12345"));
        const Survey survey = surveyed(root);
        const Part *part = VERIFIED(partOf(survey, "unknown"));
        QCOMPARE(part->place, Place::Unknown);
        QCOMPARE(part->bytes, 5U);
    }

    void sentence_data()
    {
        const auto row = addColumns<quint64, quint64, QByteArray>();
        row("none", 0, 0, "0 of 0 bytes lie");
        row("bytes", 12, 999, "12 of 999 bytes lie");
        row("rounded up", 999600, 999600, "1 of 1 MB lie");
        row("little", 1200, 500000000000, "1.2 kB of 500 GB lie");
        row("most", quint64(UINT64_MAX), quint64(UINT64_MAX), "18446744 of 18446744 TB lie");
    }

    void sentence()
    {
        const auto [engine, all, begin] = fetched<quint64, quint64, QByteArray>();
        Survey survey;
        survey.engineBytes = engine;
        survey.bytes = all;
        const std::string text = report::surveySentence(survey);
        QVERIFY2(text.starts_with(begin.toStdString()), text.c_str());
    }

    void wrongTexts_data()
    {
        const auto row = addColumns<QByteArray, quint64>();
        row("nothing", "", 0);
        row("binary without an end", "bplist00", 8);
        row("no list", "<dict/>", 0);
        row("text", "<plist>x", 7);
        row("unended", "<plist><dict>", 13);
        row("value without key", "<plist><dict><true/></dict></plist>", 13);
        row("key without value", "<plist><dict><key>a</key></dict></plist>", 25);
        row("two keys", "<plist><dict><key>a</key><key>b</key></dict></plist>", 25);
        row("crossed", "<plist><dict></array>", 13);
        row("unknown element", "<plist><set/></plist>", 7);
        row("entity", "<plist><string>a&evil;</string></plist>", 16);
        row("entity without end", "<plist><string>a&amp", 16);
        row("element within a text", "<plist><string>a<b/></string></plist>", 16);
        row("nested list", "<plist><plist/></plist>", 7);
        row("declared entity", "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>", 32);
        row("comment without end", "<!-- <plist/>", 0);
        row("empty name", "<>", 0);
        row("end first", "</plist>", 0);
        row("long name", "<plist><" + QByteArray(4096, 'a') + "></plist>", 7);
    }

    void wrongTexts()
    {
        const auto [text, offset] = fetched<QByteArray, quint64>();
        const Error leaves = REFUSED(plistLeaves(text.toStdString(), "manifest.plist"));
        QCOMPARE(leaves.code, "coreai_cache.plist");
        QCOMPARE(leaves.file, "manifest.plist");
        QCOMPARE(quint64(leaves.offset->value), offset);
        QVERIFY(!leaves.expected.empty());
    }

    /// Cut anywhere and with any byte changed it is read or refused with a place inside.
    void textsOfAnyLength()
    {
        const std::string whole = madeManifest("1_2").toStdString();
        const std::size_t used = whole.find("</plist>") + 8;
        QVERIFY(plistLeaves(whole, "f"));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const auto cut = plistLeaves(std::string_view(whole).substr(0, i), "f");
            QCOMPARE(cut.has_value(), i >= used);
            QVERIFY(cut || cut.error().offset->value <= i);
            for (const char other : {'<', '>', '/', '&', '\0', '{', '\xff'}) {
                std::string changed = whole;
                changed[i] = other;
                const auto leaves = plistLeaves(changed, "f");
                QVERIFY(leaves || leaves.error().offset->value <= changed.size());
            }
        }
    }

    /// What each object of a binary list comes to.
    void binaryLists()
    {
        const auto leaves =
            VERIFIED(plistLeaves(binaryList(madeObjects()).toStdString(), "manifest.plist"));
        const std::vector<std::pair<std::string, std::string>> expected{
            {"a", "300"},
            {"\u00e9\U0001F600/0", "true"},
            {"\u00e9\U0001F600/1", "1.5"},
            {"\u00e9\U0001F600/2", "AABB"},
            {"\u00e9\U0001F600/3", "-1"},
            {"\u00e9\U0001F600/4", "twenty letters are 20"},
            {"\u00e9\U0001F600/5", "2.5 s after 2001-01-01"},
            {"\u00e9\U0001F600/6/inner", "1"}};
        QCOMPARE(leaves->size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE((*leaves)[i].path, expected[i].first);
            QVERIFY2(QByteArray::fromStdString((*leaves)[i].value)
                             .compare(QByteArray::fromStdString(expected[i].second),
                                      Qt::CaseInsensitive) == 0,
                     (*leaves)[i].value.c_str());
        }
        // A cache of a Mac: the region hash is found as in a list of XML.
        const QString root = madeCompiledFolder(scratch("binary"));
        const QString manifest = root + u"/manifest.plist"_s;
        QVERIFY(putFile(manifest,
                        binaryList({QByteArray("\xD1\x01\x02", 3), ascii("Package Version"),
                                    QByteArray("\xD1\x03\x04", 3), ascii("7.0.64"),
                                    QByteArray("\xD1\x05\x06", 3), ascii("ANERegionsHash"),
                                    QByteArray("\xD1\x07\x08", 3), ascii("h17c"), ascii("1_2")})));
        const Survey survey = surveyed(root);
        QVERIFY(survey.diagnostics.empty());
        const auto said = [&survey](const char *what, const char *of, const char *value) {
            return std::ranges::any_of(survey.facts, [&](const Fact &fact) {
                return fact.what == what && fact.of == of && fact.value == value &&
                       fact.file == "manifest.plist";
            });
        };
        QVERIFY(said("package version", "", "7.0.64"));
        QVERIFY(said("region hash", "h17c", "1_2"));
    }

    void hostileBinaryLists_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const std::vector<QByteArray> &objects) {
            addRow(name, binaryList(objects));
        };
        row("itself", {QByteArray("\xA1\x00", 2)});
        row("a circle", {QByteArray("\xA1\x01", 2), QByteArray("\xD1\x02\x00", 3), ascii("k")});
        std::vector<QByteArray> doubling;
        for (char i = 1; i < 60; ++i)
            doubling.push_back(QByteArray("\xA2", 1) + i + i);
        doubling.push_back(QByteArray("\xA0", 1));
        row("doubling", doubling);
        row("no such object", {QByteArray("\xA1\x09", 2)});
        row("many members", {QByteArray("\xAF\x13\xff\xff\xff\xff\xff\xff\xff\xff", 10)});
        row("long text", {QByteArray("\x5F\x13\x7f\xff\xff\xff\xff\xff\xff\xff", 10)});
        row("long letters", {QByteArray("\x6F\x13\x80\x00\x00\x00\x00\x00\x00\x01", 10)});
        row("one text again and again",
            {QByteArray("\xAF\x11\x4e\x00", 4) + QByteArray(0x4e00, char(1)),
             QByteArray("\x5F\x11\x40\x00", 4) + QByteArray(0x4000, 'x')});
        row("half a letter", {QByteArray("\x61\xd8\x00", 3)});
        row("number of members is a text", {QByteArray("\xAF\x51\x61", 3)});
        row("key is a number", {QByteArray("\xD1\x01\x01", 3), QByteArray("\x10\x01", 2)});
        row("unknown object", {QByteArray("\x70", 1)});
        row("number of 32 bytes", {QByteArray("\x15", 1) + QByteArray(32, 'x')});
        row("real number of one byte", {QByteArray("\x20x", 2)});
        QByteArray table = binaryList({ascii("x")});
        table[table.size() - 1] = char(0x7f);
        addRow("table behind the end", table);
        QByteArray wide = binaryList({ascii("x")});
        wide[wide.size() - 26] = char(9);
        addRow("offsets of 9 bytes", wide);
    }

    void hostileBinaryLists()
    {
        QFETCH(QByteArray, text);
        const Error leaves = REFUSED(plistLeaves(text.toStdString(), "manifest.plist"));
        QCOMPARE(leaves.code, "coreai_cache.plist");
        QVERIFY(leaves.offset && leaves.offset->value <= std::uint64_t(text.size()));
    }

    /// Cut anywhere and with any byte changed a binary list is read or refused.
    void binaryListsOfAnyLength()
    {
        const std::string whole = binaryList(madeObjects()).toStdString();
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const auto cut = plistLeaves(std::string_view(whole).substr(0, i), "f");
            QVERIFY(!cut && cut.error().offset->value <= i);
            for (const unsigned other :
                 {0x00U, 0x01U, 0x0fU, 0x5fU, 0x7fU, 0x80U, 0xafU, 0xd2U, 0xffU}) {
                std::string changed = whole;
                changed[i] = char(other);
                const auto leaves = plistLeaves(changed, "f");
                QVERIFY(leaves || leaves.error().offset->value <= changed.size());
            }
        }
    }

    void hostileEntries()
    {
        const QString root = madeCompiledFolder(scratch("hostile"));
        const auto at = [&root](const char *name) {
            return (root + u'/' + QLatin1String(name)).toStdString();
        };
        QVERIFY(putFile(scratch("outside/binary_9.hwx"), {}, 1 << 20));
        QCOMPARE(::symlink(scratch("outside").toStdString().c_str(), at("link").c_str()), 0);
        QCOMPARE(::symlink("/dev/zero", at("stats.plist").c_str()), 0);
        QCOMPARE(::symlink(root.toStdString().c_str(), at("loop").c_str()), 0);
        QCOMPARE(::mkfifo(at("manifest.plist").c_str(), 0600), 0);
        QString deep = root;
        for (std::size_t i = 0; i <= kMostDepth; ++i)
            deep += u"/d"_s;
        QVERIFY(putFile(deep + u"/binary_1.hwx"_s, "x"));
        // Sizes whose sum is beyond 64 bits cannot be made on a disk; large ones can.
        const bool huge = putFile(root + u"/resources.bin"_s, {}, qint64(1) << 42);
        const Survey survey = surveyed(root);
        QCOMPARE(survey.diagnostics.size(),
                 5U); // two folders are linked, one is too deep
        QVERIFY(!hasErrors(survey.diagnostics));
        QCOMPARE(survey.engineBytes, 48800000U);
        QCOMPARE(survey.bytes, std::uint64_t(500000000) + (huge ? std::uint64_t(1) << 42 : 0));
    }

    void hostileTexts()
    {
        const auto faultOf = [&](const char *folder, const char *name, const QByteArray &text) {
            const QString root = madeCompiledFolder(scratch(folder));
            if (!putFile(root + u'/' + QLatin1String(name), text))
                return Error();
            const Survey survey = surveyed(root);
            const bool rest = survey.engineBytes == 48800000;
            return survey.diagnostics.size() == 1 && rest ? survey.diagnostics[0].error : Error();
        };
        const Error deep = faultOf("deep", "stats.json", QByteArray(100000, '['));
        QCOMPARE(deep.code, "coreai_cache.json");
        QCOMPARE(deep.file, "stats.json");
        const Error cut = faultOf("cut", "metadata.json", "{\"sourceHash\": ");
        QVERIFY(cut.code == "coreai_cache.json" && cut.offset && cut.offset->value == 15);
        const Error many = faultOf("many", "stats.json", "[" + "1,"_ba.repeated(30000) + "1]");
        QCOMPARE(many.code, "coreai_cache.json");
        const Error key = faultOf("key", "stats.json", "{\"" + QByteArray(5000, 'k') + "\":1}");
        QCOMPARE(key.code, "coreai_cache.json");
        const Error large = faultOf("large", "metadata.json", QByteArray(5 << 20, ' '));
        QVERIFY(large.code == "io.limit" && large.file == "metadata.json");
        const Error levels =
            faultOf("levels", "manifest.plist", "<plist>" + "<array>"_ba.repeated(100000));
        QVERIFY(levels.code == "coreai_cache.plist" && levels.offset);
        const Error values =
            faultOf("values", "manifest.plist",
                    "<plist><array>" + "<true/>"_ba.repeated(30000) + "</array></plist>");
        QVERIFY(values.code == "coreai_cache.plist" && values.offset);
        const Error path =
            faultOf("path", "manifest.plist",
                    "<plist><dict><key>" + QByteArray(5000, 'k') + "</key><true/></dict></plist>");
        QVERIFY(path.code == "coreai_cache.plist" && path.offset);
    }

    void nothingOfTheLayout()
    {
        QCOMPARE(codeOf(u"/nowhere"_s), "io.open"_ba);
        QVERIFY(putFile(scratch("other/readme.txt"), "x"));
        QCOMPARE(codeOf(scratch("other")), "coreai_cache.kind"_ba);
        Progress stopped;
        stopped.cancel();
        const auto survey = surveyFolder(scratch("other").toStdString(), &stopped);
        QVERIFY(!survey && survey.error().code == "task.cancelled");
    }

    void everyRowHasItsSource()
    {
        const auto table = tables::load("coreai_cache");
        QVERIFY(table && table->rows() > 30);
        for (std::size_t i = 0; i < table->rows(); ++i) {
            QVERIFY(!table->cell(i, "source").empty());
            QVERIFY(table->cell(i, "what") != "file" || !table->cell(i, "place").empty());
        }
    }

private:
    QString scratch(const char *name) const
    {
        return m_scratch.filePath(QString::fromLatin1(name));
    }
    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCoreaiCache, NoApplication)
#include "tst_coreai_cache.moc"
