namespace BulkLoad.Core.Keys;

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
