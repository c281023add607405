using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Options;

/// <summary>How an input is written and what it holds: found out or said once, for other inputs to be held to (<c>--spec</c>).</summary>
public sealed record SourceSpec
{
    /// <summary>Never <see cref="InputFormat.Auto"/>.</summary>
    public required InputFormat Format { get; init; }

    /// <summary>.NET name of the encoding.</summary>
    public required string Encoding { get; init; }

    /// <summary>Whether it starts with a byte order mark.</summary>
    public bool HasMark { get; init; }

    /// <summary>Separates fields; null: jsonl.</summary>
    public string? Delimiter { get; init; }

    /// <summary>Encloses fields; <c>'\0'</c>: none; null: jsonl.</summary>
    public char? Quote { get; init; }

    /// <summary>Starts an escape sequence; <c>'\0'</c>: none; null: jsonl.</summary>
    public char? Escape { get; init; }

    /// <summary>Ends a record; null: the format's own.</summary>
    public string? Newline { get; init; }

    /// <summary>Starts a line that is not a record; null: none.</summary>
    public char? Comment { get; init; }

    /// <summary>Lines skipped before everything else.</summary>
    public int SkipLines { get; init; }

    /// <summary>Lines behind those that are dirt; the header follows.</summary>
    public int PreambleLines { get; init; }

    /// <summary>The header's names; null: there is none, or jsonl.</summary>
    public IReadOnlyList<string>? Header { get; init; }

    /// <summary>Fields of a record; 0: jsonl, where they may differ.</summary>
    public int Fields { get; init; }

    /// <summary>Texts that mean NULL.</summary>
    public IReadOnlyList<NullText> NullTexts { get; init; } = [];

    /// <summary>The fields' columns; null: by the header's names.</summary>
    public IReadOnlyList<string>? Columns { get; init; }

    internal static SourceSpec Of(SourceInfo look, LoadRequest request)
    {
        var dialect = Dialect.Of(look.Settle(request.Source), look.Format);
        var isJson = look.Format == InputFormat.Jsonl;
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

internal static class SpecWords
{
    public static string Of(InputFormat format) => format switch
    {
        InputFormat.Csv => "csv",
        InputFormat.Tsv => "tsv",
        InputFormat.Mysql => "mysql",
        _ => "jsonl",
    };

    /// <summary>Null where the word is no format.</summary>
    public static InputFormat? Find(string word)
    {
        foreach (var format in new[] { InputFormat.Csv, InputFormat.Tsv, InputFormat.Mysql, InputFormat.Jsonl })
        {
            if (Of(format) == word)
            {
                return format;
            }
        }

        return null;
    }

    /// <summary>Empty for none.</summary>
    public static string Of(char character) => character == '\0' ? "" : $"{character}";
}
