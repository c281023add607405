using System.Text.Unicode;
using BulkLoad.Core.Input.Formats;

namespace BulkLoad.Core.Input.Detection;

/// <summary>Decides whether an input without a named encoding is UTF-8. Single invalid lines among others that are valid beyond ASCII are
/// bad records. If there are more invalid ones, the encoding is another one.</summary>
internal static class Utf8Detector
{
    /// <summary>Beyond it, invalid lines are bad records of a UTF-8 file.</summary>
    private const double NotEnough = 0.5;

    private const int MaxCandidates = 3;

    /// <summary>What the user can do about bad records of UTF-8.</summary>
    public static WayOn TryEncodings { get; } =
        new("to try the encodings on the whole file") { Command = "check", Words = ["--suggest"] };

    /// <summary>Null: all is ASCII. Throws if it is not UTF-8. Without the whole input, the last line is ignored.</summary>
    public static DetectedSetting? Evaluate(string name, ReadOnlySpan<byte> bytes, bool isWhole)
    {
        bytes = isWhole || bytes.LastIndexOf((byte)'\n') is not (>= 0 and var last) ? bytes : bytes[..(last + 1)];
        if (Ascii.IsValid(bytes))
        {
            return null;
        }

        var (valid, invalid, firstLine) = Count(bytes);
        var confidence = (valid + 1.0) / (valid + invalid + 1);
        if (confidence > NotEnough)
        {
            return new DetectedSetting(
                "encoding", "utf-8", confidence, $"lines that are valid beyond ASCII: {valid}, that are not: {invalid}")
            {
                IsExpected = invalid == 0,
            };
        }

        var others = invalid == 1 ? "it has the only such line" : $"line {firstLine} is the first of {invalid:N0} such lines";
        var encodings = EncodingEvidence.NamesOf(bytes, MaxCandidates);
        throw new InputException($"{name}:{firstLine}: is not UTF-8 ({others}{(isWhole ? "" : " at its beginning")})")
        {
            Encodings = encodings,
            WaysOn =
            [
                .. encodings.Select((encoding, i) => new WayOn($"{(i == 0 ? "probably it is" : "it may be")} {encoding}")
                {
                    Words = ["--encoding", encoding],
                }),
                new WayOn("to refuse these lines by themselves") { Words = ["--encoding", "utf-8"] },
            ],
        };
    }

    private static (int Valid, int Invalid, int FirstLine) Count(ReadOnlySpan<byte> bytes)
    {
        var (valid, invalid, line, at, firstLine) = (0, 0, 0, 0, 0);
        while (at < bytes.Length)
        {
            line++;
            var length = LineEnds.Any.IndexIn(bytes[at..], isAll: true, out var end);
            var text = bytes.Slice(at, length);
            if (!Ascii.IsValid(text))
            {
                var isValid = Utf8.IsValid(text);
                valid += isValid ? 1 : 0;
                invalid += isValid ? 0 : 1;
                firstLine = isValid || firstLine > 0 ? firstLine : line;
            }

            at += length + end;
        }

        return (valid, invalid, firstLine);
    }
}
