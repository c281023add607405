using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Options;

/// <summary>The form of an input, detected or given once, which other inputs must have (<c>--spec</c>).</summary>
internal sealed record SourceSpec
{
    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>.NET name of the encoding.</summary>
    public required string Encoding { get; init; }

    /// <summary>Whether it starts with a byte order mark.</summary>
    public bool HasMark { get; init; }

    /// <summary>Separates fields; null: JSON.</summary>
    public string? Delimiter { get; init; }

    /// <summary>Encloses fields; <c>'\0'</c>: none; null: JSON.</summary>
    public char? Quote { get; init; }

    /// <summary>Starts an escape sequence; <c>'\0'</c>: none; null: JSON.</summary>
    public char? Escape { get; init; }

    /// <summary>Ends a record; null: the format's own.</summary>
    public string? Newline { get; init; }

    /// <summary>Null: none.</summary>
    public char? Comment { get; init; }

    /// <summary>Lines skipped before everything else.</summary>
    public int SkipLines { get; init; }

    /// <summary>Lines behind those that are dirt; the header follows.</summary>
    public int PreambleLines { get; init; }

    /// <summary>The header's names; null: there is none, or JSON.</summary>
    public IReadOnlyList<string>? Header { get; init; }

    /// <summary>Fields of a record; 0: JSON, where they may differ.</summary>
    public int Fields { get; init; }

    public IReadOnlyList<NullText> NullTexts { get; init; } = [];

    /// <summary>The fields' columns; null: by the header's names.</summary>
    public IReadOnlyList<string>? Columns { get; init; }

    internal static SourceSpec Of(SourceInfo look, LoadRequest request)
    {
        var dialect = Dialect.Of(look.Settle(request.Source), look.Format);
        var isJson = look.Format.IsJson();
        return new SourceSpec
        {
            Format = look.Format,
            Encoding = look.EncodingName,
            HasMark = look.HasMark,
            Delimiter = isJson ? null : System.Text.Encoding.ASCII.GetString(dialect.WholeDelimiter),
            Quote = isJson ? null : (char)(dialect.Quote ?? 0),
            Escape = isJson ? null : (char)(dialect.Escape ?? 0),
            Newline = request.Source.Newline,
            Comment = request.Source.Comment,
            SkipLines = dialect.SkipLines,
            PreambleLines = dialect.PreambleLines,
            Header = isJson ? null : look.FieldNames,
            Fields = isJson ? 0 : look.FieldCount,
            NullTexts = request.Values.NullTexts,
            Columns = request.Columns,
        };
    }
}

internal static class SpecText
{
    /// <summary>Empty for none; null: nothing was said.</summary>
    public static string? Of(char? character) => character == '\0' ? "" : character?.ToString();
}

/// <summary>A spec that a request's inputs must match.</summary>
/// <param name="Name">of its file, for messages</param>
internal sealed record PinnedSpec(string Name, SourceSpec Spec)
{
    /// <summary>The request with all that the spec says, as if it had been typed: nothing is detected.</summary>
    /// <exception cref="RequestException">the user typed something else</exception>
    public LoadRequest ApplyTo(LoadRequest request)
    {
        var typed = request.Source;
        var hasHeader = Spec.Format.IsJson() ? (bool?)null : Spec.Header is not null;
        Compare("--format", typed.Format == InputFormat.Auto ? null : typed.Format.Word(), Spec.Format.Word());
        Compare("--encoding", EncodingOf(typed), Spec.Encoding);
        Compare("--delimiter", typed.Delimiter is { } first ? $"{first}{typed.DelimiterTail}" : null, Spec.Delimiter);
        Compare("--quote", SpecText.Of(typed.Quote), SpecText.Of(Spec.Quote));
        var typedEscape = typed.Escape is { } escape && escape == Spec.Quote ? '\0' : typed.Escape;
        Compare("--escape", SpecText.Of(typedEscape), SpecText.Of(Spec.Escape));
        Compare("--newline", typed.Newline, Spec.Newline);
        Compare("--comment", SpecText.Of(typed.Comment), SpecText.Of(Spec.Comment));
        Compare("--skip-lines", typed.SkipLines?.ToString(), Spec.SkipLines.ToString());
        Compare("--header", Word(typed.HasHeader), Word(hasHeader));
        Compare("--null-value", request.Values.NullTexts.Count == 0 ? null : Word(request.Values.NullTexts), Word(Spec.NullTexts));
        Compare("--columns", Word(request.Columns), Word(Spec.Columns));
        return request with
        {
            Spec = this,
            Columns = Spec.Columns,
            Values = request.Values with { NullTexts = Spec.NullTexts },
            Source = typed with
            {
                Format = Spec.Format,
                Encoding = typed.Encoding ?? (IsKnownByBytes ? null : Spec.Encoding),
                Delimiter = Spec.Delimiter?[0],
                DelimiterTail = Spec.Delimiter?[1..] ?? "",
                Quote = Spec.Quote,
                Escape = Spec.Escape,
                Newline = Spec.Newline,
                Comment = Spec.Comment,
                SkipLines = Spec.SkipLines,
                PreambleLines = Spec.PreambleLines,
                HasHeader = hasHeader,
                IsPinned = true,
            },
        };
    }

