namespace BulkLoad.Core.Reports;

/// <summary>A row that a preview says would change.</summary>
/// <param name="Kind">inserted, updated or deleted</param>
/// <param name="Key">the row's primary key</param>
/// <param name="Values">of an update: column, value that is there, value that comes</param>
public sealed record RowChange(string Kind, string Key, IReadOnlyList<(string Column, string? Before, string? After)> Values);

/// <summary>What a preview has found, beside the counts of the report: nothing was written.</summary>
/// <param name="Key">columns by which its rows are named; empty: the table has no such key, and no row is shown</param>
public sealed record PreviewReport(IReadOnlyList<string> Key)
{
    /// <summary>Rows that would be there in addition.</summary>
    public long InsertedRows { get; init; }

    /// <summary>Rows that would have another value.</summary>
    public long UpdatedRows { get; init; }

    /// <summary>Rows that would be gone; of <c>--truncate</c> all that are there.</summary>
    public long DeletedRows { get; init; }

    /// <summary>The first of these rows.</summary>
    public IReadOnlyList<RowChange> Changes { get; init; } = [];

    /// <summary>All of these rows.</summary>
    public long AllChanges => InsertedRows + UpdatedRows + DeletedRows;

    /// <summary>Where the command would stop; null: it would come to its end.</summary>
    public PreviewStop? Stop { get; init; }

    /// <summary>
    /// Rows that the server would refuse for a foreign key or a unique value that only it compares; not among
    /// <see cref="LoadReport.FirstRejects"/>.
    /// </summary>
    public long RefusedRows => RefusedRecords + RefusedOthers;

    /// <summary>Those that count as rejects.</summary>
    internal long RefusedRecords => RefusedInserts + RefusedUpdates + RefusedDeletes;

    internal long RefusedInserts { get; init; }

    internal long RefusedUpdates { get; init; }

    internal long RefusedDeletes { get; init; }

    /// <summary>Those whose counter is unknown.</summary>
    internal long RefusedOthers { get; init; }

    /// <summary>What these would be refused for, and what would come of other tables' rows, for people.</summary>
    public IReadOnlyList<string> Findings { get; init; } = [];

    /// <summary>The file with all changes; null: none was asked for.</summary>
    public string? File { get; init; }
}

/// <summary>The reject at which the command would stop, since it has more than <c>--max-rejects</c> allows.</summary>
/// <param name="Source">file; null: it is not known which record it is</param>
/// <param name="Line">from 1; 0 where it is not known</param>
/// <param name="Record">from 1; 0 where it is not known</param>
/// <param name="CommittedRecords">records of the chunks that would be committed before it; null: it is not known</param>
/// <param name="Stays">what would be in the table then, for people, such as <c>nothing was committed</c></param>
public sealed record PreviewStop(string? Source, long Line, long Record, long? CommittedRecords, string Stays);
