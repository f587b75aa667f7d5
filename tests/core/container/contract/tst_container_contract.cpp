// SPDX-License-Identifier: GPL-3.0-or-later
// What every container promises, whatever it is (container_samples.cpp has one of each).
#include "container_samples.h"
#include "core/patch/patch.h"
#include "rewrite.h"
#include "tests/core/bundle/promises.h"
#include "tests/data/data_folder.h"

using test::ContainerSample;

namespace {

std::vector<Bytes> allFiles(const Bundle &bundle)
{
    std::vector<Bytes> content;
    for (const BundleFile &file : bundle.files()) {
        const auto bytes = file.file->bytes();
        content.emplace_back(bytes.begin(), bytes.end());
    }
    return content;
}

/// Every file and folder below a folder, with the time of its last change and its bytes.
QStringList standing(const QString &folder)
{
    QStringList all;
    for (const QString &path : pathsBelow(folder))
        all << path + u' ' + QString::number(QFileInfo(path).lastModified().toMSecsSinceEpoch()) +
                   u' ' + QString::fromLatin1(contentOf(path).toHex());
    return all;
}

/// Names of the folders and files that hold weights.
QStringList containerNames()
{
    QStringList names;
    for (const ContainerReader *reader : containerReaders()) {
        for (const std::string_view ending : reader->endings)
            names << QLatin1Char('*') + QString::fromUtf8(ending.data(), qsizetype(ending.size()));
    }
    return names << u"weight.bin"_s;
}

} // namespace

/// What is said of files that no reader opens.
class TestContainerContract : public QObject
{
    Q_OBJECT

private slots:
    void opens_data() { addContainers(); }

