using static BulkLoad.Bench.Oltp.OltpStatement;

namespace BulkLoad.Bench.Oltp;

/// <summary>What a transaction consists of, in the numbers of sysbench's tests of the same names.</summary>
public sealed class OltpWorkload
{
    private static readonly OltpStatement[] AllReads =
        [.. Enumerable.Repeat(SelectPoint, 10), SelectRange, SelectSum, SelectOrdered, SelectDistinct];

    private static readonly OltpStatement[] AllWrites = [UpdateIndexed, UpdateOther, Delete, Insert];

    private OltpWorkload(string name, params OltpStatement[] statements)
    {
        Name = name;
        Statements = statements;
        Reads = statements.Count(IsRead);
    }

    /// <summary>All that there are; the first is the default.</summary>
    public static IReadOnlyList<OltpWorkload> All { get; } =
    [
        new("read-write", [.. AllReads, .. AllWrites]),
        new("read-only", AllReads),
        new("write-only", AllWrites),
        new("point-select", SelectPoint),
        new("insert", InsertNew),
        new("update-index", UpdateIndexed),
        new("update-non-index", UpdateOther),
        new("delete", Delete),
    ];

    /// <summary>Stable kebab-case name.</summary>
    public string Name { get; }

    internal OltpStatement[] Statements { get; }

    internal int Reads { get; }

    internal int Writes => Statements.Length - Reads;

    /// <summary>One statement needs no BEGIN and COMMIT.</summary>
    internal bool IsTransaction => Statements.Length > 1;

    internal static bool IsRead(OltpStatement statement) => statement <= SelectDistinct;
}
