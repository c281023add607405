using System.CommandLine;
using BulkLoad.Cli;
using BulkLoad.Cli.Commands;
using BulkLoad.Cli.Output;
using BulkLoad.Tests.Cli;
using BulkLoad.Tests.Cli.Output;

namespace BulkLoad.Tests.Architecture;

/// <summary>Makes docs/cli.md and docs/cli-json.md from the definitions of the commands and from what the program writes.</summary>
internal static class CliDocs
{
    private const string Made = "<!-- Made by tests/BulkLoad.Tests/Architecture/CliDocs.cs: change it there. -->\n";

    private const string Reading = """
        ## How words are read

        As in every MySQL client:

        - A value follows its option as the next word, whatever it looks like (`--delimiter -`), or after `=`. Short options
          may have it attached: `-P3307`, `-uroot`, `-hdb.example`.
        - `-h` is the host; help is `--help` or `-?`.
        - `-p` and `--password` take a value only attached (`-pSECRET`, `--password=SECRET`). Alone they ask for it on the
          terminal without echo, so `-p people.csv` never takes the file as a password. A word after them that is not a file ends the
          program with 2, and is not shown: it may be the password.
        - A word with `://` is the connection, wherever it is, and never a file: `bulkload import people.csv mysql://app@db/shop`.
          It is written as in `BULKLOAD_URL`, and no message shows any part of it. It counts as typed: an option that says something else
          is an error, and so is a second such word. Others can see it in the process list.
        - `--null-value=` is the empty text. After `--` every word is a file. `@name` is a name, not a response file.
        - If an option is given twice, the last one counts, unless it is repeatable.
        - SIZE is a whole number with k, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024): `8Mi` is 8,388,608. Case does
          not matter, and a B may follow.
        - CHAR is one ASCII character. `\t`, `\n`, `\r`, `\0`, `\\`, `\xHH` and `tab` are understood; `--quote=` and
          `--escape=` mean none.

        ## Where connection settings come from

        The nearest source that says something wins, setting by setting:

        1. the command line: options, and the word with `://`
        2. `BULKLOAD_URL=mysql://user:pass@host:port/db?ssl-mode=required` (`mariadb://` too). Names and passwords are
           percent-encoded. After `?` these are allowed: ssl-mode, ssl-ca, ssl-cert, ssl-key, get-server-public-key,
           server-public-key-path, enable-cleartext-plugin, connect-timeout, socket, protocol.
        3. the login path file of `mysql_config_editor` (`~/.mylogin.cnf`, or what `MYSQL_TEST_LOGIN_FILE` names): groups
           `[client]`, `[bulkload]` and the one that `--login-path` names. It is read even with `--no-defaults`.
        4. option files: `/etc/my.cnf`, `/etc/mysql/my.cnf`, `$MYSQL_HOME/my.cnf`, the one of `--defaults-extra-file`,
           `~/.my.cnf`; a later one wins. Within a file `[bulkload]` wins over `[client]` (and MariaDB's
           `[client-server]` and `[client-mariadb]`). Unknown settings are ignored in those, and are errors in
           `[bulkload]` unless they begin with `loose-`. `!include` and `!includedir` are followed. A file that anyone may
           write is skipped with a warning; where the command line names it, or the file that includes it, that is an error.
        5. `MYSQL_HOST`, `MYSQL_TCP_PORT`, `MYSQL_UNIX_PORT`, `MYSQL_PWD`
        6. `localhost`, 3306, and the login name as account

        **Socket or TCP.** `localhost`, written or by default, means the unix socket, and any other host means TCP. Beyond
        them the nearest source that says how decides: a socket there means the socket, a port without a socket means TCP
        (MySQL's own clients would ignore that port silently). Where nobody says how, it is the usual socket if one is
        there, else TCP. A host given anywhere (even by `MYSQL_HOST`) wins over a
        socket in an option file. `--protocol` decides by itself.

        `--ssl-ca` without `--ssl-mode` means verify-ca, as in MySQL's clients. With `preferred` or `required` the certificate is
        also checked against it (MySQL's clients would ignore it silently), and `preferred` then means `required`. `verify-identity` without `--ssl-ca` uses the CAs
        that the system trusts; otherwise these are not even read, which would take a quarter of a short job's time.

        A password is never in an output, a log or an error. [operations.md](operations.md#when-a-password-is-sent) says when it is sent. On the command line others can see it in the process list:
        prefer an option file, a login path or `MYSQL_PWD`.

        ## What is written where

        Standard output carries only what was asked for: report, plan, help, version. Progress, log and errors go to standard
        error. Errors are coloured only on a terminal, and not where `NO_COLOR` is set. Control characters in names of files and
        tables are shown by their numbers (`\x1b`), in JSON by its own escapes. The first SIGINT or SIGTERM asks for a
        graceful stop, the second ends the program at once.


        """;

