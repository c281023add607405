namespace BulkLoad.Core.Input;

/// <summary>What an unquoted empty field means.</summary>
public enum EmptyMeaning
{
    /// <summary>NULL where the column can be NULL; else the empty string in a character column, and a reject elsewhere.</summary>
    Auto,

    /// <summary>NULL, whatever the column.</summary>
    Null,

    /// <summary>The empty string, as a quoted empty field is.</summary>
    EmptyText,

    /// <summary>The column's DEFAULT.</summary>
    Default,
}

/// <summary>An unquoted text that means NULL.</summary>
/// <param name="Column">the one column where it does; null: all</param>
/// <param name="Text">the whole field; empty: an unquoted empty field is NULL whatever <see cref="ValueOptions.Empty"/> says</param>
public sealed record NullText(string? Column, string Text);

/// <summary>How fields are read as values, where the contract leaves a choice.</summary>
public sealed record ValueOptions
{
    /// <summary>Texts that mean NULL beside <c>\N</c>.</summary>
    public IReadOnlyList<NullText> NullTexts { get; init; } = [];

    /// <summary>What an unquoted empty field means.</summary>
    public EmptyMeaning Empty { get; init; }

    /// <summary>Whether spaces and tabs around the values of columns that are not text are ignored.</summary>
    public bool Trim { get; init; }

    /// <summary>Whether numbers and fractions of a second finer than the column are rounded instead of refused.</summary>
    public bool Round { get; init; }

    /// <summary>Whether dates with a year, month or day of zero are taken.</summary>
    public bool ZeroDates { get; init; }

    /// <summary>How fields of binary columns are written; null: raw in the mysql format, hexadecimal digits in all others.</summary>
    public BinaryForm? Binary { get; init; }

    /// <summary><c>UTC</c>, an offset such as <c>+02:00</c>, or a zone's name; null or <c>server</c>: the session's own.</summary>
    public string? TimeZone { get; init; }

    /// <summary>The same for an input of that format: with nothing left that depends on it.</summary>
    internal ValueOptions In(InputFormat format) =>
        this with { Binary = Binary ?? (format == InputFormat.Mysql ? BinaryForm.Raw : BinaryForm.Hex) };
}

/// <summary>How the bytes of a binary column are written in a field.</summary>
public enum BinaryForm
{
    /// <summary>Two hexadecimal digits a byte, with <c>0x</c> or <c>\x</c> before them or not.</summary>
    Hex,

    /// <summary>RFC 4648, section 4, with padding; line ends between are ignored.</summary>
    Base64,

    /// <summary>The field's own bytes.</summary>
    Raw,
}
