using System.IO.Compression;
using System.Text.Json;

namespace BulkLoad.Cli.Completion;

/// <summary>Guesses the names of a file's fields by its first bytes. For completion only: an import examines many records.</summary>
internal static class HeaderPeek
{
    public const int MaxBytes = 64 * 1024;

    private const int MaxNames = 1000;

    private static readonly char[] Delimiters = [',', ';', '\t', '|'];

    /// <param name="path">its extension tells the format</param>
    /// <param name="start">its first bytes</param>
    /// <param name="delimiter">as typed; null: it is guessed</param>
    /// <param name="skipped">number of lines before the header</param>
    public static IReadOnlyList<string> Names(string path, byte[] start, string? delimiter, int skipped)
    {
        var bytes = start is [0x1f, 0x8b, ..] ? Unpacked(start) : start;
        var text = Text(bytes);
        return text.AsSpan().TrimStart() is ['{' or '[', ..] ? OfJson(Encoding.UTF8.GetBytes(text))
            : OfLine(path, text, delimiter, skipped);
    }

    private static byte[] Unpacked(byte[] packed)
    {
        var bytes = new byte[MaxBytes];
        var length = 0;
        try
        {
            using var stream = new GZipStream(new MemoryStream(packed), CompressionMode.Decompress);
            for (var read = -1; read != 0 && length < bytes.Length; length += read)
            {
                read = stream.Read(bytes, length, bytes.Length - length);
            }
        }
        catch (InvalidDataException)
        {
            // It continues behind what was read.
        }

        return bytes[..length];
    }

    private static string Text(byte[] bytes) => bytes switch
    {
        [0xef, 0xbb, 0xbf, .. var rest] => Encoding.UTF8.GetString(rest),
        [0xff, 0xfe, .. var rest] => Encoding.Unicode.GetString(rest),
        [0xfe, 0xff, .. var rest] => Encoding.BigEndianUnicode.GetString(rest),
        _ => Encoding.UTF8.GetString(bytes),
    };

    /// <summary>The keys of the first object.</summary>
    private static List<string> OfJson(byte[] bytes)
    {
        var names = new List<string>();
        try
        {
            var json = new Utf8JsonReader(bytes, isFinalBlock: false, default);
            var depth = 0;
            while (json.Read() && names.Count < MaxNames)
            {
                if (json.TokenType == JsonTokenType.StartObject && depth == 0)
                {
                    depth = json.CurrentDepth + 1;
                }
                else if (json.TokenType == JsonTokenType.PropertyName && json.CurrentDepth == depth)
                {
                    names.Add(json.GetString()!);
                }
                else if (json.TokenType == JsonTokenType.EndObject && json.CurrentDepth == depth - 1)
                {
                    break;
                }
            }
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // The names that were read so far.
        }

        return names;
    }

    private static List<string> OfLine(string path, string text, string? delimiter, int skipped)
    {
        var lines = text.Split('\n');
        var first = skipped;
        while (first < lines.Length
            && (lines[first].Trim().Length == 0 || lines[first].StartsWith("sep=", StringComparison.OrdinalIgnoreCase)))
        {
            first++;
        }

        if (first >= lines.Length)
        {
            return [];
        }

        var line = lines[first].TrimEnd('\r');
        var packed = path.EndsWith(".gz", StringComparison.OrdinalIgnoreCase) ? path[..^3] : path;
        return Fields(line, delimiter ?? (packed.EndsWith(".tsv", StringComparison.OrdinalIgnoreCase) ? "\t"
            : $"{Delimiters.MaxBy(candidate => line.Count(candidate))}"));
    }

    private static List<string> Fields(string line, string delimiter)
    {
        var names = new List<string>();
        var field = new StringBuilder();
        var isQuoted = false;
        for (var i = 0; i <= line.Length && names.Count < MaxNames; i++)
        {
            if (i == line.Length || (!isQuoted && line.AsSpan(i).StartsWith(delimiter, StringComparison.Ordinal)))
            {
                names.Add(field.ToString());
                field.Clear();
                i += delimiter.Length - 1;
            }
            else if (line[i] != '"')
            {
                field.Append(line[i]);
            }
            else if (isQuoted && i + 1 < line.Length && line[i + 1] == '"')
            {
                field.Append(line[i++]);
            }
            else
            {
                isQuoted = !isQuoted;
            }
        }

        return names;
    }
}