    public static string CommandLine()
    {
        var root = Root();
        var text = new StringBuilder("# The command line\n\n" + Made + "\n");
        text.Append($"    {HelpText.Usage(root)}\n\n");
        foreach (var command in root.Subcommands.Where(command => !command.Hidden))
        {
            text.Append($"- [`{command.Name}`](#{BulkLoadCommand.ProgramName}-{command.Name}): {command.Description}\n");
        }

        text.Append('\n').Append(Reading.ReplaceLineEndings("\n"));
        foreach (var command in root.Subcommands.SelectMany(command => command is JobCommand ? [command] : command.Subcommands.Prepend(command)))
        {
            Describe(text, command);
        }

        text.Append("## Exit codes\n\n| exit | meaning |\n| --- | --- |\n");
        foreach (var (code, meaning) in ExitCodes.All)
        {
            text.Append($"| {(int)code} | {meaning} |\n");
        }

        return text.ToString();
    }

    public static string Json()
    {
        var plan = JsonTests.PlanJsonOf(Samples.Plan);
        var report = JsonTests.ReportJsonOf(Samples.Report, ExitCode.Done);
        var bench = BenchOutputTests.JsonOf(BenchOutputTests.Report);
        var text = $"""
            # What other programs can read

            {Made}
            All forms are UTF-8. `version` counts up when a name changes its meaning or goes away; names may be added without that.
            Sizes are in bytes, times in seconds. `null` stands for what is not known.

            ## The report: `--report FILE.json`

            Written whenever a job ends, however it ended. `outcome` is `complete`, `already-complete` (earlier jobs had done all of it: nothing was sent, and all counts are 0), `interrupted`, `failed`, or `stopped` (by `--run-time` or `--critical-load`);
            `failure` is null, or has `kind` (`request`, `input`, `mapping`, `plan`, `connect`, `server`, `reject-limit`,
            `reconciliation`, `reject-file`, `temp-file`, `memory`, `stopped`), `message`, and for the server's own errors `serverError` and `sqlState`. `exitCode` is what the
            program's end says too, unless an output could not be written. `read = inserted + updated + unchanged + deleted + ignored + superseded + notFound +
            rejected + notCommitted` ([duplicates.md](duplicates.md)); of a check, `read = accepted + undecided + rejected + notCommitted`, where the last are those that were not judged, and
            `undecidedByReason` has `reason`, `description` and `records` (a record may have several reasons). All of
            these are records, and so is `verified`: those whose rows have the same values ([verify.md](verify.md)), of an import some or all of `inserted`; of
            `bulkload verify`, `read = verified + undecided + rejected + notCommitted`. `verification` is null where nobody asked; `result` is `equal`, `partial` (not all rows
            could be compared: `earlierRows` were committed by an earlier run without comparison, of `undecidedRows` the server made keys or values), `different`, or `unverifiable` with
            its `reason`; `differentByReason` counts the rejects of `bulkload verify` that are not in the table. `deletedRows`, `matchedRows` (found by an update) and `changedRows` are rows of the table ([delete.md](delete.md),
            [update.md](update.md)). `plan` is null where the job ended before there was one. `rebuild` is null where the job has dropped no indexes, or
            has their names as `indexes`, those that were not added again as `missing`, and what both took (`droppingSeconds` is 0 where an earlier run has dropped them).
            `rejects` are the first hundred, each with `file`, `record` and `line` (from 1), `byteOffset` (from 0, in the
            decompressed file as it is), `column` or null, `reason` (a stable word, [rejects.md](rejects.md)), `message`, and
            `serverError` where the server refused it. `rejectsByReason` and `repairsByKind` count all of them. `rejectsNotCommitted` of them, the last ones, are of the chunk that was rolled back since there were too many. The reasons next to
            `--reject-file` and the lines of `--repairs-file` have the same members, and `text`, the record decoded, or `base64` of
            its bytes where they are not valid text. Lines of records that are not committed begin with `"committed":false`.

            ```json
            {report}```

            ## The plan: `--plan-json`

            Every strategy has a verdict, the chosen one first; a check that sends nothing has none, and a `strategy` of null. A column
            of null is skipped. `detected` has what was found out about a source by its content, with `confidence` from 0 to 1
            ([input.md](input.md#what-is-found-out)); a `value` is the character itself, empty for none. A column that `--set`
            fills has no field, but its SQL as `expression`. `verify` is null, or has `mode`, the `key` and the `columns` that are compared, columns that `--set` fills as `passed`, and
            why nothing can be compared as `unverifiable`. `profile` is null, or has the file's `name`, what it was measured on, and what of the plan it `decides`: `strategy`, `sessions`,
            names of sizes ([bench.md](bench.md#bench-tune)).
            `rebuild` is null unless `--rebuild-indexes` was given, or has the indexes that are `dropped` and added again, as the
            server writes them, `kept` with the `reason` why each `index` stays, and `notes`: what to know before.

            ```json
            {plan}```

            ## Figures: `bench ... --json FILE`

            `outcome` is `complete`, `cut-short` (by `--run-time`), `interrupted` or `failed`; `failure` is as in a report. `settings` are texts: options, variables of
            the server by their names, and `client`. A section has measures that are compared with each other, those of the same `group` in turn. `seconds`
            is one run's, of `amount` rows, calls or transactions (`unit`); `perSecond` follows from it. `x` is the place on a curve (`xName`), and `best` marks its
            fastest. `speedUp` is a factor over `speedUpOver`, `ratio` the time for the same amount in units of `ratioTo`. Where nothing was measured `seconds` is null
            and `notMeasured` says why. `values` has what else was measured, as [bench.md](bench.md) describes it. Figures have six digits. `--csv` has the
            same, a line a measure.

            ```json
            {bench}```

            ## The log: `--log-format json`

            One object a line, in Serilog's compact format (CLEF): `@t` the time in UTC, `@m` the message, `@i` a number that the
            messages of one form share, `@l` the level where it is not information (`Debug`, `Warning`, `Error`), `@x` an exception.
            After them come the message's values by their names, such as `File`, and `EventId`, whose `Name` is stable.

            """;
        return text.ReplaceLineEndings("\n").Replace($"\"program\": \"{ProgramVersion.Text}\"", "\"program\": \"N.N.N\"", StringComparison.Ordinal);
    }

