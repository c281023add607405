namespace BulkLoad.Core.Inference;

/// <summary>What values look like. Each value has one shape; the shapes that a column has seen decide its type.</summary>
[Flags]
internal enum ValueShapes
{
    None = 0,

    /// <summary>A whole number as it would be printed: no plus, no leading zeros.</summary>
    Integer = 1,

    /// <summary>Digits, a point, digits.</summary>
    Decimal = 1 << 1,

    /// <summary>A number with an exponent that cannot be taken for an id.</summary>
    Exponent = 1 << 2,

    /// <summary>true, no, off and their like.</summary>
    Truth = 1 << 3,

    Date = 1 << 4,

    /// <summary>A date with a time of day, without offset.</summary>
    DateTime = 1 << 5,

    /// <summary>A date with a time of day and its UTC offset.</summary>
    Moment = 1 << 6,

    Time = 1 << 7,

    /// <summary>A JSON object or array.</summary>
    Json = 1 << 8,

    /// <summary>Anything else, and what only looks like a number.</summary>
    Text = 1 << 9,
}
