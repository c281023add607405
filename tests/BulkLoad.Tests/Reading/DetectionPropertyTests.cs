using System.Globalization;
using System.Text;
using BulkLoad.Core.Reading;
using Xunit;

namespace BulkLoad.Tests.Reading;

/// <summary>Random files that are written by the book, in any of four dialects: what is found out is how they were written.</summary>
public sealed class DetectionPropertyTests
{
    private static readonly string[] Words =
    [
        "Ann", "O'Brien", "'tis", "rock 'n' roll", "a,b", "a;b", "a|b", "a\tb", "5\" pipe", "say \"hi\"", "C:\\tmp\\", "\\N", "two\nlines", "ü", "日本", "", " x ",
        "1,50", "2024-01-31", "3.5", "-7", "x@example.com",
    ];

    [Theory]
    [InlineData(',')]
    [InlineData(';')]
    [InlineData('\t')]
    [InlineData('|')]
    public void A_file_by_the_book_is_read_by_the_book(char delimiter)
    {
        for (var seed = 0; seed < 300; seed++)
        {
            var random = new Random(seed);
            var (text, names) = Write(random, delimiter);
            using var input = Inputs.Open(Inputs.Utf8(text));
            var look = SourceProbe.Look(input, new SourceOptions());
            Assert.True(look.FieldNames!.SequenceEqual(names), Tell(seed, text, look));
            var dialect = Dialect.Of(look.Settle(new SourceOptions()), look.Format);
            Assert.True((dialect.Delimiter, dialect.Quote, dialect.Escape, dialect.PreambleLines) == ((byte)delimiter, (byte)'"', null, 0), Tell(seed, text, look));
            Assert.True(look is { FaultySampleRecords: 0, HeaderDoubt: null }, Tell(seed, text, look));
        }
    }

    private static string Tell(int seed, string text, SourceLook look) =>
        string.Create(CultureInfo.InvariantCulture, $"seed {seed}: {string.Join(" / ", look.Detections)}\n{text}");

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
