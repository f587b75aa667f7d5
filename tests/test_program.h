// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

// What tests may use without naming it: all this is in their precompiled header
// (KERNSCOPE_TEST_HEADERS), and moc needs none of it.
#ifndef Q_MOC_RUN
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <QtCore/QtCore>
#include <QtTest/QtTest>
#ifdef QT_WIDGETS_LIB
#include <QtWidgets/QtWidgets>
#endif
#include <fmt/format.h>
#include <tl/expected.hpp>
#endif

/// The tests of a folder are one program, which runs one of its classes:
///   test_core_codec tst_decoder [Qt Test option …]
/// A class is called as its source is. kernscope_test() makes the program and one ctest name a
/// class.
namespace kernscope::test {

/// For classes that need no application object.
struct NoApplication {
    NoApplication(int &, char **) {}
};

/// Registers the class of `source` (__FILE__) under the source's name.
struct Registered {
    using Run = int (*)(int argc, char **argv);
    Registered(const char *source, Run run);
};

template <class Class, class Application>
int runClass(int argc, char **argv)
{
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    [[maybe_unused]] Application application(argc, argv);
    Class tests;
    return QTest::qExec(&tests, argc, argv);
}

/// The checkout's folder.
const char *sourceFolder();

/// What a file holds; nothing where it cannot be read.
inline QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline QString textOf(const QString &path)
{
    return QString::fromUtf8(contentOf(path));
}

using FileBytes = std::map<QString, QByteArray>; ///< path relative to a folder -> content

/// What the files below a folder hold.
inline FileBytes filesBelow(const QString &folder)
{
    FileBytes files;
    QDirIterator found(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (found.hasNext()) {
        const QString path = found.next();
        files[QDir(folder).relativeFilePath(path)] = contentOf(path);
    }
    return files;
}

/// Writes a file whole, or behind what it holds; false where that fails.
inline bool put(const QString &path, const QByteArray &content,
                QIODevice::OpenMode how = QIODevice::WriteOnly)
{
    QFile file(path);
    return file.open(how) && file.write(content) == content.size();
}

inline QByteArray asArray(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), static_cast<qsizetype>(bytes.size())};
}

inline bool put(const QString &path, std::span<const std::byte> content)
{
    return put(path, asArray(content));
}

inline bool append(const QString &path, const QByteArray &content)
{
    return put(path, content, QIODevice::Append);
}

/// Waits until the clock of a folder's file system, which ticks in steps of some milliseconds, has
/// moved on: what is written next gets another time.
inline bool fileClockTicks(const QString &folder)
{
    QTemporaryFile probe(folder + QStringLiteral("/probe"));
    if (!probe.open())
        return false;
    const auto time = [&probe] {
        probe.write("x");
        probe.flush();
        return std::filesystem::last_write_time(probe.fileName().toStdString());
    };
    return QTest::qWaitFor([&time, first = time()] { return time() != first; });
}

