// SPDX-License-Identifier: GPL-3.0-or-later
#include "answers.h"
#include "rewrite.h"

#include "core/base/little_endian.h"
#include "core/report/hwx_json.h"
#include "tests/core/descriptor/stream_words.h"

namespace {

bool same(std::span<const std::byte> a, std::span<const std::byte> b)
{
    return std::ranges::equal(a, b);
}

} // namespace

/// Real containers against the answers beside them.
class TestHwxReal : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataPath(u"real/hwx"_s)); }

    void answers_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder(dataPath(u"real/hwx"_s));
        for (const QString &name : folder.entryList({u"*.hwx"_s}))
            addRow(qPrintable(name), folder.filePath(name));
    }

    void answers()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto file = VERIFIED(open(path));
        const auto container = VERIFIED(hwx::readContainer(file->bytes(), file->name()));
        QVERIFY(container->diagnostics.empty());
        QString answer = path;
        answer.replace(QRegularExpression(u"hwx$"_s), u"expected.json"_s);
        std::ifstream stream(answer.toStdString());
        const Json wanted = Json::parse(stream, nullptr, false);
        QVERIFY(!wanted.is_discarded());
        const Json found = report::hwxDocument(*container, file->bytes(), file->name()).at("hwx");
        QCOMPARE(difference(wanted, found, "hwx").c_str(), "");
    }

    void writesTheSameBytes_data() { answers_data(); }

    void writesTheSameBytes()
    {
        QFETCH(QString, path);
        const auto file = VERIFIED(open(path));
        auto container = VERIFIED(hwx::readContainer(file->bytes(), file->name()));
        const auto written = VERIFIED(hwx::writeContainer(*container, file->bytes()));
        QVERIFY(same(*written, file->bytes()));

        // The fields are written, not merely kept: with every table wiped they come back.
        std::vector<std::byte> wiped(file->bytes().begin(), file->bytes().end());
        const auto wipe = [&](std::uint64_t at, std::uint64_t bytes) {
            std::fill_n(wiped.begin() + std::ptrdiff_t(at), bytes, std::byte(0));
        };
        wipe(0, hwx::kHeaderBytes);
        for (const auto &command : container->commands) {
            if (command.kind == hwx::CommandKind::Segment ||
                command.kind == hwx::CommandKind::SymbolTable)
                wipe(command.offset.value, command.size);
        }
        wipe(container->symbolTable->symbolOffset, 16ULL * container->symbols.size());
        const auto rewritten = VERIFIED(hwx::writeContainer(*container, wiped));
        QVERIFY(same(*rewritten, file->bytes()));

        // An edit of the model changes that field only.
        container->symbols.front().desc ^= 1;
        const auto edited = VERIFIED(hwx::writeContainer(*container, file->bytes()));
        const auto again = VERIFIED(hwx::readContainer(*edited, file->name()));
        QCOMPARE(again->symbols.front().desc, container->symbols.front().desc);
        std::size_t changed = 0;
        for (std::size_t i = 0; i < edited->size(); ++i)
            changed += (*edited)[i] != file->bytes()[i] ? 1 : 0;
        QCOMPARE(changed, 1U);
    }

    void encodesTheSameTasks_data() { answers_data(); }

    void encodesTheSameTasks()
    {
        QFETCH(QString, path);
        const auto file = open(path);
        const auto container = VERIFIED(hwx::readContainer(file->bytes(), file->name()));
        QCOMPARE(container->texts.size(), 1U);
        const auto &text = container->texts.front();
        const auto range = *container->section(text.section)->bytes;
        const auto bytes = file->bytes().subspan(range.offset.value, range.bytes.value);
        const descriptor::TaskReader reader(bytes, *text.tasks);
        descriptor::TaskDetail detail;
        QVERIFY(!text.tasks->tasks.empty());
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            reader.read(i, detail);
            QVERIFY(detail.stream.exact);
            const auto words = wordsOf(detail.stream, text.tasks->version->packets);
            QCOMPARE(words.size() * 4 + detail.stream.begin, detail.task.bytes());
            for (std::size_t w = 0; w < words.size(); ++w) {
                const auto at = detail.task.offset + detail.stream.begin + 4 * w;
                QCOMPARE(words[w], loadLittle<std::uint32_t>(bytes, at));
            }
        }
    }

private:
    static std::shared_ptr<OverlaidFile> open(const QString &path)
    {
        return OverlaidFile::open(path.toStdString(), QFileInfo(path).fileName().toStdString())
            .value_or(nullptr);
    }
};

KERNSCOPE_TEST(TestHwxReal, QCoreApplication)
#include "tst_hwx_real.moc"
