// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"

#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

#include <cstdio>

namespace kernscope::app {

namespace {

constexpr int kUsage = 2;
constexpr int kNoDisplay = 4;

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
    if (name == "light"_L1)
        return ThemeChoice::Light;
    if (name == "dark"_L1)
        return ThemeChoice::Dark;
    if (name == "system"_L1)
        return ThemeChoice::System;
    return std::nullopt;
}

/// "1280x800", each side 320 to 8192.
std::optional<QSize> windowSizeOf(const QString &text)
{
    constexpr int kLeast = 320, kMost = 8192;
    const QStringList sides = text.toLower().split(QLatin1Char('x'));
    bool wide = false, high = false;
    const QSize size(sides.value(0).toInt(&wide), sides.value(1).toInt(&high));
    const bool sound = sides.size() == 2 && wide && high && size.width() >= kLeast &&
                       size.height() >= kLeast && size.width() <= kMost && size.height() <= kMost;
    return sound ? std::optional(size) : std::nullopt;
}

/// "1280x800,1400x900"; nothing where one of them is none, or where there are none.
std::optional<QList<QSize>> sizesOf(const QString &text)
{
    QList<QSize> sizes;
    for (const QString &word : text.split(QLatin1Char(','))) {
        const auto size = windowSizeOf(word);
        if (!size)
            return std::nullopt;
        if (!sizes.contains(*size))
            sizes += *size;
    }
    return sizes;
}

/// The options that QApplication takes for itself, with one dash or two.
QStringList withoutQtOptions(int argc, char **argv)
{
    static const QStringList withValue{u"platform"_s,      u"platformpluginpath"_s,
                                       u"platformtheme"_s, u"plugin"_s,
                                       u"qmljsdebugger"_s, u"qwindowgeometry"_s,
                                       u"geometry"_s,      u"qwindowicon"_s,
                                       u"icon"_s,          u"qwindowtitle"_s,
                                       u"title"_s,         u"session"_s,
                                       u"display"_s,       u"name"_s,
                                       u"fontengine"_s,    u"style"_s,
                                       u"stylesheet"_s};
    static const QStringList alone{u"reverse"_s, u"widgetcount"_s};
    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        const QString argument = QString::fromLocal8Bit(argv[i]);
        if (argument == "--"_L1) { // paths from here on
            for (; i < argc; ++i)
                arguments << QString::fromLocal8Bit(argv[i]);
            break;
        }
        QString name = argument;
        while (name.startsWith(u'-'))
            name.remove(0, 1);
        const bool option = i > 0 && argument.startsWith(u'-');
        if (option && withValue.contains(name))
            ++i; // its value
        else if (!option || !(alone.contains(name) || withValue.contains(name.section(u'=', 0, 0))))
            arguments << argument;
    }
    return arguments;
}

QString s_firstComplaint;
QtMessageHandler s_handlerBefore = nullptr;

void endWithoutDisplay(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    if (type == QtDebugMsg) {
        s_handlerBefore(type, context, text);
        return;
    }
    if (type == QtInfoMsg) // Qt's own notes on the plugins that it tried
        return;
    if (s_firstComplaint.isEmpty())
        s_firstComplaint = text.section(u'\n', 0, 0).trimmed();
    if (type != QtFatalMsg)
        return;
    std::fprintf(
        stderr, "kernscope: %s\n",
        qUtf8Printable(ui::Words::tr("The window cannot be opened: %1. Without a display use "
                                     "kernscope-cli, or kernscope --screenshots FOLDER.")
                           .arg(s_firstComplaint)));
    std::_Exit(kNoDisplay);
}

} // namespace

DisplayGuard::DisplayGuard()
{
    s_handlerBefore = qInstallMessageHandler(endWithoutDisplay);
}

DisplayGuard::~DisplayGuard()
{
    qInstallMessageHandler(s_handlerBefore);
}

void prepareEnvironment(int argc, char **argv)
{
    using namespace std::string_view_literals;
    const bool pictures = has(argc, argv, std::array{"--screenshots"sv, "-screenshots"sv});
    const bool platform = has(argc, argv, std::array{"-platform"sv, "--platform"sv}) ||
                          qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
    if (pictures && !platform)
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

namespace {

/// The options and what they say of themselves.
struct Options {
    Options();

    QCommandLineParser parser;
    QCommandLineOption help = parser.addHelpOption(), version = parser.addVersionOption();
    QCommandLineOption pictures{u"screenshots"_s,
                                ui::Words::tr("Write a picture of the window and of every dock to "
                                              "this folder, without a display, and leave."),
                                ui::Words::tr("folder")};
    QCommandLineOption theme{u"theme"_s, ui::Words::tr("light, dark or system"),
                             ui::Words::tr("theme")};
    QCommandLineOption size{
        u"size"_s,
        ui::Words::tr("With --screenshots: size of the window, 1400x900 unless given; of "
                      "several, separated by commas, each has a folder of its own"),
        ui::Words::tr("WxH[,WxH]")};
};

Options::Options()
{
    parser.setApplicationDescription(ui::Words::tr(
        "Shows how compiled neural-network weights are stored, compares two builds, and "
        "patches them in place."));
    parser.addOptions({pictures, size, theme});
    parser.addPositionalArgument(
        u"path"_s,
        ui::Words::tr("A bundle, a weight file or a program; the second and all further "
                      "ones are compared with the first. None: the embedded sample. A file "
                      "*.kernscope-session opens what "
                      "it names, as it was left. PATH#PLACE goes to a place in it: "
                      "x.mlmodelc#weight[3,0], x.mlmodelc#weights/weight.bin:0x1f40."),
        u"[PATH\u2026]"_s);
}

/// Answers --version or --help, after which the program ends.
CommandLine answered(const Options &options, int argc, char **argv)
{
    if (options.parser.isSet(options.version)) {
        std::printf("kernscope %s\n", qUtf8Printable(QCoreApplication::applicationVersion()));
    } else {
        const QCoreApplication application(argc, argv); // the text names the program
        std::fputs(qUtf8Printable(options.parser.helpText()), stdout);
    }
    CommandLine line;
    line.exitCode = 0;
    return line;
}

} // namespace

CommandLine parseCommandLine(int argc, char **argv)
{
    Options options;
    QCommandLineParser &parser = options.parser;
    if (!parser.parse(withoutQtOptions(argc, argv)))
        return misuse(parser.errorText());
    if (parser.isSet(options.version) || parser.isSet(options.help))
        return answered(options, argc, argv);

    CommandLine line;
    line.paths = parser.positionalArguments();
    line.themeGiven = parser.isSet(options.theme);
    if (line.themeGiven) {
        const QString name = parser.value(options.theme);
        const auto choice = themeOf(name);
        if (!choice)
            return misuse(ui::Words::tr("No such theme: %1").arg(name));
        line.theme = *choice;
    }
    if (parser.isSet(options.size)) {
        const QString words = parser.value(options.size);
        const auto wanted = sizesOf(words);
        if (!wanted)
            return misuse(ui::Words::tr("Not a size: %1").arg(words));
        line.sizes = *wanted;
    }
    if (parser.isSet(options.pictures)) {
        line.screenshots = parser.value(options.pictures);
        if (line.screenshots.isEmpty())
            return misuse(ui::Words::tr("--screenshots needs a folder."));
    }
    return line;
}

} // namespace kernscope::app
