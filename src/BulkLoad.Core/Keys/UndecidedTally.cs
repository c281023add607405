using System.Numerics;
using BulkLoad.Core.Reports;

namespace BulkLoad.Core.Keys;

/// <summary>Records that only the server can judge, by reason. A record may have several.</summary>
internal sealed class UndecidedTally
{
    private static readonly (string Code, string Text)[] Words =
    [
        ("table-rows", "the table may have a row with the same key already"),
        ("key-comparison", "it could be a duplicate of an earlier record, by the column's collation or by a value that the server makes"),
        ("foreign-key", "the row that a foreign key refers to may be missing"),
        ("check-constraint", "the table has CHECK constraints"),
        ("trigger", "the table has INSERT triggers"),
        ("generated-column", "the table has columns or keys that the server computes from others"),
        ("partition", "a row may fit into none of the table's partitions"),
        ("default-expression", "the server computes a column's default"),
        ("set-expression", "the server computes a column (--set)"),
        ("time-zone", "it is not known whether a time exists, since the server's time zone is not known"),
        ("charset", "a column's character set is not known here"),
        ("geometry", "only the server knows whether a geometry is valid"),
    ];

    private readonly long[] _records = new long[Words.Length];

    /// <summary>One entry for each reason that a record had.</summary>
    public IReadOnlyList<UndecidedCount> Counts =>
        [.. Words.Select((word, i) => new UndecidedCount(word.Code, word.Text, _records[i])).Where(count => count.Records > 0)];

    public void Add(UndecidedReasons reasons)
    {
        for (var rest = (uint)reasons; rest != 0; rest &= rest - 1)
        {
            _records[BitOperations.TrailingZeroCount(rest)]++;
        }
    }
}

/// <summary>Why only the server can tell whether it takes a row.</summary>
[Flags]
internal enum UndecidedReasons
{
    None = 0,
    TableRows = 1 << 0,
    KeyComparison = 1 << 1,
    ForeignKey = 1 << 2,
    CheckConstraint = 1 << 3,
    Trigger = 1 << 4,
    GeneratedColumn = 1 << 5,
    Partition = 1 << 6,
    DefaultExpression = 1 << 7,
    SetExpression = 1 << 8,
    TimeZone = 1 << 9,
    Charset = 1 << 10,
    Geometry = 1 << 11,
}
