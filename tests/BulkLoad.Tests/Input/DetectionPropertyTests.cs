using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Tests.Input;

/// <summary>Random files that are written by the book, in any of four dialects: what is found out is how they were written.</summary>
public sealed class DetectionPropertyTests
{
    private const int Files = 150;

    private static readonly string[] Words =
    [
        "Ann", "O'Brien", "'tis", "rock 'n' roll", "a,b", "a;b", "a|b", "a\tb", "5\" pipe", "say \"hi\"", "C:\\tmp\\", "\\N", "two\nlines",
        "ü", "日本", "", " x ",
        "1,50", "2024-01-31", "3.5", "-7", "x@example.com",
    ];

    [Theory]
    [InlineData(',')]
    [InlineData(';')]
    [InlineData('\t')]
    [InlineData('|')]
    public void A_file_by_the_book_is_read_by_the_book(char delimiter)
    {
        for (var seed = 0; seed < Files; seed++)
        {
            var random = new Random(seed);
            var (text, names) = Write(random, delimiter);
            using var input = Inputs.Open(Inputs.Utf8(text));
            var look = SourceProbe.Look(input, new SourceOptions());
            Assert.True(look.FieldNames!.SequenceEqual(names), Tell(seed, text, look));
            var dialect = Dialect.Of(look.Settle(new SourceOptions()), look.Format);
            Assert.True((dialect.Delimiter, dialect.Quote, dialect.Escape, dialect.PreambleLines) == ((byte)delimiter, (byte)'"', null, 0),
                Tell(seed, text, look));
            Assert.True(look is { FaultySampleRecords: 0, HeaderDoubt: null }, Tell(seed, text, look));
        }
    }

    /// <summary>
    /// As INTO OUTFILE ... OPTIONALLY ENCLOSED BY writes texts, with any share of JSON: either the backslashes are found, or it is asked,
    /// or records are refused. No file is read as something else and nobody hears of it.
    /// </summary>
    [Theory]
    [InlineData(',')]
    [InlineData(';')]
    [InlineData('\t')]
    public void A_file_with_backslash_escapes_is_never_read_otherwise_in_silence(char delimiter)
    {
        var found = 0;
        for (var seed = 0; seed < Files; seed++)
        {
            var random = new Random(seed);
            var hasHeader = random.Next(2) == 0;
            var (text, values) = WriteEscaped(random, delimiter, hasHeader);
            var options = new SourceOptions { HasHeader = hasHeader ? null : false };
            using var input = Inputs.Open(Inputs.Utf8(text));
            SourceInfo look;
            try
            {
                look = SourceProbe.Look(input, options);
            }
            catch (InputException asked)
            {
                Assert.Contains("is ambiguous", asked.Message, StringComparison.Ordinal);
                continue;
            }

            using var reader = look.CreateReader(input, options);
            var read = new List<string?>();
            while (reader.Read())
            {
                read.Add(reader.Fault is null
                    ? string.Join('|', Enumerable.Range(0, reader.FieldCount).Select(field => Value(reader, field))) : null);
            }

            var isRight = read.SequenceEqual(values);
            found += isRight ? 1 : 0;
            Assert.True(isRight || read.Contains(null), Tell(seed, text, look));
        }

        Assert.InRange(found, Files / 3, Files);
    }

    private static string Value(IRecordReader reader, int field) =>
        reader.GetField(field, out var value) == FieldKind.Null || value.SequenceEqual(@"\N"u8) ? "NULL" : Encoding.UTF8.GetString(value);

    private static (string Text, List<string?> Values) WriteEscaped(Random random, char delimiter, bool hasHeader)
    {
        string[] texts = ["Ann", "a, b", "a; b", "a\tb", "say \"hi\"", "x", "two words", "it's", ""];
        var share = random.Next(101);
        var text = new StringBuilder(hasHeader ? $"id{delimiter}name{delimiter}info\n" : "");
        var values = new List<string?>();
        var count = new[] { 1, 3, 10, 20, 200 }[random.Next(5)];
        for (var id = 1; id <= count; id++)
        {
            var name = texts[random.Next(texts.Length)];
            var info = random.Next(100) < share ? $"{{\"p\": {id}, \"q\": \"x\\\\y\"}}" : random.Next(3) == 0 ? "NULL" : "plain";
            text.Append(id).Append(delimiter).Append(Enclose(name)).Append(delimiter).Append(info == "NULL" ? @"\N" : Enclose(info))
                .Append('\n');
            values.Add($"{id}|{name}|{info}");
        }

        return (text.ToString(), values);

        static string Enclose(string value) =>
            $"\"{value.Replace(@"\", @"\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)}\"";
    }

    private static string Tell(int seed, string text, SourceInfo look) =>
        $"seed {seed}: {string.Join(" / ", look.Detections)}\n{text}";

    /// <summary>A key, a text that is always in quotes, and up to four columns of any texts in quotes where they are needed.</summary>
    private static (string Text, string[] Names) Write(Random random, char delimiter)
    {
        string[] names = ["id", "name", .. Enumerable.Range(0, random.Next(5)).Select(i => $"column {i}")];
        var text = new StringBuilder(string.Join(delimiter, names)).Append('\n');
        for (var record = 1; record <= random.Next(2, 40); record++)
        {
            text.Append(record).Append(delimiter).Append("\"text\"");
            for (var field = 2; field < names.Length; field++)
            {
                var word = Words[random.Next(Words.Length)];
                var needsQuotes = word.AsSpan().IndexOfAny(delimiter, '"', '\n') >= 0;
                text.Append(delimiter).Append(needsQuotes ? $"\"{word.Replace("\"", "\"\"", StringComparison.Ordinal)}\"" : word);
            }

            text.Append('\n');
        }

        return (text.ToString(), names);
    }
}
