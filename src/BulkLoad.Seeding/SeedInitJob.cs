using BulkLoad.Core.Protocol;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Server;
using BulkLoad.Core.Sql;

namespace BulkLoad.Seeding;

/// <summary>Writes a folder from a database, from which a seed makes the same rows again. All rows are read from one state of the database,
/// and are not kept in memory: tables may have any size.</summary>
/// <param name="connection">names the database</param>
/// <param name="only">tables and views to write; null or empty: all</param>
/// <param name="force">allows a folder that has files: those that are written are replaced, others stay</param>
internal sealed class SeedInitJob(ConnectionOptions connection, string folder, IReadOnlyList<string>? only = null, bool force = false)
{
    private const string Zone = "+00:00";
    private const int DefaultLineEnds = 1000;
    private const long DefaultRecordBytes = 16 * 1024 * 1024;

    private readonly string _database = !string.IsNullOrWhiteSpace(connection.Database)
        ? connection.Database
        : throw new RequestException("no database: name the one that is written with --database");

    private readonly List<SeedInitFile> _files = [];
    private readonly List<string> _notes = [];
    private readonly List<(string Name, string? Table, SeedRowWriter Writer, bool HasBytes, bool HasMoments)> _written = [];

    /// <exception cref="PlanException">a folder cannot describe a table, or the server refuses</exception>
    /// <exception cref="BulkLoadException">another error that the user can fix; then no new file is there</exception>
    public async Task<SeedInitReport> RunAsync(CancellationToken cancellationToken)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        using var output = SeedFolderWriter.Open(folder, force);
        await using var session = await ServerSession.ConnectAsync(connection with { OffersLocalInfile = false }, cancellationToken);
        try
        {
            await session.QueryAllAsync(
                [.. SessionSql.Profile(session.Server.IsMariaDb, takesZeroDates: true, Zone), .. SeedInitSql.Begin], cancellationToken);
            await WriteAsync(session, output, cancellationToken);
        }
        catch (ServerException fault) when (fault.Kind == FaultKind.Configuration && session.IsUsable)
        {
            throw new PlanException(
                $"the server refuses: {fault.Message}: the account needs SELECT on all tables (and SHOW VIEW, TRIGGER for views and "
                    + "triggers), "
                + "or leave tables out with --only",
                fault);
        }