/// Files and folders below a folder, in order.
inline QStringList pathsBelow(const QString &folder, const QStringList &names = {})
{
    QStringList found;
    QDirIterator entries(folder, names, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    while (entries.hasNext())
        found << entries.next();
    found.sort();
    return found;
}

/// A path of the checkout: "tests/fuzz/seeds/x.npy".
inline QString sourcePath(const QString &relative)
{
    return QString::fromUtf8(sourceFolder()) + QLatin1Char('/') + relative;
}

inline std::span<const std::byte> asSpan(const QByteArray &raw)
{
    return std::as_bytes(std::span(raw.constData(), static_cast<std::size_t>(raw.size())));
}

inline std::vector<std::byte> asBytes(const QByteArray &raw)
{
    const auto all = asSpan(raw);
    return {all.begin(), all.end()};
}

/// A number in some bytes, the lowest first.
inline QByteArray little(quint64 value, int bytes)
{
    QByteArray out;
    for (int i = 0; i < bytes; ++i)
        out += char(value >> (8 * i) & 0xFF);
    return out;
}

/// A file of tensors: its header and what that describes.
inline QByteArray safetensors(const QByteArray &json, const QByteArray &data)
{
    return little(quint64(json.size()), 8) + json + data;
}

/// A file of tests/fuzz/seeds.
inline std::vector<std::byte> seed(const char *name)
{
    return asBytes(
        contentOf(sourcePath(QStringLiteral("tests/fuzz/seeds/") + QLatin1String(name))));
}

inline bool hasCode(const Diagnostics &rows, std::string_view code)
{
    return std::ranges::any_of(rows, [code](const auto &row) { return row.error.code == code; });
}

/// What the error of a Result says; nothing of other values.
template <class T>
std::string whyNot(const T &value)
{
    if constexpr (requires { describe(value.error()); })
        return value ? std::string() : describe(value.error());
    else
        return {};
}

constexpr std::array kColumnNames{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

/// A row of a test's data.
template <class... Values>
void addRow(const char *name, const Values &...values)
{
    (QTest::newRow(name) << ... << values);
}

/// A text of a row, which may be written as a plain literal.
struct RowText {
    RowText(const char *text) : value(QString::fromUtf8(text)) {}
    RowText(const QString &text) : value(text) {}
    QString value;
};

/// Adds rows of these columns: by a name, or called as their values are.
///     const auto row = addColumns<QByteArray, int>();
///     row("nothing", "", 0);
///     row("two words", 2);
template <class... Types>
struct DataRow {
    template <class Type>
    using Given = std::conditional_t<std::is_same_v<Type, QString>, RowText, Type>;

    void operator()(const char *name, const Given<Types> &...values) const
    {
        (QTest::newRow(name) << ... << valueOf(values));
    }
    void operator()(const Given<Types> &...values) const
    {
        QByteArrayList all;
        (all.append(shown(valueOf(values))), ...);
        (*this)(all.join(", ").constData(), values...);
    }

private:
    static const QString &valueOf(const RowText &text) { return text.value; }
    template <class Type>
    static const Type &valueOf(const Type &value)
    {
        return value;
    }
    template <class Type>
    static QByteArray shown(const Type &value)
    {
        return QVariant::fromValue(value).toString().toUtf8();
    }
};

/// The columns of a test's data: in its _data(), before the rows, which the result adds.
template <class... Types>
DataRow<Types...> addColumns()
{
    std::size_t column = 0;
    (QTest::addColumn<Types>(kColumnNames[column++]), ...);
    return {};
}

/// The values of the row that the test runs with, in the order of addColumns().
template <class... Types>
std::tuple<Types...> fetched()
{
    return []<std::size_t... At>(std::index_sequence<At...>)
    {
        return std::tuple<Types...>(
            *static_cast<Types *>(QTest::qData(kColumnNames[At], qMetaTypeId<Types>()))...);
    }
    (std::index_sequence_for<Types...>());
}

/// A column with a row for each value, called as it prints. Texts become QString.
template <class T>
void addEach(std::initializer_list<T> values)
{
    constexpr bool kText = std::is_same_v<T, const char *>;
    addColumns<std::conditional_t<kText, QString, T>>();
    for (const T &value : values) {
        if constexpr (kText)
            addRow(value, QString::fromUtf8(value));
        else
            addRow(fmt::format("{}", value).c_str(), value);
    }
}

} // namespace kernscope::test

/// The value of an expression that must hold: a pointer, an optional or a Result. Where it does
/// not, the test fails there and says the Result's error.
///     const auto bundle = VERIFIED(made.open());
/// As TRY(): what a variable begins with or is set to.
#define VERIFIED(...)                                                                              \
    (__extension__({                                                                               \
        auto kernscopeGot = (__VA_ARGS__);                                                         \
        if (!QTest::qVerify(static_cast<bool>(kernscopeGot), #__VA_ARGS__,                         \
                            kernscope::test::whyNot(kernscopeGot).c_str(), __FILE__, __LINE__))    \
            return;                                                                                \
        std::move(kernscopeGot);                                                                   \
    }))

/// The error of a Result that must have no value; else the test fails there.
#define REFUSED(...)                                                                               \
    (__extension__({                                                                               \
        auto kernscopeGot = (__VA_ARGS__);                                                         \
        if (!QTest::qVerify(!kernscopeGot, "refused: " #__VA_ARGS__, "", __FILE__, __LINE__))      \
            return;                                                                                \
        std::move(kernscopeGot.error());                                                           \
    }))

using namespace Qt::StringLiterals;
using namespace kernscope;
using namespace kernscope::test;

/// `Application`: QApplication, QCoreApplication or kernscope::test::NoApplication.
#define KERNSCOPE_TEST(Class, Application)                                                         \
    static const kernscope::test::Registered registered##Class(                                    \
        __FILE__, &kernscope::test::runClass<Class, Application>);
