using BulkLoad.Cli.Host;
using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Tests.Cli;

public sealed class ParsingTests
{
    [Fact]
    public async Task The_main_options_end_up_in_the_request()
    {
        var request = await CliRun.RequestOfAsync(
            "import", "a.csv", "b.csv", "--table", "shop.people", "--format", "tsv", "--quote=", "--escape", "\\", "--newline", "\\r\\n",
            "--comment", "#", "--skip-lines", "2", "--no-header", "--encoding", "latin1", "--compression", "gzip",
            "--max-record-bytes", "1Mi",
            "--map", "Full Name=name,x=y", "--map", "a=b=c", "--null-value", "NULL", "--null-value=",
            "--strategy", "load-data", "--rows-per-batch", "2k", "--bytes-per-batch", "1M", "--rows-per-chunk", "10k",
            "--bytes-per-chunk", "4Mi");

        Assert.Equal(["a.csv", "b.csv"], request.Files);
        Assert.Equal("shop.people", request.Table);
        Assert.Equal(
            new SourceOptions
            {
                Format = InputFormat.Tsv,
                Quote = '\0',
                Escape = '\\',
                Newline = "\r\n",
                Comment = '#',
                SkipLines = 2,
                HasHeader = false,
                Encoding = "latin1",
                Compression = InputCompression.Gzip,
                MaxRecordBytes = 1 << 20,
            },
            request.Source);
        Assert.Equal([new("Full Name", "name"), new("x", "y"), new("a=b", "c")], request.Map);
        Assert.Equal([new(null, "NULL"), new(null, "")], request.Values.NullTexts);
        Assert.Equal("load-data", request.Strategy);
        Assert.Equal((2_000, 1_000_000L, 10_000L, 4L << 20),
            (request.RowsPerBatch, request.BytesPerBatch, request.RowsPerChunk, request.BytesPerChunk));
    }

    [Theory]
    [InlineData("error", DuplicateMode.Error)]
    [InlineData("ignore", DuplicateMode.Ignore)]
    [InlineData("replace", DuplicateMode.Replace)]
    [InlineData("UPDATE", DuplicateMode.Update)]
    public async Task What_becomes_of_duplicates_reaches_the_library(string word, DuplicateMode mode)
    {
        Assert.Equal(mode, (await CliRun.RequestOfAsync("import", "people.csv", "--on-duplicate", word)).OnDuplicate);
        Assert.Equal(DuplicateMode.Error, (await CliRun.RequestOfAsync("import", "people.csv")).OnDuplicate);
    }

    [Fact]
    public async Task How_values_are_read_reaches_the_library()
    {
        var request = await CliRun.RequestOfAsync(
            "import", "people.csv", "--empty", "default", "--empty", "n=null", "--null-quoted", "--trim", "--round", "--zero-dates",
            "--time-zone", "-05:00",
            "--null-value", "-", "--null-value", "age=n/a", "--null-value", "born=", "--null-value", "=a=b", "--null-value", "x=y=z",
            "--set", "made = NOW()", "--set", "note='a=b'");

        Assert.Equal(
            [new(null, "-"), new("age", "n/a"), new("born", ""), new(null, "a=b"), new("x", "y=z")], request.Values.NullTexts);
        Assert.Equal(
            new ValueOptions
            {
                NullTexts = request.Values.NullTexts,
                Empty = EmptyMeaning.Default,
                EmptyColumns = request.Values.EmptyColumns,
                NullQuoted = true,
                Trim = true,
                Round = true,
                ZeroDates = true,
                TimeZone = "-05:00"
            },
            request.Values with { BinaryColumns = new ValueOptions().BinaryColumns, Formats = new ValueOptions().Formats });
        Assert.Equal([new("n", EmptyMeaning.Null)], request.Values.EmptyColumns);
        Assert.Empty(request.Values.BinaryColumns);
        Assert.Empty(request.Values.Formats);
        Assert.Equal([new("made", "NOW()"), new("note", "'a=b'")], request.Assignments);
    }

