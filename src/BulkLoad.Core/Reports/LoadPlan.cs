using System.Text.Json.Serialization;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Streams;
using BulkLoad.Core.Options;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Reports;

/// <summary>A strategy's judgement of the facts.</summary>
/// <param name="IsFit">whether it can keep every promise here</param>
/// <param name="EstimatedSeconds">what the work would cost; null where unfit or where the size of the input is not known</param>
internal sealed record Verdict(
    string Strategy, [property: JsonPropertyName("fit")] bool IsFit, string Reason, double? EstimatedSeconds);

/// <summary>A size of the run, and what has set it.</summary>
/// <param name="Name">the option's name without dashes, such as <c>rows-per-batch</c></param>
/// <param name="Value">rows or bytes, as the name says</param>
/// <param name="SetBy">the option, limit or measurement that decided it</param>
internal sealed record PlannedSize(string Name, long Value, string SetBy);

/// <param name="Count">of a large input, at the same time</param>
internal sealed record PlannedReaders(int Count, string Reason);

/// <param name="SortedBy">the columns by which they are sorted, as <c>(id)</c>; null: the input's order</param>
internal sealed record PlannedOrder(string? SortedBy, string Reason);

/// <summary>One field and where it goes, or a column that an expression fills.</summary>
/// <param name="Field">the field's name, or its 1-based number where there is no header; null: an expression</param>
/// <param name="Column">the column; null: skipped</param>
/// <param name="Type">the column's type as the server writes it; null: skipped</param>
/// <param name="Expression">the SQL of <c>--set</c>; null: a field</param>
internal sealed record PlannedColumn(
    string? Field,
    string? Column,
    string? Type,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Expression = null);

/// <param name="Name">as the user named it</param>
/// <param name="Format">csv, tsv, mysql, postgres, jsonl or json</param>
/// <param name="Compression">none, gzip, zstd, xz, bzip2 or zip</param>
/// <param name="Bytes">size as stored; null for a pipe</param>
/// <param name="EstimatedRecords">from a sample; null: not known</param>
internal sealed record PlannedSource(string Name, string Format, string Compression, string Encoding, long? Bytes, long? EstimatedRecords)
{
    /// <summary>The part of the file that is the input; null: all of it.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PlannedPart? Part { get; init; }

    [JsonPropertyName("detected")]
    public IReadOnlyList<DetectedSetting> Detections { get; init; } = [];

    /// <summary>Such as <c>a file of format json</c>, so that one thread reads all of it; null: several can read pieces.</summary>
    internal string? Undivided { get; init; }

    /// <summary>How it is written and what it holds, for other inputs to be held to.</summary>
    internal SourceSpec? Spec { get; init; }
}

/// <param name="Number">from 1 to <paramref name="Count"/></param>
/// <param name="From">where the part's first record begins</param>
/// <param name="To">where the next part's first record begins, or the file's length</param>
/// <param name="FileBytes">the file's length</param>
internal sealed record PlannedPart(int Number, int Count, long From, long To, long FileBytes)
{
    public static PlannedPart? Of(FilePart? part) =>
        part is null ? null : new(part.Asked.Number, part.Asked.Count, part.From, part.To, part.FileLength);
}

/// <param name="Kind">MariaDB or MySQL</param>
/// <param name="Version">as the server writes it</param>
/// <param name="Endpoint">host and port, or socket</param>
/// <param name="Security">TLS version, <c>unix socket</c>, or <c>not encrypted</c></param>
/// <param name="User">the account asked for</param>
internal sealed record PlannedServer(string Kind, string Version, string Endpoint, string Security, string User)
{
    /// <summary>Null: a server by itself, as far as the account may see.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public Topology? Topology { get; init; }

    public static PlannedServer Of(ServerFacts server) =>
        new(server.Kind, server.VersionText, server.Endpoint, server.Security, server.User) { Topology = server.Topology };
}

/// <summary>A profile that the plan is made with.</summary>
/// <param name="Version">of the server that it was measured on, as that writes it</param>
/// <param name="Endpoint">where that answered</param>
/// <param name="Decides">what of the plan comes from it: <c>strategy</c>, <c>sessions</c>, names of sizes; empty: nothing does</param>
internal sealed record PlannedProfile(
    string Name,
    [property: JsonPropertyName("serverVersion")] string Version,
    string Endpoint,
    DateTimeOffset Measured,
    IReadOnlyList<string> Decides);

/// <param name="Type">without NULL or NOT NULL</param>
/// <param name="Reason">the values that decided it, with their records</param>
/// <param name="Narrowest">the type that holds these values without room for larger ones; null: it is <paramref name="Type"/></param>
internal sealed record PlannedType(
    string Column, string Type, [property: JsonPropertyName("nullable")] bool IsNullable, string Reason, string? Narrowest = null)
{
    public string Narrowest { get; } = Narrowest ?? Type;
}

