namespace BulkLoad.Core.Input;

/// <summary>An unquoted text that means NULL.</summary>
/// <param name="Column">null: all</param>
/// <param name="Text">the whole field; empty: an unquoted empty field is NULL whatever <see cref="ValueOptions.Empty"/> says</param>
internal sealed record NullText(string? Column, string Text);

internal sealed record EmptyColumn(string Column, EmptyMeaning Meaning);

internal sealed record ValueOptions
{
    /// <summary>Texts that mean NULL beside <c>\N</c>.</summary>
    public IReadOnlyList<NullText> NullTexts { get; init; } = [];

    public EmptyMeaning Empty { get; init; }

    public IReadOnlyList<EmptyColumn> EmptyColumns { get; init; } = [];

    /// <summary>Whether a quoted field that is empty or one of <see cref="NullTexts"/> means the same as an unquoted one. A string of JSON
    /// counts as quoted.</summary>
    public bool NullQuoted { get; init; }

    /// <summary>Whether spaces and tabs around the values of columns that are not text are ignored.</summary>
    public bool Trim { get; init; }

    /// <summary>Whether numbers and fractions of a second finer than the column are rounded instead of refused.</summary>
    public bool Round { get; init; }

    /// <summary>Whether dates with a year, month or day of zero are taken.</summary>
    public bool ZeroDates { get; init; }

    /// <summary>How fields of binary columns are written; null: raw in the mysql format, hexadecimal digits in all others.</summary>
    public BinaryForm? Binary { get; init; }

    public IReadOnlyList<BinaryColumn> BinaryColumns { get; init; } = [];

    /// <summary>How dates, times, numbers and true/false words are written, where it differs from the rules.</summary>
    public IReadOnlyList<ValueFormat> Formats { get; init; } = [];

    /// <summary><c>UTC</c>, an offset such as <c>+02:00</c>, or a zone's name; null or <c>server</c>: the session's own.</summary>
    public string? TimeZone { get; init; }

    /// <summary>Options that must be the same at each start of a job.</summary>
    internal static IReadOnlyList<OptionRule<ValueOptions>> Rules { get; } =
    [
        new("--null-value", values => string.Join(' ', values.NullTexts
            .Select(text => text.Column is null ? $"'{text.Text}'" : $"{text.Column}='{text.Text}'").Order(StringComparer.Ordinal))),
        new("--null-quoted", values => values.NullQuoted ? "on" : ""),
        new("--empty", values => string.Join(' ',
        [
            .. values.Empty == EmptyMeaning.Auto ? [] : (string[])[WordOf(values.Empty)],
            .. values.EmptyColumns.Where(one => values.EmptyOf(one.Column) != values.Empty)
                .Select(one => $"{one.Column.ToLowerInvariant()}={WordOf(one.Meaning)}").Distinct().Order(StringComparer.Ordinal),
        ])),
        new("--trim", values => values.Trim ? "on" : ""),
        new("--round", values => values.Round ? "on" : ""),
        new("--zero-dates", values => values.ZeroDates ? "on" : ""),
        .. ValueFormat.Options.Select(option => new OptionRule<ValueOptions>(option.Option, values => string.Join(' ', values.Formats
            .Where(format => format.Aspect == option.Aspect).Select(format => format.Value).Order(StringComparer.Ordinal)))),
    ];

    private static string WordOf(EmptyMeaning meaning) =>
        meaning == EmptyMeaning.EmptyText ? "string" : meaning.ToString().ToLowerInvariant();

    internal EmptyMeaning EmptyOf(string column) =>
        EmptyColumns.FirstOrDefault(one => one.Column.Equals(column, StringComparison.OrdinalIgnoreCase))?.Meaning ?? Empty;

    /// <summary>Hexadecimal digits by default.</summary>
    internal BinaryForm BinaryOf(string column) =>
        BinaryColumns.FirstOrDefault(one => one.Column.Equals(column, StringComparison.OrdinalIgnoreCase))?.Form ?? Binary
            ?? BinaryForm.Hex;

    /// <summary>Whether the fields of a BIT column are its bytes.</summary>
    internal bool HasRawBits(string column) => BinaryColumns.Any(
        one => one.Form == BinaryForm.Raw && one.Column.Equals(column, StringComparison.OrdinalIgnoreCase));

    internal ValueOptions In(InputFormat format) => this with { Binary = Binary ?? format.Behaviour().Binary };
}

internal sealed record BinaryColumn(string Column, BinaryForm Form);

internal enum ValueAspect
{
    Date,

    /// <summary>DATETIME and TIMESTAMP columns.</summary>
    DateTime,

    Time,

    /// <summary>The character before a number's fraction.</summary>
    DecimalPoint,

    Thousands,

    Currency,

    /// <summary>What a percent sign behind a number means.</summary>
    Percent,

    True,

    False,
}

/// <summary>How values are written where it differs from the rules.</summary>
/// <param name="Column">null: all columns whose type it suits</param>
/// <param name="Text">the option's value without the column, such as <c>dd.MM.yyyy</c></param>
internal sealed record ValueFormat(ValueAspect Aspect, string? Column, string Text)
{
    public static IReadOnlyList<(ValueAspect Aspect, string Option)> Options { get; } =
    [
        (ValueAspect.Date, "--date-format"), (ValueAspect.DateTime, "--datetime-format"), (ValueAspect.Time, "--time-format"),
        (ValueAspect.DecimalPoint, "--decimal"), (ValueAspect.Thousands, "--thousands"), (ValueAspect.Currency, "--currency"),
        (ValueAspect.Percent, "--percent"), (ValueAspect.True, "--true"), (ValueAspect.False, "--false"),
    ];

    public static string OptionOf(ValueAspect aspect) => Options[(int)aspect].Option;

    public string Value => Column is null ? Text : $"{Column}={Text}";

    public override string ToString() => $"{OptionOf(Aspect)} {Value}";
}