    /// Its kind, without a fault; the sections cover each byte once; weights decode; it has a fuzz
    /// target; reading again gives the same.
    void opens()
    {
        const ContainerSample given = fetchedContainer();
        const auto bundle = VERIFIED(Bundle::open(given.name, given.files));
        QCOMPARE((*bundle)->kind(), given.kind);
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        QVERIFY(!(*bundle)->weights().empty());
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            QVERIFY((*bundle)->decoder(i));
            QCOMPARE((*bundle)->weightByName((*bundle)->weights()[i].findableName()),
                     std::optional(i));
        }
        const auto again = VERIFIED((*bundle)->reread());
        QCOMPARE((*again)->weights().size(), (*bundle)->weights().size());
        QCOMPARE((*again)->sections().size(), (*bundle)->sections().size());
        const ContainerReader &reader = readerOf(given);
        const auto text = [](std::string_view view) {
            return QString::fromUtf8(view.data(), qsizetype(view.size()));
        };
        const QString root = sourcePath({});
        QVERIFY(QFile::exists(root + u"/tests/fuzz/"_s + text(reader.fuzzTarget) + u".cpp"_s));
        QVERIFY(QFile::exists(root + u'/' + QLatin1String(given.pages) + u'/' +
                              text(reader.helpPage) + u".md"_s));
    }

    void writesBack_data() { addContainers(); }

    /// Parsed and written again, each file has the same bytes; of a kind that nothing writes, that
    /// is said, and no edit is taken either.
    void writesBack()
    {
        const ContainerSample given = fetchedContainer();
        const auto bundle = VERIFIED(Bundle::open(given.name, given.files));
        if ((*bundle)->readOnlyReason().empty())
            return requireWrittenBack(readerOf(given), **bundle);
        QCOMPARE(REFUSED(rewrite(readerOf(given), (*bundle)->files())).code, "container.read_only");
    }

    void opensAsReadOnlyCopy_data() { addContainers(); }

    /// On a disk, where no file may be written: it opens as it does in memory.
    void opensAsReadOnlyCopy()
    {
        const ContainerSample given = fetchedContainer();
        QTemporaryDir scratch;
        QVERIFY(scratch.isValid());
        const QString folder = scratch.filePath(QLatin1String(given.name));
        const bool lone = given.files.memory.size() == 1;
        for (const auto &[path, bytes] : given.files.memory) {
            const QString place = lone ? folder : folder + u'/' + QString::fromStdString(path);
            QVERIFY(QDir().mkpath(QFileInfo(place).path()));
            QVERIFY(put(place, bytes));
            QVERIFY(QFile::setPermissions(place, QFileDevice::ReadOwner));
        }
        const auto memory = Bundle::open(given.name, given.files);
        OpenOptions byReader;
        byReader.reader = given.files.reader;
        const auto before = standing(scratch.path());
        const auto disk = Bundle::open(folder.toStdString(), byReader);
        QVERIFY(memory);
        // Nothing made, removed or changed: the superuser may write whatever the permissions say.
        QCOMPARE(standing(scratch.path()), before);
        QVERIFY2(disk, disk ? "" : describe(disk.error()).c_str());
        QCOMPARE((*disk)->kind(), given.kind);
        QCOMPARE(faults((*disk)->diagnostics()), std::vector<std::string>());
        QVERIFY(allFiles(**disk) == allFiles(**memory));
        QCOMPARE((*disk)->sections().size(), (*memory)->sections().size());
        QCOMPARE((*disk)->weights().size(), (*memory)->weights().size());
    }

    void patches_data() { addContainers(); }

    /// One element of the first weight: exactly the bytes announced change; or, of a container that
    /// is read only, the edit is refused and nothing does.
    void patches()
    {
        const ContainerSample given = fetchedContainer();
        const auto bundle = VERIFIED(Bundle::open(given.name, given.files));
        const Weight &weight = (*bundle)->weights().front();
        const auto before = allFiles(**bundle);
        const auto edit = VERIFIED(parseEdit(Edit::Kind::Set, firstElementEdit(weight)));
        const auto planned = planEdits(*bundle, {*edit}, 4);
        QVERIFY(allFiles(**bundle) == before);
        QCOMPARE(planned.has_value(), (*bundle)->readOnlyReason().empty());
        if (!planned) {
            QCOMPARE(planned.error().code, "patch.readonly");
            return;
        }
        auto expected = before;
        for (const FileEdit &change : planned->front().bytes)
            std::ranges::copy(change.after,
                              expected[change.file].begin() + std::ptrdiff_t(change.offset.value));
        QVERIFY(expected != before);
        const auto after = VERIFIED(applyEdit(*bundle, planned->front()));
        QVERIFY(allFiles(**after) == expected);
        const auto undone = VERIFIED(revertEdit(*after, planned->front()));
        QVERIFY(allFiles(**undone) == before);
    }

    void damaged_data() { addContainers(); }

    /// Each file cut, each of its first bytes changed, and several numbers anywhere: it opens or is
    /// refused with a code, and what opens keeps what a bundle promises and is written back as it
    /// is, or not at all. Of a file that is cut something is said.
    void damaged()
    {
        const ContainerSample given = fetchedContainer();
        constexpr std::size_t kBytes = 600;
        const auto check = [&given](std::size_t file, Bytes content) {
            OpenOptions options = given.files;
            options.memory[file].second = std::move(content);
            const auto bundle = Bundle::open(given.name, options);
            if (!bundle) {
                QVERIFY(!bundle.error().code.empty() && !bundle.error().message.empty());
                return;
            }
            QCOMPARE(brokenPromise(**bundle), std::string());
            const auto written = rewrite(readerOf(given), (*bundle)->files());
            if (written && given.kind != BundleKind::Quantized) // whose manifest is laid out anew
                QVERIFY(*written == allFiles(**bundle));
            const auto &[path, bytes] = options.memory[file];
            QVERIFY2(bytes.empty() || bytes.size() == given.files.memory[file].second.size() ||
                         path.ends_with("metadata.json") || !(*bundle)->diagnostics().empty(),
                     path.c_str());
            for (const Diagnostic &diagnostic : (*bundle)->diagnostics()) {
                const Error &error = diagnostic.error;
                QVERIFY2(!error.file.empty() && (error.offset || !error.field.empty()),
                         describe(error).c_str());
                const auto place = (*bundle)->fileByPath(error.file);
                if (error.offset && place)
                    QVERIFY2(error.offset->value <= (*bundle)->files()[*place].file->size().value,
                             describe(error).c_str());
            }
        };
        for (std::size_t file = 0; file < given.files.memory.size(); ++file) {
            const Bytes &whole = given.files.memory[file].second;
            for (std::size_t at = 0; at < std::min(whole.size(), kBytes); ++at) {
                check(file, Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(at)));
                Bytes changed = whole;
                changed[at] ^= std::byte{0x55};
                check(file, std::move(changed));
            }
        }
        std::mt19937_64 random(4711);
        for (int round = 0; round < 500; ++round) {
            const std::size_t file = random() % given.files.memory.size();
            Bytes content = given.files.memory[file].second;
            if (round % 5 == 0 && !content.empty())
                content.resize(random() % content.size());
            for (std::uint64_t i = 1 + random() % 5; i > 0 && !content.empty(); --i) {
                const std::uint64_t numbers[] = {
                    0, 64, UINT64_MAX, UINT64_MAX - 63, random() % 512, random()};
                const std::uint64_t number = numbers[random() % 6];
                const std::size_t bytes = std::size_t{1} << random() % 4;
                const std::size_t at = random() % content.size() / bytes * bytes;
                for (std::size_t k = 0; k < bytes && at + k < content.size(); ++k)
                    content[at + k] = static_cast<std::byte>(number >> 8 * k);
            }
            check(file, std::move(content));
        }
    }

    void everyReaderHasASample()
    {
        const auto all = containerSamples();
        for (const ContainerReader *reader : containerReaders()) {
            QVERIFY(!reader->name.empty());
            QCOMPARE(containerReader(reader->kind), reader);
            QVERIFY2(
                std::ranges::any_of(
                    all, [&](const ContainerSample &each) { return each.kind == reader->kind; }),
                std::string(reader->name).c_str());
        }
    }

    void foreignFiles_data()
    {
        const auto row = addColumns<QByteArray, QString>();
        row("Mach-O", QByteArray::fromHex("cffaedfe07000001"), "a Mach-O file");
        row("ELF",
            QByteArray("\x7f"
                       "ELF\2\1\1\0",
                       8),
            "an ELF file");
        row("gzip", QByteArray::fromHex("1f8b0800"), "a gzip archive");
        row("property list", "bplist00....", "a binary property list");
        row("NumPy, cut", QByteArray::fromHex("934e554d5059"), "a NumPy array");
        row("picture", QByteArray::fromHex("89504e470d0a1a0a"), "a PNG picture");
        row("JSON", "[1, 2]", "a JSON file");
        row("a part of a magic", QByteArray::fromHex("cffaed"), "something else");
        row("nothing", {}, "an empty file");
    }

    /// What no reader opens is called by its name.
    void foreignFiles()
    {
        const auto [bytes, what] = fetched<QByteArray, QString>();
        QTemporaryDir folder;
        const QString file = folder.filePath(u"file.bin"_s);
        QVERIFY(put(file, bytes));
        const Error refused = REFUSED(Bundle::open(file.toStdString()));
        QCOMPARE(refused.code, "bundle.kind");
        QCOMPARE(QString::fromStdString(refused.found), what);
    }

    void writesBackData_data() { addPaths(containerNames()); }

    /// Parsed and written again, each file has the same bytes.
    void writesBackData()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(path).toStdString()));
        requireWrittenBack(*VERIFIED(containerReader((*bundle)->kind())), **bundle);
    }

private:
    static void requireWrittenBack(const ContainerReader &reader, const Bundle &bundle)
    {
        const auto written = VERIFIED(rewrite(reader, bundle.files()));
        const auto before = allFiles(bundle);
        QCOMPARE(written->size(), before.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY2((*written)[i] == before[i], bundle.files()[i].path.c_str());
    }
};

KERNSCOPE_TEST(TestContainerContract, QCoreApplication)
#include "tst_container_contract.moc"
