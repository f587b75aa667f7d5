// SPDX-License-Identifier: GPL-3.0-or-later
// Wrong use: named, with the nearest known word, exit 2, and a document where --json is given.
#include "cli_process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

class TestCliUsage : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        made.layer("conv_weight", "[4, 2]", halves({1, 2, 3, 4, 5, 6, 7, 8}));
        writeBundle(m_scratch, "b.mlmodelc", made);
        QVERIFY(runCli(arguments("section build %/b.mlmodelc -o %/w.ksec")).exitCode == 0);
    }

    void namesTheNearest_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
        row("inspcet %/b.mlmodelc", "inspcet", "inspect");
        row("sections list %/w.ksec", "sections", "section");
        row("section lsit %/w.ksec", "lsit", "list");
        row("inspect %/b.mlmodelc --stat", "--stat", "--stats");
        row("inspect --frob", "--frob", "");
        row("help inspcet", "inspcet", "inspect");
        row("diff %/b.mlmodelc %/b.mlmodelc --format jsn", "jsn", "json");
        row("encode %/b.mlmodelc --all --form palete -o %/x", "palete", "palette");
        row("inspect --jsn %/b.mlmodelc", "--jsn", "--json");
        row("decode %/b.mlmodelc conv_weigth -o %/x.npy", "conv_weigth", "conv_weight");
        row("encode %/b.mlmodelc conv_weigth --form dense -o %/x", "conv_weigth", "conv_weight");
        row("patch %/b.mlmodelc --set conv_weigth[0]=1 --dry-run", "conv_weigth", "conv_weight");
        row("choose %/b.mlmodelc --weight conv_weigth", "conv_weigth", "conv_weight");
        row("section build %/b.mlmodelc conv_weigth -o %/x", "conv_weigth", "conv_weight");
        row("plan %/b.mlmodelc --forms palete4", "palete4", "palette4");
        row("inspect %/b.mlmodelc --expect a=palete", "palete", "palette4");
        row("targets --target NOPE", "NOPE", "such as");
        row("inspect %/b.mlmodelc --target H99", "H99", "such as H");
        row("decide %/b.mlmodelc --target H99", "H99", "such as H");
        row("formats --target H99", "H99", "such as H");
        row("section build %/b.mlmodelc --target H99 -o %/x", "H99", "such as H");
    }

    void namesTheNearest()
    {
        const auto [line, found, nearest] = fetched<QByteArray, QByteArray, QByteArray>();
        const CliResult plain = RAN(2, runCli(arguments(line)));
        QVERIFY(plain.out.isEmpty());
        QVERIFY2(plain.err.contains(found) && plain.err.contains(nearest), plain.err.constData());
        const auto json = RAN(2, runCli(arguments(line) << u"--json"_s)).json();
        QVERIFY(!json.is_discarded());
        const auto row = json["diagnostics"][0];
        QCOMPARE(QByteArray::fromStdString(row["found"].get<std::string>()), found);
        QVERIFY(QByteArray::fromStdString(row["expected"].get<std::string>()).contains(nearest));
    }

    void refuses_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("", "needed");
        row("section", "needed");
        row("inspect", "path");
        row("inspect %/b.mlmodelc %/b.mlmodelc", "too many");
        row("decode %/b.mlmodelc conv_weight", "--output");
        row("decode %/b.mlmodelc conv_weight -o %/x", "does not say what to write");
        row("decode %/b.mlmodelc conv_weight -o %/x.npy --rows 9:1", "rows");
        row("decode %/b.mlmodelc conv_weight -o %/x.npy --as fp8", "fp8");
        row("section relocate %/w.ksec --base zz -o %/x", "address");
        row("section relocate %/w.ksec --base 0", "--in-place");
        row("section relocate %/w.ksec --base 0 -o %/x --in-place", "--in-place");
        row("section strip %/w.ksec --in-place --force", "--output");
        row("patch %/b.mlmodelc --set conv_weight[0]=1 --in-place -o %/x",
            "--in-place and --output exclude one another");
        row("patch %/b.mlmodelc --set conv_weight[0]=1", "must be given");
        row("patch %/b.mlmodelc --set conv_weight[0]=1 --dry-run --backup", "--backup");
        row("patch %/b.mlmodelc --set conv_weight[0]=1 --dry-run --force", "--output");
        row("diff %/b.mlmodelc %/b.mlmodelc --format pdf", "pdf");
        row("diff %/b.mlmodelc %/b.mlmodelc --max-abs nan", "nan");
        row("diff %/b.mlmodelc %/b.mlmodelc --min-cosine nan", "nan");
        row("diff %/b.mlmodelc %/b.mlmodelc --min-snr nan", "nan");
        row("geometry %/b.mlmodelc --channels 4:4", "--channels");
        row("geometry --channels 4:4 --kernel x", "numbers");
        row("geometry %/b.mlmodelc --kernel 3x3", "--channels");
        row("section build %/b.mlmodelc --bits 4 -o %/x", "--form palette");
        row("encode %/b.mlmodelc conv_weight --form dense --bits 4 -o %/x", "--bits");
        row("encode %/b.mlmodelc conv_weight --form sparse --block 8 -o %/x", "--block");
        row("decide %/b.mlmodelc --all-targets --target H13", "both");
        row("encode %/b.mlmodelc conv_weight --form palette --bits x -o %/x",
            "--bits takes a number, not x");
        row("diff %/b.mlmodelc", "paths takes at least 2; given: 1");
        row("decide %/b.mlmodelc --target", "--target needs a value: NAME");
        row("--wide inspect %/b.mlmodelc", "--wide stands too early");
        row("patch %/b.mlmodelc --set conv_weight[99]=1 --dry-run", "expected 0 to 7");
        row("decide %/b.mlmodelc --target M1 --cores 5", "target.claim");
        row("geometry %/b.mlmodelc --target nothing", "target.name");
        row("geometry --channels 64:x", "64:x");
        row("geometry --channels 64:64 --kernel 3x3x3x3", "3x3x3x3");
        row("roofline %/b.mlmodelc --target M1 --compute no_such", "roofline.ceiling");
        row("roofline %/b.mlmodelc --target M1 --batch 0", "roofline.batch");
        row("choose %/b.mlmodelc --target M1 --weight nothing", "cli.weight");
        row("choose %/b.mlmodelc --target M1 --tolerance -1", "below 0");
        row("collective --mesh 2x", "found 2x");
        row("collective --mesh 0x4", "collective.mesh");
        row("collective --mesh 2x4 --device 2,0", "collective.device");
        row("collective --device 0", "--device requires --mesh");
        row("collective --mesh 2x4 --tensor 8 --shard 1:0", "found 1:0");
        row("collective --reduction-type 3", "collective.atomic");
        row("collective --target M99", "target.name");
        row("descriptor --formats e4m3,fp16", "at least 3");
        row("descriptor --formats fp7,fp16,fp16", "found fp7");
        row("descriptor --word x", "found x");
        row("diff %/b.mlmodelc %/b.mlmodelc --tolerance -1", "below 0");
    }

    void refuses()
    {
        const auto [line, says] = fetched<QByteArray, QByteArray>();
        const QStringList list = line.isEmpty() ? QStringList() : arguments(line);
        const CliResult plain = RAN(2, runCli(list));
        QVERIFY(plain.out.isEmpty());
        QVERIFY2(plain.err.contains(says), plain.err.constData());
        const CliResult result = runCli(list + args("--json"));
        QCOMPARE(result.exitCode, plain.exitCode);
        const auto json = result.json();
        QVERIFY(!json.is_discarded());
        HOLDS(json, "schema=1 diagnostics#=1");
        for (const char *output : {"x", "x.npy"})
            QVERIFY(!QFile::exists(m_scratch.filePath(QString::fromUtf8(output))));
    }

    void ambiguousNames()
    {
        MadeBundle made;
        made.weight("twice", "[2]", halves({1, 2}));
        made.weight("twice", "[2]", halves({3, 4}));
        writeBundle(m_scratch, "twice.mlmodelc", made);
        for (const char *line : {"decode %/twice.mlmodelc twice -o %/x.npy",
                                 "encode %/twice.mlmodelc twice --form dense -o %/x",
                                 "section build %/twice.mlmodelc twice -o %/x",
                                 "choose %/twice.mlmodelc --weight twice",
                                 "patch %/twice.mlmodelc --set twice[0]=1 --dry-run"}) {
            const CliResult result = RAN(2, runCli(arguments(line)));
            QVERIFY2(result.err.contains("main/twice"), result.err.constData());
        }
    }

    void helpAndVersion()
    {
        for (const char *line :
             {"help", "--help", "help inspect", "inspect --help", "-V", "--version"})
            QCOMPARE(runCli(arguments(line)).exitCode, 0);
        QCOMPARE(runCli(arguments("help")).out, runCli(arguments("--help")).out);
        QCOMPARE(runCli(arguments("help section build")).out,
                 runCli(arguments("section build --help")).out);
        QCOMPARE(runCli(arguments("-V")).out, runCli(arguments("--version")).out);
        QCOMPARE(runCli(arguments("help scripts")).out,
                 contentOf(sourcePath(u"resources/help/scripts.md"_s)));
    }

    void showsExamples()
    {
        for (const QString &command : namesOfCommands()) {
            const QByteArray text = runCli("% --help", command).out;
            QVERIFY2(text.contains("\n  kernscope-cli " + command.toUtf8()), qPrintable(command));
        }
    }

    /// No line of the help but examples, which are copied, is longer than a terminal; types are
    /// words of people.
    void helpIsWrapped()
    {
        QStringList commands = namesOfCommands();
        commands << QString() << u"section build"_s << u"section relocate"_s;
        QStringList judge;
        QVERIFY(commands.size() > 12);
        for (const QString &command : commands) {
            const QString help = QString::fromUtf8(
                runCli(arguments((command + u" --help"_s).trimmed().toUtf8())).out);
            QVERIFY(help.size() > 300);
            if (help.contains(u"--target"_s))
                judge << command;
            for (const QString &each : help.split(u'\n')) {
                if (!each.startsWith(u"  kernscope-cli "_s))
                    QVERIFY2(each.size() <= 80, qPrintable(each));
            }
            for (const char *foreign : {"TEXT:", "UINT", "FLOAT", "NONNEGATIVE", "REQUIRED",
                                        "PATH TEXT", "(2x)", "... ...", "[A ..."})
                QVERIFY2(!help.contains(QLatin1String(foreign)), foreign);
        }
        judge.sort();
        QCOMPARE(judge.join(u' '), u"calibrate choose collective decide descriptor diff encode "
                                   u"formats geometry plan reduce "
                                   "roofline section build targets"_s);
        const QByteArray help = runCli(arguments("--help")).out;
        QVERIFY(help.indexOf("compare and change") > help.indexOf("look into files"));
        QVERIFY(help.indexOf("  diff ") > help.indexOf("compare and change"));
    }

    void quietIsQuiet()
    {
        for (const char *line : {"selftest -q", "targets -q", "inspect %/b.mlmodelc -q"}) {
            QCOMPARE(RAN(0, runCli(arguments(line))).out, QByteArray());
        }
    }

    void completes_data()
    {
        const auto row = addColumns<QString, QStringList>();
        row("ins", {u"inspect"_s});
        row("section st", {u"strip"_s});
        row("diff --max-", {u"--max-abs"_s, u"--max-rel"_s, u"--max-ulp"_s});
        row("diff a b --format j", {u"json"_s, u"junit"_s});
        row("decide %/b.mlmodelc --target H1", {u"H13"_s});
        row("decode %/b.mlmodelc conv", {u"conv_weight"_s});
        row("decide %/b.mlmodelc --target=H1", {u"--target=H13"_s});
        row("help ins", {u"inspect"_s});
        row("plan %/b.mlmodelc --forms palette4-g", {u"palette4-g8"_s});
        row("inspect %/b", {}); // the shell's own names of files
    }

    void completes()
    {
        const auto [line, words] = fetched<QString, QStringList>();
        const CliResult result = RAN(0, runCli(args("completion") + arguments(line.toUtf8())));
        const QStringList found = QString::fromUtf8(result.out).split(u'\n', Qt::SkipEmptyParts);
        for (const QString &word : words)
            QVERIFY2(found.contains(word), result.out.constData());
        if (words.isEmpty() || !line.contains(u"--target"_s))
            QCOMPARE(found, words);
    }

    /// The script for bash, which parts --option=value, and quotes what is several words.
    void completesInBash()
    {
        const auto reply = [this](const QByteArray &words) {
            QProcess bash;
            bash.start(u"bash"_s, {u"-c"_s,
                                   u"source %1; COMP_WORDS=(kernscope-cli %2); "
                                   "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kernscope_cli \"$0\"; "
                                   "printf '%s|' \"${COMPREPLY[@]}\""_s.arg(
                                       sourcePath(u"packaging/linux/kernscope-cli.bash"_s),
                                       QString::fromUtf8(words).replace(u'%', m_scratch.path())),
                                   cliProgram()});
            bash.waitForFinished(60000);
            return bash.readAllStandardOutput();
        };
        QCOMPARE(reply("ins"), QByteArray("inspect|"));
        QCOMPARE(reply("decode %/b.mlmodelc conv"), QByteArray("conv_weight|"));
        QCOMPARE(reply("decide x --target = M1\\\\\\ M"), QByteArray("M1\\ Max|"));
        QCOMPARE(reply("decide x --target \\\"M1\\ M"), QByteArray("M1 Max|"));
    }

    /// What judges by a chip says by which, also where none was asked for.
    void saysTheDefaultTarget()
    {
        for (const char *line :
             {"decide %/b.mlmodelc", "geometry %/b.mlmodelc", "roofline %/b.mlmodelc",
              "choose %/b.mlmodelc", "formats", "section build %/b.mlmodelc -f -o %/d"}) {
            const CliResult result = RAN(0, runCli(arguments(line)));
            QVERIFY2((result.out + result.err).contains("H13"), line);
            QVERIFY2((result.out + result.err).contains("default"), line);
            const CliResult named = runCli(arguments(line) + arguments("--target H13"));
            QVERIFY2(!(named.out + named.err).contains("by default"), line);
        }
    }

    void oneTargetAlone()
    {
        const auto json = runCli(arguments("targets --target H13 --json")).json();
        QCOMPARE(json["targets"].size(), std::size_t(1));
        QVERIFY(runCli(arguments("targets --json")).json()["targets"].size() > 10);
    }

    /// A pager gets what is longer than the screen, and nothing else; one that is not there takes
    /// none.
    void longTextIsPaged()
    {
        const QByteArray shown = onTerminal(arguments("collective --help"), "sed 's/^/PAGED /'");
        QVERIFY2(shown.contains("PAGED ") && shown.contains("--mesh"), shown.constData());
        QVERIFY(!onTerminal(arguments("--version"), "sed 's/^/PAGED /'").contains("PAGED"));
        QVERIFY(onTerminal(arguments("collective --help"), "no-such-pager").contains("--mesh"));
    }

    /// --columns: by title, with or without its unit, in that order; one that no table has is wrong
    /// use.
    void columnsByTitle()
    {
        const QByteArray out = runCli(arguments("targets --columns silicon,target")).out;
        const QByteArray header = out.left(out.indexOf('\n')).simplified();
        QCOMPARE(header, QByteArray("silicon target"));
        const CliResult wrong = RAN(2, runCli(arguments("inspect %/b.mlmodelc --columns nam")));
        QVERIFY2(wrong.err.contains("name") && wrong.out.isEmpty(), wrong.err.constData());
        QCOMPARE(runCli(arguments("targets --json --columns name")).exitCode, 2);
        QCOMPARE(runCli(arguments("targets -q --columns name")).exitCode,
                 0); // no table, none asked
    }

    /// No line is longer than the terminal, be it in front of a pipe to another program; documents
    /// and what goes into files stay as they are.
    void linesFitTheTerminal()
    {
        for (const char *line :
             {"decide %/b.mlmodelc", "decide --all-targets %/b.mlmodelc", "formats", "targets",
              "geometry %/b.mlmodelc", "plan %/b.mlmodelc", "choose %/b.mlmodelc",
              "roofline %/b.mlmodelc", "diff --values %/b.mlmodelc %/b.mlmodelc", "descriptor",
              "inspect --findings %/b.mlmodelc", "calibrate", "section list %/w.ksec"}) {
            for (const bool piped : {false, true}) {
                const QByteArray out = onTerminal(arguments(line), "cat", piped);
                QVERIFY2(out.size() > 80, line);
                for (const QString &each : QString::fromUtf8(out).split(u'\n'))
                    QVERIFY2(each.trimmed().size() <= 80, qPrintable(each));
            }
        }
        const QStringList json = arguments("decide --json %/b.mlmodelc");
        QCOMPARE(onTerminal(json, "cat", true), runCli(json).out);
    }

    /// On a terminal of 80 columns names are shortened, and numbers are not.
    void tablesFitTheTerminal()
    {
        const std::string name = "encoder_layers_" + std::string(60, 'x') + "_attention_weight";
        MadeBundle made;
        made.layer(name, "[64, 32]", Bytes(4096, std::byte{0x3c}));
        writeBundle(m_scratch, "long.mlmodelc", made);
        const QByteArray out = onTerminal(arguments("inspect %/long.mlmodelc"), "cat");
        QVERIFY(out.contains("4,096") && out.contains("1.000"));
        int tables = 0;
        for (const QString &line : QString::fromUtf8(out).split(u"\r\n"_s)) {
            if (!line.contains(u"…"_s))
                continue;
            QVERIFY2(line.size() <= 80, qPrintable(line));
            QVERIFY(line.contains(u"weight"_s));
            ++tables;
        }
        QCOMPARE(tables, 1);
        // Into a file or a pipe the whole name goes.
        QVERIFY(runCli(arguments("inspect %/long.mlmodelc")).out.contains(name.c_str()));
    }

