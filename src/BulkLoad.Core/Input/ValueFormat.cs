namespace BulkLoad.Core.Input;

/// <summary>What an option says of how values are written.</summary>
public enum ValueAspect
{
    /// <summary>Of DATE columns.</summary>
    Date,

    /// <summary>Of DATETIME and TIMESTAMP columns.</summary>
    DateTime,

    /// <summary>Of TIME columns.</summary>
    Time,

    /// <summary>The character before a number's fraction.</summary>
    DecimalPoint,

    /// <summary>What is between groups of three digits.</summary>
    Thousands,

    /// <summary>Signs and words of currencies beside a number.</summary>
    Currency,

    /// <summary>What a percent sign behind a number means.</summary>
    Percent,

    /// <summary>Words for true.</summary>
    True,

    /// <summary>Words for false.</summary>
    False,
}

/// <summary>How values are written where they are not as the rules have them.</summary>
/// <param name="Column">the one column of which it is said; null: all whose type it suits</param>
/// <param name="Text">the option's value without the column, such as <c>dd.MM.yyyy</c></param>
public sealed record ValueFormat(ValueAspect Aspect, string? Column, string Text)
{
    /// <summary>The option of each aspect.</summary>
    public static IReadOnlyList<(ValueAspect Aspect, string Option)> Options { get; } =
    [
        (ValueAspect.Date, "--date-format"), (ValueAspect.DateTime, "--datetime-format"), (ValueAspect.Time, "--time-format"),
        (ValueAspect.DecimalPoint, "--decimal"), (ValueAspect.Thousands, "--thousands"), (ValueAspect.Currency, "--currency"),
        (ValueAspect.Percent, "--percent"), (ValueAspect.True, "--true"), (ValueAspect.False, "--false"),
    ];

    /// <summary>The name of an aspect's option.</summary>
    public static string OptionOf(ValueAspect aspect) => Options[(int)aspect].Option;

    /// <summary>The option's value, with the column.</summary>
    public string Value => Column is null ? Text : $"{Column}={Text}";

    /// <summary>As it is typed.</summary>
    public override string ToString() => $"{OptionOf(Aspect)} {Value}";
}
