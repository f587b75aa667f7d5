// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest/QTest>

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

} // namespace kernscope::test

/// `Application`: QApplication, QCoreApplication or kernscope::test::NoApplication.
#define KERNSCOPE_TEST(Class, Application)                                                         \
    static const kernscope::test::Registered registered##Class(                                    \
        __FILE__, &kernscope::test::runClass<Class, Application>);
