// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"

#include <QCommandLineParser>
#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace kernscope::app {

namespace {

constexpr int kUsage = 2;

struct CommandLineWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::CommandLine)
};

template <std::size_t N>
bool has(int argc, char **argv, const std::array<std::string_view, N> &names)
{
    return std::any_of(argv + 1, argv + std::max(argc, 1), [&](const char *argument) {
        const std::string_view word =
            std::string_view(argument).substr(0, std::string_view(argument).find('='));
        return std::find(names.begin(), names.end(), word) != names.end();
    });
}

CommandLine misuse(const QString &text)
{
    std::fprintf(stderr, "kernscope: %s\n", qUtf8Printable(text));
    CommandLine line;
    line.exitCode = kUsage;
    return line;
}

std::optional<ThemeChoice> themeOf(const QString &name)
{
    if (name == QLatin1String("light"))
        return ThemeChoice::Light;
    if (name == QLatin1String("dark"))
        return ThemeChoice::Dark;
    if (name == QLatin1String("system"))
        return ThemeChoice::System;
    return std::nullopt;
}

/// "1280x800", each side 320 to 8192.
std::optional<QSize> sizeOf(const QString &text)
{
    constexpr int kLeast = 320, kMost = 8192;
    const QStringList sides = text.toLower().split(QLatin1Char('x'));
    bool wide = false, high = false;
    const QSize size(sides.value(0).toInt(&wide), sides.value(1).toInt(&high));
    const bool sound = sides.size() == 2 && wide && high && size.width() >= kLeast &&
                       size.height() >= kLeast && size.width() <= kMost && size.height() <= kMost;
    return sound ? std::optional(size) : std::nullopt;
}

} // namespace

void prepareEnvironment(int argc, char **argv)
{
    using namespace std::string_view_literals;
    const bool pictures = has(argc, argv, std::array{"--screenshots"sv, "-screenshots"sv});
    const bool platform = has(argc, argv, std::array{"-platform"sv, "--platform"sv}) ||
                          qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
    if (pictures && !platform)
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

bool wantsTextOnly(int argc, char **argv)
{
    using namespace std::string_view_literals;
    return has(argc, argv, std::array{"--help"sv, "-h"sv, "--help-all"sv, "--version"sv, "-v"sv});
}

CommandLine parseCommandLine(const QCoreApplication &application)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(CommandLineWords::tr(
        "Shows how compiled neural-network weights are stored, compares two builds, and "
        "patches them in place."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    const QCommandLineOption pictures(
        QStringLiteral("screenshots"),
        CommandLineWords::tr("Write a picture of the window and of every dock to "
                             "this folder, without a display, and leave."),
        CommandLineWords::tr("folder"));
    const QCommandLineOption theme(QStringLiteral("theme"),
                                   CommandLineWords::tr("light, dark or system"),
                                   CommandLineWords::tr("theme"));
    const QCommandLineOption size(
        QStringLiteral("size"),
        CommandLineWords::tr("With --screenshots: size of the window, 1400x900 unless given"),
        CommandLineWords::tr("WxH"));
    parser.addOptions({pictures, size, theme});
    parser.addPositionalArgument(
        QStringLiteral("path"),
        CommandLineWords::tr("A bundle, a weight file or a program; two are compared. "
                             "None: the embedded sample. PATH#PLACE goes to a place in it: "
                             "x.mlmodelc#weight[3,0], x.mlmodelc#weights/weight.bin:0x1f40."),
        QStringLiteral("[PATH [PATH]]"));
    if (!parser.parse(application.arguments()))
        return misuse(parser.errorText());

    CommandLine line;
    if (parser.isSet(version) || parser.isSet(help)) {
        if (parser.isSet(version))
            std::printf("kernscope %s\n", qUtf8Printable(QCoreApplication::applicationVersion()));
        else
            std::fputs(qUtf8Printable(parser.helpText()), stdout);
        line.exitCode = 0;
        return line;
    }
    line.paths = parser.positionalArguments();
    if (line.paths.size() > 2)
        return misuse(CommandLineWords::tr("At most two paths can be compared."));
    line.themeGiven = parser.isSet(theme);
    if (line.themeGiven) {
        const auto choice = themeOf(parser.value(theme));
        if (!choice)
            return misuse(CommandLineWords::tr("No such theme: %1").arg(parser.value(theme)));
        line.theme = *choice;
    }
    if (parser.isSet(size)) {
        const auto wanted = sizeOf(parser.value(size));
        if (!wanted)
            return misuse(CommandLineWords::tr("Not a size: %1").arg(parser.value(size)));
        line.size = *wanted;
    }
    if (parser.isSet(pictures)) {
        line.screenshots = parser.value(pictures);
        if (line.screenshots.isEmpty())
            return misuse(CommandLineWords::tr("--screenshots needs a folder."));
    }
    return line;
}

} // namespace kernscope::app