        output.Keep();
        return new SeedInitReport(_files, _notes);
    }

    private async Task WriteAsync(ServerSession session, SeedFolderWriter output, CancellationToken cancellationToken)
    {
        var all = (await session.QueryAsync(SeedInitSql.Tables(_database), cancellationToken)).Rows;
        var chosen = Choose(all);
        var tables = chosen.Where(row => row[1] == "BASE TABLE").Select(row => row[0]!).ToArray();
        _notes.AddRange(chosen.Where(row => row[1] is not ("BASE TABLE" or "VIEW"))
            .Select(row => $"not written: {row[0]}, which is a {row[1]}"));
        _notes.AddRange(chosen.Where(row => row[1] == "BASE TABLE" && row[2] != "YES")
            .Select(row => $"{row[0]} has no transactions: changes while it was read may be in its file"));
        var references = (await session.QueryAsync(SeedInitSql.References(_database), cancellationToken)).Rows;
        var sorted = SeedTree.Sort(tables, references.Where(row => row[1] == _database).Select(row => (row[0]!, row[2]!)));
        foreach (var row in references.Where(row => tables.Contains(row[0], StringComparer.Ordinal)
            && !(row[1] == _database && tables.Contains(row[2], StringComparer.OrdinalIgnoreCase))))
        {
            _notes.Add($"{row[0]} refers to {(row[1] == _database ? "" : $"{row[1]}.")}{row[2]}, which is not written");
        }

        var schema = new StringBuilder(SeedInitSql.SchemaHead);
        var names = new SeedFileNames();
        foreach (var table in sorted)
        {
            var create = (await session.QueryAsync(SeedInitSql.CreateTable(_database, table), cancellationToken)).FirstRow[1]!;
            schema.Append('\n').Append(CreateText.WithoutCounter(create)).Append(";\n");
            await WriteTableAsync(session, output, names, table, cancellationToken);
        }

        await WriteViewsAsync(session, [.. chosen.Where(row => row[1] == "VIEW").Select(row => row[0]!)], schema, cancellationToken);
        WriteText(output, "schema.sql", schema.Append(SeedInitSql.SchemaTail).ToString());
        await WriteTriggersAsync(session, output, sorted, cancellationToken);
        if (only is not { Count: > 0 })
        {
            var programs = (await session.QueryAsync(SeedInitSql.Programs(_database), cancellationToken)).Rows;
            _notes.AddRange(programs.Select(row => $"not written: {row[0]} {row[1]}"));
        }

        if (Describe().Write() is { } yaml)
        {
            WriteText(output, "seed.yaml", yaml);
        }
    }

    /// <summary>The requested tables without the program's own.</summary>
    private List<string?[]> Choose(IReadOnlyList<string?[]> all)
    {
        if (only is not { Count: > 0 })
        {
            return [.. all.Where(row => !SeedSql.IsOwn(row[0]!))];
        }

        foreach (var name in only)
        {
            if (!all.Any(row => row[0] == name))
            {
                throw new PlanException(
                    $"--only {name}: database {_database} has no table of that name that this account may see"
                    + Names.DidYouMean(name, all.Select(row => row[0]!)));
            }
        }

        return [.. all.Where(row => only.Contains(row[0]!, StringComparer.Ordinal))];
    }

    private async Task WriteTableAsync(
        ServerSession session, SeedFolderWriter output, SeedFileNames names, string table, CancellationToken cancellationToken)
    {
        await session.QueryAsync(SeedInitSql.ReadsAll(_database, table), cancellationToken);
        var facts = await TableProbe.LookAsync(session, _database, table, cancellationToken);
        var columns = facts.Columns.Where(column => !column.IsGenerated).ToList();
        if (columns.FirstOrDefault(column => column.Kind == ColumnKind.Unsupported) is { } unsupported)
        {
            throw new PlanException(
                $"{table}: column '{unsupported.Name}' is of type {unsupported.TypeText}, which the import does not know: leave the table "
                    + "out with --only");
        }

        if (columns.Count == 0)
        {
            _notes.Add($"not written: rows of {table}, which has generated columns only");
            return;
        }

        foreach (var column in columns)
        {
            if (SeedInitSql.Unwritable(_database, table, column) is var (question, reason)
                && (await session.QueryAsync(question, cancellationToken)).Scalar is { } count and not "0")
            {
                throw new PlanException(
                    $"{table}: column '{column.Name}' has {count} {Plural.For(long.Parse(count, CultureInfo.InvariantCulture), "value")} "
                    + $"that a file cannot say exactly ({reason}): correct them, or leave the table out with --only");
            }
        }

        // By a key of whole columns the server reads in order; by prefixes it would sort a copy of the table.
        var isInOrder = facts.UniqueKeys is [{ IsPrimary: true } key, ..] && key.Parts.All(part => part.Prefix is null);
        var rows = SeedInitSql.Rows(_database, table, columns, isInOrder ? facts.PrimaryKey : []);
        var (name, isNamed) = names.Of(table);
        var (writer, bytes) = await WriteRowsAsync($"{name}.csv", file => new CsvRowWriter(file, table, columns));
        if (writer.IsUnfit)
        {
            output.Drop($"{name}.csv");
            (writer, bytes) = await WriteRowsAsync($"{name}.jsonl", file => new JsonRowWriter(file, table, columns));
        }

        var fileName = writer is JsonRowWriter ? $"{name}.jsonl" : $"{name}.csv";
        _files.Add(new SeedInitFile(fileName, table, writer.Rows, bytes));
        _written.Add((
            fileName, isNamed ? null : AsTyped(table), writer, columns.Exists(column => column.IsBinary),
            columns.Exists(column => column.Kind == ColumnKind.Timestamp)));

        async Task<(SeedRowWriter Writer, long Bytes)> WriteRowsAsync(string to, Func<Stream, SeedRowWriter> create)
        {
            await using var file = output.Create(to);
            try
            {
                var into = create(file);
                await session.StreamAsync(rows, into, cancellationToken);
                into.End();
                await file.FlushAsync(cancellationToken);
                return (into, file.Length);
            }
            catch (IOException fault)
            {
                throw SeedFolderWriter.Unwritable(to, fault);
            }
        }
    }

    private static string AsTyped(string table) => table.AsSpan().ContainsAny('.', '`') ? SqlName.Quote(table) : table;

    /// <summary>A view may read others: those that its text mentions come before it.</summary>
    private async Task WriteViewsAsync(
        ServerSession session, IReadOnlyList<string> views, StringBuilder schema, CancellationToken cancellationToken)
    {
        var texts = new Dictionary<string, (string Create, string Collation)>(StringComparer.Ordinal);
        foreach (var view in views)
        {
            try
            {
                var row = (await session.QueryAsync(SeedInitSql.CreateView(_database, view), cancellationToken)).FirstRow;
                texts[view] = (CreateText.WithoutDefiner(row[1]!), row[3]!);
            }
            catch (ServerException fault) when (session.IsUsable && fault.Code != 0)
            {
                _notes.Add($"not written: view {view}: {fault.Message}");
            }
        }

        var needs = from view in texts
                    from other in texts.Keys
                    where other != view.Key
            && view.Value.Create.Contains(SqlName.Quote(other), StringComparison.Ordinal)
                    select (view.Key, other);
        foreach (var view in SeedTree.Sort([.. texts.Keys], needs))
        {
            schema.Append(CultureInfo.InvariantCulture, $"\n{SeedInitSql.SetCollation(texts[view].Collation)};\n{texts[view].Create};\n");
        }
    }

    /// <summary>Writes triggers into a file of their own: in place before the rows, they would change what is loaded.</summary>
    private async Task WriteTriggersAsync(
        ServerSession session, SeedFolderWriter output, IReadOnlyList<string> tables, CancellationToken cancellationToken)
    {
        var triggers = (await session.QueryAsync(SeedInitSql.Triggers(_database), cancellationToken)).Rows.Where(
            row => tables.Contains(row[1]!, StringComparer.Ordinal)).ToArray();
        if (triggers.Length == 0)
        {
            return;
        }

        var text = new StringBuilder();
        foreach (var trigger in triggers)
        {
            var row = (await session.QueryAsync(SeedInitSql.CreateTrigger(_database, trigger[0]!), cancellationToken)).FirstRow;
            var create = CreateText.WithoutDefiner(row[2]!);
            var delimiter = CreateText.DelimiterFor(create);
            text.Append(CultureInfo.InvariantCulture,
                $"{SeedInitSql.SetMode(row[1]!, row[4]!)};\nDELIMITER {delimiter}\n{create}{delimiter}\nDELIMITER ;\n\n");
        }

        WriteText(output, "triggers.sql", text.ToString());
        _notes.Add(
            $"triggers.sql has {triggers.Length} {Plural.For(triggers.Length, "trigger")}: "
            + "run it behind a seed, since triggers would change the rows that are loaded");
    }

    private SeedYaml Describe()
    {
        var yaml = new SeedYaml();
        var options = new List<(string Name, string Value)>();
        (string Name, string Value)[] form = [("delimiter", ","), ("quote", "\""), ("escape", ""), ("header", "true"), ("skip-lines", "0")];
        var isAllCsv = _written.TrueForAll(file => file.Writer is CsvRowWriter);
        if (_written.Exists(file => file.HasMoments))
        {
            yaml.Share("time-zone", "UTC");
        }

        if (_written.Exists(file => file.HasBytes))
        {
            yaml.Share("binary", "hex");
        }

        if (isAllCsv && _written.Count > 0)
        {
            Array.ForEach(form, option => yaml.Share(option.Name, option.Value));
        }

        foreach (var (name, table, writer, _, _) in _written)
        {
            options.Clear();
            options.AddRange(writer is CsvRowWriter && !isAllCsv ? form : []);
            options.AddRange(writer.HasZeroDates ? [("zero-dates", "true")] : []);
            options.AddRange(writer.MaxBytes > DefaultRecordBytes
                ? [("max-record-bytes", writer.MaxBytes.ToString(CultureInfo.InvariantCulture))]
                : []);
            options.AddRange(writer is CsvRowWriter && writer.MaxLineEnds > DefaultLineEnds
                ? [("max-quoted-lines", writer.MaxLineEnds.ToString(CultureInfo.InvariantCulture))]
                : []);
            yaml.Add(name, table, options);
        }

        return yaml;
    }

    private void WriteText(SeedFolderWriter output, string name, string text)
    {
        using var file = output.Create(name);
        try
        {
            file.Write(Encoding.UTF8.GetBytes(text));
            file.Flush();
            _files.Add(new SeedInitFile(name, null, 0, file.Length));
        }
        catch (IOException fault)
        {
            throw SeedFolderWriter.Unwritable(name, fault);
        }
    }
}

/// <param name="Table">null: the file has no rows</param>
internal sealed record SeedInitFile(string Name, string? Table, long Rows, long Bytes);

/// <param name="Files">in the order of the foreign keys; those without rows are last</param>
/// <param name="Notes">what the folder does not contain, or what a reader must know of it</param>
internal sealed record SeedInitReport(IReadOnlyList<SeedInitFile> Files, IReadOnlyList<string> Notes);