    /// <summary>Throws if an input does not fit.</summary>
    internal void Require(SourceInfo look)
    {
        if (FindDifference(look) is { } difference)
        {
            throw new InputException(
                $"{look.Name}: does not fit {Name}: {difference}; if that is intended, write a new spec with --write-spec");
        }
    }

    /// <summary>The encoding is detected, and compared.</summary>
    private bool IsKnownByBytes => Spec.HasMark || Spec.Encoding == Encoding.UTF8.WebName;

    /// <summary>utf-16 leaves the byte order to the mark.</summary>
    private string? EncodingOf(SourceOptions typed) =>
        typed.Encoding is null ? null
        : Spec.HasMark && typed.Encoding.Equals("utf-16", StringComparison.OrdinalIgnoreCase)
            && Spec.Encoding.StartsWith("utf-16", StringComparison.Ordinal) ? Spec.Encoding
        : InputEncoding.Find(typed.Encoding).WebName;

    private string? FindDifference(SourceInfo look)
    {
        if (look.EncodingName != Spec.Encoding)
        {
            return $"its encoding is {look.EncodingName}, expected {Spec.Encoding}";
        }

        if (look.HasMark != Spec.HasMark)
        {
            return Spec.HasMark ? "it has no byte order mark" : "it starts with a byte order mark";
        }

        return Spec.Format.IsJson() ? null : FindOtherName(look.FieldNames ?? []) ?? FindOtherCount(look);
    }

    private string? FindOtherName(IReadOnlyList<string> names)
    {
        var expected = Spec.Header ?? [];
        for (var i = 0; i < Math.Min(expected.Count, names.Count); i++)
        {
            if (expected[i] != names[i])
            {
                return $"field {i + 1} of its header is {Show(names[i])}, expected {Show(expected[i])}";
            }
        }

        return null;
    }

    private string? FindOtherCount(SourceInfo look) =>
        look.FieldCount != Spec.Fields ? $"it has {Plural.Count(look.FieldCount, "field")}, expected {Spec.Fields}"
        : 2 * look.FaultySampleRecords > look.SampleRecords
            ? $"{look.FaultySampleRecords} of its first {look.SampleRecords} records are not {Spec.Fields} fields"
        : null;

    private void Compare(string option, string? typed, string? pinned)
    {
        if (typed is not null && typed != pinned)
        {
            throw new RequestException($"{option}: {Show(typed)} was asked for, but {Name} says " +
                $"{(pinned is null ? "nothing of it" : Show(pinned))}: leave the option out, or write a new spec with --write-spec");
        }
    }

    private static string? Word(bool? hasHeader) => hasHeader is { } one ? (one ? "a header" : "no header") : null;

    private static string? Word(IReadOnlyList<string>? names) => names is null ? null : string.Join(',', names);

    private static string Word(IReadOnlyList<NullText> texts) =>
        string.Join(' ', texts.Select(text => $"{text.Column}={text.Text}").Order(StringComparer.Ordinal));

    private static string Show(string text) => FieldText.Show(Encoding.UTF8.GetBytes(text));
}
