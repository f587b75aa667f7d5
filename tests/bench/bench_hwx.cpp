// SPDX-License-Identifier: GPL-3.0-or-later
#include "large_models.h"
#include "synthetic.h"

#include "core/container/hwx/container.h"
#include "core/descriptor/task_reader.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

using namespace kernscope;
using namespace kernscope::bench;
using namespace kernscope::test;

namespace {

long peakKilobytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

/// Opening and decoding large containers: issue 4's limits, printed with what was measured.
class BenchHwx : public QObject
{
    Q_OBJECT

private slots:
    void opensLargeFiles(); ///< 512 MiB of kernels: opening costs the tables only
    void decodesManyTasks();
};

void BenchHwx::opensLargeFiles()
{
    QTemporaryDir scratch;
    QFile file(scratch.filePath(QStringLiteral("large.hwx")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    Bytes bytes;
    {
        ContainerMaker maker(4);
        maker.segment("__TEXT", 0, {{"__text", 0x28, bytesOfWords(Words(10)), 0, 14, {}}});
        maker.segment("__KERN_0", 4, {{"__kern_0", 0x2f, Bytes(1 << 20, std::byte(1)), 0, 6, {}}});
        maker.banner("9.509.0", "h13");
        bytes = maker.finish();
    }
    file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
    QVERIFY(file.resize(512LL << 20));
    file.close();
    bytes = {};
    const long before = peakKilobytes();
    const double seconds = wallSeconds([&] {
        const auto bundle = Bundle::open(file.fileName().toStdString());
        QVERIFY(bundle);
    });
    qInfo("512 MiB opened in %.4f s, %.1f MiB more at the peak", seconds,
          double(peakKilobytes() - before) / 1024);
}

void BenchHwx::decodesManyTasks()
{
    constexpr std::size_t kTasks = 100000;
    const Bytes bytes = syntheticH13(kTasks);
    const auto seconds = wallSeconds([&] {
        const auto container = hwx::readContainer(bytes, "many.hwx");
        QVERIFY(container);
        const auto &text = container->texts.front();
        QCOMPARE(text.tasks->tasks.size(), kTasks);
        const auto range = *container->section(text.section)->bytes;
        descriptor::TaskReader reader(
            std::span<const std::byte>(bytes).subspan(range.offset.value, range.bytes.value),
            *text.tasks);
        descriptor::TaskDetail detail;
        std::size_t registers = 0;
        for (std::size_t i = 0; i < kTasks; ++i) {
            reader.before(i);
            reader.read(i, detail);
            registers += detail.stream.writes.size();
        }
        QVERIFY(registers > kTasks * 50);
    });
    qInfo("100,000 tasks walked and decoded with carried state in %.3f s", seconds);
    const auto opening = wallSeconds([&] {
        QVERIFY(Bundle::open("many.hwx", {.memory = {{"many.hwx", bytes}}}));
    });
    qInfo("100,000 tasks opened as a bundle in %.3f s", opening);
}

QTEST_GUILESS_MAIN(BenchHwx)
#include "bench_hwx.moc"