/// <summary>A table that is made from the input.</summary>
/// <param name="Records">records that took part</param>
/// <param name="PassedOver">records that cannot be read, and took no part</param>
internal sealed record PlannedTable(string Statement, long Records, long PassedOver, IReadOnlyList<PlannedType> Columns)
{
    /// <summary>Columns that could be the primary key, where none was asked for.</summary>
    internal IReadOnlyList<string> UniqueColumns { get; init; } = [];

    /// <summary>Every column with its type as the statement has it, such as <c>born DATE</c>.</summary>
    internal IReadOnlyList<string> Definitions { get; init; } = [];

    internal bool HasKey { get; init; }

    /// <summary>Columns whose types the user has given, with these, such as <c>price DECIMAL(12,4)</c>.</summary>
    internal IReadOnlyList<string> Given { get; init; } = [];
}

/// <summary>Columns that are added to a table that is there.</summary>
internal sealed record PlannedAddition(string Statement, long Records, long PassedOver, IReadOnlyList<PlannedType> Columns)
{
    /// <summary>Every one with its type as the statement has it, such as <c>city VARCHAR(64)</c>.</summary>
    internal IReadOnlyList<string> Definitions { get; init; } = [];

    /// <summary>Columns whose new value in existing rows is not NULL.</summary>
    internal IReadOnlyList<string> Defaulted { get; init; } = [];
}

/// <summary>How rows are compared with the records, once they are in the table.</summary>
/// <param name="Key">the columns that find a row; empty: none do</param>
/// <param name="Passed">columns that expressions fill, and that are not compared</param>
/// <param name="Unverifiable">why rows cannot be compared, for people; null: they can</param>
internal sealed record PlannedVerification(
    VerifyMode Mode, IReadOnlyList<string> Key, IReadOnlyList<string> Columns, IReadOnlyList<string> Passed, string? Unverifiable);

/// <summary>Indexes that are missing while the job runs.</summary>
/// <param name="Dropped">before the first row, to be added again when all is committed: as the server writes them, such as <c>KEY `age`
/// (`age`)</c></param>
/// <param name="Kept">all others but the primary key</param>
/// <param name="Notes">for people</param>
internal sealed record PlannedRebuild(IReadOnlyList<string> Dropped, IReadOnlyList<KeptIndex> Kept, IReadOnlyList<string> Notes);

internal sealed record LoadPlan
{
    public required string Command { get; init; }

    public JobKind Kind { get; init; }

    /// <summary>The columns by which records find rows; empty: they make new ones.</summary>
    public IReadOnlyList<string> Key { get; init; } = [];

    /// <summary><c>database.table</c>, for people.</summary>
    public required string Table { get; init; }

    public required PlannedServer Server { get; init; }

    public required IReadOnlyList<PlannedSource> Sources { get; init; }

    /// <summary>Of the first input.</summary>
    public required IReadOnlyList<PlannedColumn> Columns { get; init; }

    /// <summary>Null: the table exists already.</summary>
    public PlannedTable? NewTable { get; init; }

    /// <summary>Null: no column is added.</summary>
    public PlannedAddition? AddedColumns { get; init; }

    public DuplicateMode OnDuplicate { get; init; }

    /// <summary>Null: nothing is sent.</summary>
    public required string? Strategy { get; init; }

    public JobMode Mode { get; init; } = JobMode.Write;

    /// <summary>Null: rows are not compared.</summary>
    public PlannedVerification? Verification { get; init; }

    /// <summary>The chosen strategy first.</summary>
    public required IReadOnlyList<Verdict> Verdicts { get; init; }

    public required IReadOnlyList<PlannedSize> Sizes { get; init; }

    /// <summary>Null: no profile is used.</summary>
    public PlannedProfile? Profile { get; init; }

    /// <summary>Sessions that carry rows.</summary>
    public required int Sessions { get; init; }

    public string SessionsReason { get; init; } = "";

    /// <summary>Null: all inputs are small.</summary>
    public PlannedReaders? Readers { get; init; }

    /// <summary>Null: the input's order, and no other one is possible.</summary>
    public PlannedOrder? Order { get; init; }

    /// <summary>Null: not asked for.</summary>
    public PlannedRebuild? Rebuild { get; init; }

    /// <summary>When rows become safe, for people.</summary>
    public required string Transactions { get; init; }

    public required string TimeZone { get; init; }

    /// <summary>In the order in which they run: the one that makes the table, adds columns or drops indexes, those that carry rows, and the
    /// one that adds indexes.</summary>
    public required IReadOnlyList<string> Sql { get; init; }

    /// <summary>Guesses, triggers, fallbacks and other facts, for people.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>The <see cref="Notes"/> on guesses, and on what is made.</summary>
    public IReadOnlyList<string> Choices { get; init; } = [];
}