    [Fact]
    public async Task How_values_are_written_reaches_the_library()
    {
        var request = await CliRun.RequestOfAsync(
            "import", "people.csv", "--date-format", "dd.MM.yyyy", "--date-format", "born=M/d/yy", "--datetime-format", "epoch",
            "--time-format", "=a=b", "--decimal", ",", "--thousands=.",
            "--currency", "€,EUR", "--percent", "rate=fraction", "--true", "J", "--false", "N", "--binary", "base64",
            "--binary", "id=uuid");

        Assert.Equal(
            [
                new(ValueAspect.Date, null, "dd.MM.yyyy"), new(ValueAspect.Date, "born", "M/d/yy"), new(
                    ValueAspect.DateTime, null, "epoch"), new(ValueAspect.Time, null, "a=b"),
                new(ValueAspect.DecimalPoint, null, ","), new(ValueAspect.Thousands, null, "."), new(
                    ValueAspect.Currency, null, "€,EUR"), new(ValueAspect.Percent, "rate", "fraction"),
                new(ValueAspect.True, null, "J"), new(ValueAspect.False, null, "N"),
            ],
            request.Values.Formats);
        Assert.Equal(BinaryForm.Base64, request.Values.Binary);
        Assert.Equal([new BinaryColumn("id", BinaryForm.Uuid)], request.Values.BinaryColumns);
    }

    [Fact]
    public async Task What_is_said_of_a_new_table_reaches_the_library()
    {
        var request =
            await CliRun.RequestOfAsync("import", "people.csv", "--create", "--primary-key", "id, name", "--temp-dir", "/var/spool");
        Assert.Equal((true, "/var/spool"), (request.Create, request.TempFolder));
        Assert.Equal(["id", "name"], request.PrimaryKey);
    }

