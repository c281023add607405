namespace BulkLoad.Core.Input;

/// <summary>A kind of dirt in a file; in options and reports in kebab-case.</summary>
internal enum DirtKind
{
    FewFields,

    ManyFields,

    /// <summary>A quote within a field that does not begin with one.</summary>
    StrayQuote,

    /// <summary>Text behind a closing quote.</summary>
    TextAfterQuote,

    UnclosedQuote,

    /// <summary>A single record with another delimiter or quote.</summary>
    OtherDialect,

    /// <summary>A line end that is not that of the first line.</summary>
    MixedNewlines,

    /// <summary>A record with NUL bytes.</summary>
    NulBytes,

    /// <summary>A byte order mark at the beginning of a line, other than the file's own.</summary>
    ByteOrderMark,

    /// <summary>A line without anything, in a file of more than one column.</summary>
    EmptyLines,

    /// <summary>Blanks around fields.</summary>
    Padding,

    RepeatedHeader,

    /// <summary>A line before the header.</summary>
    Preamble,

    /// <summary>Lines at the end of the input that are no records.</summary>
    Footer,

    /// <summary>Lines of another table, with its own header.</summary>
    SeveralTables,
}

internal enum DirtAction
{
    /// <summary>It is a reject.</summary>
    Reject,

    /// <summary>It is repaired, and reported.</summary>
    Repair,

    /// <summary>It ends the job.</summary>
    Fail,
}

internal sealed record DirtPolicies
{
    public static readonly DirtPolicies None = new();

    private readonly DirtAction?[] _actions = new DirtAction?[Enum.GetValues<DirtKind>().Length];

    private DirtPolicies()
    {
    }

    /// <summary><see cref="DirtAction.Reject"/> by default.</summary>
    public DirtAction this[DirtKind kind] => _actions[(int)kind] ?? DirtAction.Reject;

    /// <summary>Whether an option names the kind: some kinds count as dirt only then.</summary>
    public bool Names(DirtKind kind) => _actions[(int)kind] is not null;

    /// <param name="kind">null: every kind</param>
    public DirtPolicies With(DirtKind? kind, DirtAction action)
    {
        var policies = new DirtPolicies();
        for (var i = 0; i < _actions.Length; i++)
        {
            policies._actions[i] = kind is null || (int)kind == i ? action : _actions[i];
        }

        return policies;
    }

    /// <summary>Such as <c>few-fields</c>.</summary>
    public static string NameOf(DirtKind kind) =>
        string.Concat(
            kind.ToString().Select((c, i) => char.IsAsciiLetterUpper(c) ? (i == 0 ? "" : "-") + char.ToLowerInvariant(c) : $"{c}"));

    /// <summary>Null: the name is not one of a kind or of a fault's code.</summary>
    public static DirtKind? Find(string name)
    {
        foreach (var kind in Enum.GetValues<DirtKind>())
        {
            if (NameOf(kind) == name)
            {
                return kind;
            }
        }

        return null;
    }
}