private:
    QStringList arguments(const QByteArray &line) const
    {
        return wordsBelow(m_scratch.path(), line);
    }

    /// All commands but those that have commands of their own.
    static QStringList namesOfCommands()
    {
        const QByteArray help = runCli(args("--help")).out;
        const QRegularExpression name(u"^  ([a-z]+) "_s, QRegularExpression::MultilineOption);
        QStringList names;
        auto match = name.globalMatch(QString::fromUtf8(help.mid(help.indexOf("Subcommands:"))));
        while (match.hasNext())
            names << match.next().captured(1);
        names.removeAll(u"section"_s);
        return names.size() > 10 ? names : QStringList();
    }

    /// What a terminal of 24 lines of 80 columns shows, through that pager; or what goes into a
    /// pipe in front of it.
    QByteArray onTerminal(const QStringList &command, const char *pager, bool piped = false)
    {
        const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
        const winsize size{24, 80, 0, 0};
        if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0 ||
            ::ioctl(terminal, TIOCSWINSZ, &size) != 0)
            return {};
        const QByteArray end = ::ptsname(terminal);
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"NO_COLOR"_s, u"1"_s);
        environment.insert(u"PAGER"_s, QString::fromLatin1(pager));
        process.setProcessEnvironment(environment);
        process.setChildProcessModifier([end, piped] {
            const int descriptor = ::open(end.constData(), O_RDWR | O_NOCTTY);
            ::dup2(descriptor, piped ? STDERR_FILENO : STDOUT_FILENO);
            ::dup2(descriptor, STDIN_FILENO);
        });
        process.start(cliProgram(), command);
        QByteArray out, some(4096, '\0');
        const auto read = [&] { // a terminal takes little before it is read
            for (ssize_t count = 0;
                 (count = ::read(terminal, some.data(), size_t(some.size()))) > 0;)
                out.append(some.constData(), count);
        };
        for (int i = 0; i < 6000 && !process.waitForFinished(10); ++i)
            read();
        read();
        ::close(terminal);
        const bool done = process.state() == QProcess::NotRunning && process.exitCode() == 0;
        return done ? piped ? process.readAllStandardOutput() : out : QByteArray();
    }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliUsage, QCoreApplication)
#include "tst_cli_usage.moc"