    [Theory]
    [InlineData("--primary-key is for a new table: add --create", "--primary-key", "id")]
    [InlineData("--type gives a new column its type: add --create for a new table, or --add-columns for new columns of one that is there",
        "--type", "id=INT")]
    [InlineData("--type: 'id' is not COLUMN=TYPE, such as price=DECIMAL(12,4)\ntry 'bulkload import --help'", "--create", "--type", "id")]
    [InlineData(
        "--add-columns with --create: a new table gets a column for every field: leave out --add-columns", "--create", "--add-columns")]
    [InlineData("--preview with --add-columns: a preview changes no table; --plan shows the columns that would be added: leave one out",
        "--add-columns", "--preview")]
    [InlineData("--add-columns with --ignore-unknown: fields without a column are either added or left out: leave one out", "--add-columns",
        "--ignore-unknown")]
    [InlineData("--max-memory: 100 bytes are too little: the least is 40Mi, and more for long records: write --max-memory 100Mi; a number "
        + "without a unit is bytes", "--max-memory", "100")]
    [InlineData("--max-memory: 1048576 bytes are too little: the least is 40Mi, and more for long records: write --max-memory 100Mi",
        "--max-memory", "1Mi")]
    [InlineData("--primary-key names column 'ID' twice", "--create", "--primary-key", "ID,id")]
    [InlineData("--set with --create: no value of the file gives the column's type; create the table first", "--create", "--set", "a=1")]
    public async Task What_cannot_be_meant_of_a_new_table_is_refused(string message, params string[] words)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(["import", "people.csv", .. words]));
        Assert.Equal($"error: {message}\n", run.Error);
    }

    [Theory]
    [InlineData("--ledger-schema: needs a schema's name", "import", "people.csv", "--ledger-schema=")]
    [InlineData("--ledger-schema: needs a schema's name", "import", "people.csv", "--ledger-schema", " ")]
    [InlineData("jobs show takes the id of one job", "jobs", "show", "-D", "shop")]
    [InlineData("jobs restore takes the id of one job", "jobs", "restore", "a", "b", "-D", "shop")]
    [InlineData("jobs forget takes the id of one job or of several", "jobs", "forget", "-D", "shop")]
    [InlineData("jobs: 'lost' is none of list, show JOB, forget JOB... and restore JOB", "jobs", "lost", "-D", "shop")]
    [InlineData("--time: needs a time, such as 10s or 1m", "bench", "oltp", "--time", "0s", "-D", "shop")]
    [InlineData("no schema: name the one that has the ledger with --ledger-schema or --database", "jobs", "--ledger-schema=", "-D", "shop")]
    public async Task A_ledger_without_a_schema_is_refused_before_anything_is_connected_to(string message, params string[] words)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(words));
        Assert.Equal($"error: {message}\n", run.Error);
    }

    [Fact]
    public async Task A_check_goes_on_to_the_end_unless_a_limit_is_typed()
    {
        var plain = await CliRun.RequestOfAsync("check", "a.csv", "--temp-dir", "/var/tmp");
        Assert.Equal((JobMode.Check, true, "/var/tmp"), (plain.Mode, plain.GoesOnBeyondMaxRejects, plain.TempFolder));

        var onServer = await CliRun.RequestOfAsync("check", "a.csv", "--on-server", "--strategy", "load-data", "--max-rejects", "0");
        Assert.Equal((JobMode.ServerCheck, false, "load-data"), (onServer.Mode, onServer.GoesOnBeyondMaxRejects, onServer.Strategy));
        Assert.False((await CliRun.RequestOfAsync("import", "a.csv")).GoesOnBeyondMaxRejects);
    }

    [Fact]
    public async Task A_strategy_is_of_no_use_where_nothing_is_sent()
    {
        var run = new CliRun();
        Assert.Equal(BulkLoad.Cli.Host.ExitCode.WrongRequest, await run.CallAsync("check", "a.csv", "--strategy", "load-data"));
        Assert.Equal("error: --strategy: a check sends nothing unless --on-server is given: add that, or leave this out\n", run.Error);
    }

    [Fact]
    public async Task What_is_not_typed_is_left_to_the_library()
    {
        var request = await CliRun.RequestOfAsync("import", "people.csv", "--strategy", "auto");

        Assert.Equal(new SourceOptions(), request.Source);
        Assert.Null(request.Table);
        Assert.Null(request.Columns);
        Assert.Null(request.Strategy);
        Assert.Null(request.RowsPerBatch);
        Assert.False(request.Atomic);
    }

    [Theory]
    [InlineData("-P3307", "-uroot", "-hdb.example", "-Dshop")]
    [InlineData("-P", "3307", "-u", "root", "-h", "db.example", "-D", "shop")]
    [InlineData("-p", "-pSPD", "-P", "3307", "-u", "root", "-h", "db.example", "-D", "shop")]
    [InlineData("--port=3307", "--user=root", "--host=db.example", "--database=shop")]
    [InlineData("--port", "3306", "--port", "3307", "-u", "x", "-uroot", "-hdb.example", "-Dshop")]
    public async Task Connection_options_are_spelled_as_in_every_client(params string[] spelled)
    {
        var connection = (await CliRun.RequestOfAsync(["import", "a.csv", .. spelled])).Connection;

        Assert.Equal(("db.example", 3307, "root", "shop"), (connection.Host, connection.Port, connection.User, connection.Database));
    }

    [Theory]
    [InlineData("-pSECRET", "SECRET")]
    [InlineData("--password=SECRET", "SECRET")]
    [InlineData("--password=a=b:c", "a=b:c")]
    [InlineData("-p=x", "=x")]
    [InlineData("-p:x", ":x")]
    [InlineData("--password=:x", ":x")]
    [InlineData("--password=", "")]
    public async Task A_password_is_taken_only_attached(string word, string password)
    {
        var request = await CliRun.RequestOfAsync("import", word, "people.csv");

        Assert.Equal(password, request.Connection.Password);
        Assert.Equal(["people.csv"], request.Files);
    }

    [Theory]
    [InlineData("import", "-p", "people.csv")]
    [InlineData("import", "people.csv", "--password")]
    [InlineData("import", "--password", "people.csv", "--table", "t")]
    public async Task A_password_option_alone_asks_and_does_not_swallow_the_file(params string[] args)
    {
        var run = new CliRun { TypedPassword = "typed" };
        run.Files.With("people.csv", "");

        Assert.Equal(ExitCode.Done, await run.CallAsync(args));
        Assert.Equal("typed", run.Request!.Connection.Password);
        Assert.Equal(["people.csv"], run.Request.Files);
    }

    [Fact]
    public async Task Without_a_terminal_nothing_can_be_asked()
    {
        var run = new CliRun();
        run.Files.With("people.csv", "");

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync("import", "-p", "people.csv"));
        Assert.Equal("error: there is no terminal to ask for the password on: use an option file, a login path or MYSQL_PWD\n", run.Error);
        Assert.Null(run.Request);
    }

    [Fact]
    public async Task After_two_dashes_nothing_is_an_option()
    {
        var request = await CliRun.RequestOfAsync("import", "--table", "t", "--", "-p", "--quiet", "import");

        Assert.Equal(["-p", "--quiet", "import"], request.Files);
        Assert.Null(request.Connection.Password);
    }

    [Fact]
    public async Task A_value_that_is_attached_may_look_like_an_option()
    {
        var request =
            await CliRun.RequestOfAsync("import", "a.csv", "--delimiter", "-", "--null-value=--table", "--null-value=-pX", "--table", "t");

        Assert.Equal('-', request.Source.Delimiter);
        Assert.Equal([new(null, "--table"), new(null, "-pX")], request.Values.NullTexts);
        Assert.Equal("t", request.Table);
        Assert.Null(request.Connection.Password);
    }

    [Fact]
    public async Task An_at_sign_names_no_response_file()
    {
        var request = await CliRun.RequestOfAsync("import", "@people.csv", "--table", "t", "--columns", "@skip,a");

        Assert.Equal(["@people.csv"], request.Files);
        Assert.Equal(["@skip", "a"], request.Columns);
    }

    [Fact]
    public async Task A_lone_dash_is_standard_input()
    {
        var request = await CliRun.RequestOfAsync("import", "-", "--table", "t");

        Assert.Equal(["-"], request.Files);
        Assert.NotNull(request.StandardInput);
    }

    [Theory]
    [InlineData(new[] { "--fields-terminated-by", "\\t" }, '\t', null, null)]
    [InlineData(new[] { "--delimiter", "tab" }, '\t', null, null)]
    [InlineData(new[] { "--delimiter=\\x01" }, '\x01', null, null)]
    [InlineData(new[] { "--fields-enclosed-by='" }, null, '\'', null)]
    [InlineData(new[] { "--fields-optionally-enclosed-by=\"" }, null, '"', null)]
    [InlineData(new[] { "--fields-escaped-by=\\\\" }, null, null, '\\')]
    [InlineData(new[] { "--escape", "\\0" }, null, null, '\0')]
    public async Task The_names_of_mysqlimport_are_understood(string[] spelled, char? delimiter, char? quote, char? escape)
    {
        var source = (await CliRun.RequestOfAsync(["import", "a.csv", .. spelled])).Source;

        Assert.Equal((delimiter, quote, escape), (source.Delimiter, source.Quote, source.Escape));
    }

    [Theory]
    [InlineData("--preview", "seed", "--preview", "reset", "--table", "t")]
    [InlineData("--version", "--version", "import", "a.csv")]
    public async Task An_option_before_a_command_that_has_it_not_was_a_file_of_that_command(string option, params string[] args)
    {
        var run = new CliRun();
        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(args));
        Assert.StartsWith($"error: unknown option '{option}'", run.Error, StringComparison.Ordinal);
        Assert.Null(run.Request);
    }

    [Theory]
    [InlineData("||", '|', "|")]
    [InlineData(", ", ',', " ")]
    [InlineData("\\t\\t", '\t', "\t")]
    [InlineData("tab", '\t', "")]
    public async Task A_delimiter_has_one_character_or_several(string typed, char first, string tail)
    {
        var source = (await CliRun.RequestOfAsync("import", "a.csv", "--delimiter", typed)).Source;
        Assert.Equal((first, tail), (source.Delimiter, source.DelimiterTail));
    }

    [Fact]
    public async Task A_map_names_a_field_without_a_name_too() =>
        Assert.Equal([KeyValuePair.Create("", "id"), KeyValuePair.Create("zip?", "zip")],
            (await CliRun.RequestOfAsync("import", "a.csv", "--map", "=id,zip?=zip")).Map);

    [Fact]
    public async Task Lines_have_the_names_of_mysqlimport_too()
    {
        var source = (await CliRun.RequestOfAsync("import", "a.csv", "--lines-terminated-by", "\\n", "--ignore-lines=3")).Source;

        Assert.Equal(("\n", 3), (source.Newline, source.SkipLines));
    }

    [Theory]
    [InlineData("PREFERRED", SslMode.Preferred)]
    [InlineData("VERIFY_CA", SslMode.VerifyCa)]
    [InlineData("verify-identity", SslMode.VerifyIdentity)]
    public async Task The_ssl_mode_is_spelled_as_MySQL_or_as_people_do(string spelled, SslMode mode) =>
        Assert.Equal(mode, (await CliRun.RequestOfAsync("import", "a.csv", "--ssl-mode", spelled)).Connection.SslMode);

    [Fact]
    public async Task A_ca_without_a_mode_means_that_it_is_checked() =>
        Assert.Equal(SslMode.VerifyCa, (await CliRun.RequestOfAsync("import", "a.csv", "--ssl-ca", "ca.pem")).Connection.SslMode);

    [Theory]
    [InlineData("unknown option '--tabel'; similar: --table", "import", "a.csv", "--tabel", "t")]
    [InlineData("unknown option '--workers': that is --threads N", "import", "a.csv", "--workers", "4")]
    [InlineData("unknown option '--dryrun': --preview shows which rows would change, --plan how it would be done; 'bulkload check' "
        + "validates every record", "import", "a.csv", "--dryrun")]
    [InlineData("unknown option '--dry_run': --preview shows which rows would change, --plan how it would be done; 'bulkload check' "
        + "validates every record", "delete", "a.csv", "--dry_run")]
    [InlineData("unknown option '--ignore-duplicates': that is --on-duplicate ignore", "import", "a.csv", "--ignore-duplicates")]
    [InlineData("unknown option '--IgnoreDuplicates': that is --on-duplicate ignore", "import", "a.csv", "--IgnoreDuplicates")]
    [InlineData("unknown option '--ignore-duplicates'", "delete", "a.csv", "--ignore-duplicates")]
    [InlineData("unknown option '--dry-run'", "jobs", "--dry-run")]
    [InlineData("unknown option '-x'", "import", "a.csv", "-x4")]
    [InlineData("unknown option '--password...': write --password=VALUE", "import", "a.csv", "--passwordSECRET")]
    [InlineData("unknown option '--user:...': write --user=VALUE", "import", "a.csv", "--user:HUSH")]
    [InlineData("option '--quiet' takes no value: write --quiet", "import", "a.csv", "--quiet=")]
    [InlineData("option '-?' takes no value: write -?", "import", "a.csv", "-?x")]
    [InlineData("unknown command 'people.csv'; to load a file: bulkload import people.csv", "people.csv", "import")]
    [InlineData("unknown command 'imprt'; similar: import", "imprt", "a.csv")]
    [InlineData("unknown command 'imprt'; similar: import", "imprt", "a.csv", "--table", "t", "--tabel", "t")]
    [InlineData("unknown option '-h'; it goes after the command, as in 'bulkload import -h ...'", "-hdb", "import")]
    [InlineData("--table needs a name, and no word follows", "import", "a.csv", "--table")]
    [InlineData("option '--header' takes no value: write --header", "import", "a.csv", "--header=true")]
    [InlineData("option '--header' takes no value: write --no-header", "import", "a.csv", "--header=false")]
    [InlineData("option '--atomic' takes no value: leave it out", "import", "a.csv", "--atomic=no")]
    [InlineData(
        "--quote: 'none' is not one character; none is written as an empty value, such as --quote=", "import", "a.csv", "--quote=none")]
    [InlineData("--format: 'ndjson' is not one of auto, csv, tsv, mysql, postgres, jsonl, json: that is jsonl", "import", "a.csv",
        "--format", "ndjson")]
    [InlineData(
        "--on-duplicate: 'skip' is not one of error, ignore, replace, update: that is ignore", "import", "a.csv", "--on-duplicate", "skip")]
    [InlineData("--on-duplicate: 'overwrite' is not one of error, ignore, replace, update: that is replace", "import", "a.csv",
        "--on-duplicate", "overwrite")]
    [InlineData("--on-duplicate: 'updat' is not one of error, ignore, replace, update; similar: update", "import", "a.csv",
        "--on-duplicate", "updat")]
    [InlineData("unknown option '--na': that is --null-value TEXT", "import", "a.csv", "--na", "NULL")]
    [InlineData("unknown option '-y': that is --yes", "delete", "a.csv", "-y")]
    [InlineData("unknown option '-y': leave it out: only 'bulkload delete' asks", "import", "a.csv", "-y")]
    [InlineData("unknown option '--local': leave it out: files are always read here, never by the server", "import", "a.csv", "--local")]
    [InlineData("unknown option '-d': --delimiter TEXT is what -d says to tools for CSV; to mysqlimport it says --truncate, which deletes "
        + "all rows first", "import", "a.csv", "-d", ";")]
    [InlineData("unknown option '-d': --delimiter TEXT is what -d says to tools for CSV", "update", "a.csv", "-d", ";")]
    [InlineData(
        "unknown option '--on-duplicate': --mode sync makes each table equal to its file", "seed", "data", "--on-duplicate", "update")]
    [InlineData("unknown option '--create': leave it out: a check, and its --suggest, do so for a table that is not there", "check",
        "a.csv", "--create")]
    [InlineData("unknown option '-h'; it goes after the command, as in 'bulkload update -h ...'", "-h", "127.0.0.1", "update", "a.csv")]
    [InlineData("unknown command 'load': that is 'bulkload import'", "load", "a.csv")]
    [InlineData("unknown command 'copy': that is 'bulkload import'", "copy", "a")]
    [InlineData("unknown option '--pasword'; similar: --password", "doctor", "--pasword", "HUSH")]
    [InlineData("'bulkload doctor' takes options only, and 'people' is none", "doctor", "people")]
    [InlineData("'bulkload seed' takes one DIR, and 'b' is one more", "seed", "a", "b")]
    [InlineData("'bulkload seed DIR': DIR is missing: a folder with a file for each table: people.csv, orders.part1.csv.gz, "
        + "shop.items.jsonl; seed.yaml says what names cannot", "seed")]
    [InlineData("option '--quiet' takes no value: write --quiet", "import", "a.csv", "--quiet=1")]
    [InlineData("--port: 'x' is not a whole number from 1 to 65535", "import", "a.csv", "-Px")]
    [InlineData("--skip-lines: '-1' is not a whole number from 0 to 2147483647", "import", "a.csv", "--skip-lines", "-1")]
    [InlineData("--format: 'xml' is not one of auto, csv, tsv, mysql, postgres, jsonl, json", "import", "a.csv", "--format", "xml")]
    [InlineData("--ssl-mode: 'maybe' is not one of disabled, preferred, required, verify-ca, verify-identity", "import", "a.csv",
        "--ssl-mode=maybe")]
    [InlineData("--delimiter: '' is not one or more ASCII characters (\\t, \\n, \\r, \\0, \\\\, \\xHH and tab are understood)", "import",
        "a.csv", "--delimiter=")]
    [InlineData("--delimiter: 'é' is not one or more ASCII characters (\\t, \\n, \\r, \\0, \\\\, \\xHH and tab are understood)", "import",
        "a.csv", "--delimiter", "é")]
    [InlineData("--columns: 'a,,b' has an empty name", "import", "a.csv", "--columns", "a,,b")]
    [InlineData("--map: 'a' is not FIELD=COLUMN", "import", "a.csv", "--map", "a")]
    [InlineData("--set: 'NOW()' is not COLUMN=EXPRESSION", "import", "a.csv", "--set", "NOW()")]
    [InlineData("--set: '=1' is not COLUMN=EXPRESSION", "import", "a.csv", "--set", "=1")]
    [InlineData("--empty: 'nil' is not one of auto, null, string, default", "import", "a.csv", "--empty", "nil")]
    public async Task What_cannot_be_read_is_told_with_a_way_on(string message, params string[] args)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(args));
        Assert.Equal($"error: {message}", run.Error.Split('\n')[0]);
        Assert.Matches("^try 'bulkload( \\w+)? --help'\n$", run.Error[(run.Error.IndexOf('\n') + 1)..]);
        Assert.DoesNotContain("HUSH", run.Error, StringComparison.Ordinal);
        Assert.Equal("", run.Output);
        Assert.Null(run.Request);
    }

    [Theory]
    [InlineData("no input file: name at least one, or - for standard input", "import")]
    [InlineData("--header and --no-header contradict each other", "import", "a.csv", "--header", "--no-header")]
    [InlineData(
        "--plan with --preview: a plan says how the work would be done, and compares no record with a row; --preview does, "
            + "and writes nothing either: leave one out",
        "import", "a.csv", "--plan", "--preview")]
    [InlineData(
        "--plan-json with --preview: a plan says how the work would be done, and compares no record with a row; --preview does, "
            + "and writes nothing either: leave one out",
        "delete", "a.csv", "--table", "t", "--plan-json", "--preview")]
    [InlineData("--plan and --plan-json are two forms of the same: leave one out", "import", "a.csv", "--plan", "--plan-json")]
    [InlineData("--quiet and --verbose contradict each other", "import", "a.csv", "--quiet", "--verbose")]
    [InlineData("--no-defaults reads no option file: leave out --defaults-file and --defaults-extra-file", "import", "a.csv",
        "--no-defaults", "--defaults-file=x")]
    [InlineData("--report: 'a.csv' is another file of this command already", "import", "a.csv", "--report", "a.csv", "--overwrite")]
    [InlineData("--log-file: './r.json' is another file of this command already", "import", "a.csv", "--report", "r.json", "--log-file",
        "./r.json")]
    public async Task What_cannot_be_meant_is_refused_before_anything_is_opened(string message, params string[] args)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync(args));
        Assert.Equal($"error: {message}\n", run.Error);
        Assert.Null(run.Request);
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("-?")]
    [InlineData("import", "--help")]
    [InlineData("import", "--nonsense", "--port=x", "-?")]
    public async Task Help_goes_to_standard_output_whatever_else_is_wrong(params string[] args)
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.Done, await run.CallAsync(args));
        Assert.Contains("Usage: bulkload", run.Output, StringComparison.Ordinal);
        Assert.Equal("", run.Error);
    }

    [Fact]
    public async Task Nothing_asked_is_answered_with_help_on_standard_error()
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.WrongRequest, await run.CallAsync());
        Assert.Contains("Usage: bulkload", run.Error, StringComparison.Ordinal);
        Assert.Equal("", run.Output);
    }

    [Fact]
    public async Task The_version_is_one_line_with_commit_runtime_and_platform()
    {
        var run = new CliRun();

        Assert.Equal(ExitCode.Done, await run.CallAsync("--version"));
        Assert.Matches(@"^bulkload \d+\.\d+\.\d+ \((commit [0-9a-f]{12}, )?\.NET 10\.\d+\.\d+, [a-z]+-[a-z0-9-]+\)\n$", run.Output);
    }
}
