namespace BulkLoad.Core.Benching.Oltp;

/// <summary>What a transaction consists of, in the numbers of sysbench's tests of the same names.</summary>
/// <param name="Name">stable kebab-case name</param>
/// <param name="PointSelects">rows by id</param>
/// <param name="Ranges">of each of four: rows, their sum, in order, and distinct</param>
/// <param name="IndexUpdates">of a column with an index</param>
/// <param name="OtherUpdates">of one without</param>
/// <param name="Replacements">a row deleted and inserted again</param>
/// <param name="Inserts">of rows with ids of the server's making</param>
/// <param name="Deletes">of rows by id</param>
public sealed record OltpWorkload(string Name, int PointSelects, int Ranges, int IndexUpdates, int OtherUpdates, int Replacements, int Inserts, int Deletes)
{
    /// <summary>All that there are; the first is the default.</summary>
    public static IReadOnlyList<OltpWorkload> All { get; } =
    [
        new("read-write", 10, 1, 1, 1, 1, 0, 0),
        new("read-only", 10, 1, 0, 0, 0, 0, 0),
        new("write-only", 0, 0, 1, 1, 1, 0, 0),
        new("point-select", 1, 0, 0, 0, 0, 0, 0),
        new("insert", 0, 0, 0, 0, 0, 1, 0),
        new("update-index", 0, 0, 1, 0, 0, 0, 0),
        new("update-non-index", 0, 0, 0, 1, 0, 0, 0),
        new("delete", 0, 0, 0, 0, 0, 0, 1),
    ];

    /// <summary>Statements that read.</summary>
    internal int Reads => PointSelects + (4 * Ranges);

    /// <summary>Statements that write.</summary>
    internal int Writes => IndexUpdates + OtherUpdates + (2 * Replacements) + Inserts + Deletes;

    /// <summary>Whether it needs BEGIN and COMMIT: one statement is a transaction by itself.</summary>
    internal bool IsTransaction => Reads + Writes > 1;
}