    internal static BulkLoadCommand Root()
    {
        var surroundings = new HostEnvironment { Output = TextWriter.Null, Error = TextWriter.Null, Files = new FakeFiles() };
        var messages = new Messages(surroundings);
        return new BulkLoadCommand(new CommandContext(surroundings, JobSteps.OfCore, messages, new StopSignals(messages, _ => { })));
    }

    private static void Describe(StringBuilder text, Command described)
    {
        text.Append($"## {HelpText.Path(described)}\n\n{described.Description}\n\n    {HelpText.Usage(described)}\n\n");
        if (described is not JobCommand command)
        {
            return;
        }

        foreach (var argument in command.Arguments)
        {
            text.Append($"{argument.Name}: {argument.Description}\n\n");
        }

        foreach (var group in command.Groups)
        {
            text.Append($"### {group.Title}\n\n| option | meaning |\n| --- | --- |\n");
            foreach (var option in group.Options.Where(option => !option.Hidden))
            {
                text.Append($"| `{HelpText.Names(option).Trim()}` | {Escaped(option.Description)}{OtherNames(option)} |\n");
            }

            text.Append('\n');
        }

        text.Append("### Examples\n\n");
        foreach (var (line, does) in command.Examples)
        {
            text.Append($"- `{line}`: {does}\n");
        }

        text.Append('\n');
    }

    private static string OtherNames(Option option)
    {
        var names = option.Aliases.Where(alias => alias.StartsWith("--", StringComparison.Ordinal)).Select(alias => $"`{alias}`").ToList();
        return names.Count == 0 ? "" : $"; also {string.Join(", ", names)}";
    }

    private static string Escaped(string? description) =>
        (description ?? "").Replace("|", "\\|", StringComparison.Ordinal).Replace("\\N", "`\\N`", StringComparison.Ordinal).Replace("\\t", "`\\t`", StringComparison.Ordinal);
}
