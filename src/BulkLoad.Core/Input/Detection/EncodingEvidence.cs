using System.Runtime.InteropServices;
using System.Text.Unicode;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input.Detection;

/// <summary>An encoding in which an input's text may be written.</summary>
/// <param name="Name">as <c>--encoding</c> takes it</param>
/// <param name="Share">the share of the text beyond ASCII that makes sense, 0 to 1: of words, or of characters of East Asia</param>
/// <param name="Words">some words that make sense, decoded</param>
internal sealed record EncodingCandidate(string Name, double Share, IReadOnlyList<string> Words)
{
    /// <summary>Words that other candidates read differently, the same ones for each candidate; of a single candidate,
    /// <see cref="Words"/>.</summary>
    public IReadOnlyList<string> Telling { get; init; } = Words;
}

/// <summary>The words of an input that are not ASCII, decoded in several encodings. Its memory does not grow with the input.</summary>
internal sealed class EncodingEvidence
{
    private const int MaxWords = 20_000;
    private const int LongestWord = 60;
    private const int MaxShown = 3;

    /// <summary>The part of the best encoding's sense that another must make to be named beside it.</summary>
    private const double Enough = 0.9;

    private const int MaxLineBytes = 256 * 1024;
    private const int LongestLine = 4096;

    private readonly List<byte> _lines = [];
    private readonly List<byte> _line = [];
    private bool _isLineBeyondAscii;
    private long _high;
    private long _runs;
    private bool _wasHigh;

    private readonly HashSet<string> _words = new(StringComparer.Ordinal);
    private readonly byte[] _word = new byte[LongestWord];
    private int _length;
    private byte _before = WordSense.Gap;
    private bool _isBeyondAscii;

    /// <summary>Words beyond ASCII that are UTF-8, and those that are not.</summary>
    private (long Valid, long Invalid) _utf8;

    /// <summary>Whether at least half of the words are UTF-8: in another encoding they would be garbage.</summary>
    public bool IsUtf8 => _utf8.Valid >= _utf8.Invalid;

    /// <summary>The likeliest first; never empty.</summary>
    public static IReadOnlyList<string> NamesOf(ReadOnlySpan<byte> bytes, int most)
    {
        var evidence = new EncodingEvidence();
        evidence.Add(bytes);
        return [.. evidence.Find(most).Select(one => one.Name).DefaultIfEmpty("windows-1252")];
    }

    /// <summary>Takes the next bytes.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        foreach (var one in bytes)
        {
            CollectLine(one);
            if (one < 0x80 && !char.IsAsciiLetter((char)one))
            {
                EndWord(one);
                continue;
            }

            _isBeyondAscii |= one >= 0x80;
            if (_length < LongestWord)
            {
                _word[_length] = one;
            }

            _length++;
        }
    }

    /// <summary>The encodings in which the words make sense, the likeliest first; empty: it is UTF-8.</summary>
    public IReadOnlyList<EncodingCandidate> Find(int most)
    {
        EndWord(WordSense.Gap);
        if (IsUtf8)
        {
            return [];
        }

        if (_isLineBeyondAscii)
        {
            _lines.AddRange(_line);
            _line.Clear();
        }

        byte[][] words = [.. _words.Order(StringComparer.Ordinal).Select(Encoding.Latin1.GetBytes)];
        var found = WordSense.All.Select(language => Judge(language, words)).Concat(EastAsianSense.All.Select(JudgeLines))
            .OfType<Reading>().ToList();

        // Accented letters stand alone; in other scripts every letter is beyond ASCII.
        if (_high >= 2 * _runs)
        {
            found.RemoveAll(one => one.IsAccented && found.Exists(other => other is { IsAccented: false, Sense: >= EastAsianSense.Good }));
        }

        // Where two encodings decode every word to the same text, one of them is enough.
        var best = found.Count == 0 ? 0 : found.Max(one => one.Sense);
        return Tell([.. found.Where(one => one.Sense >= best * Enough).OrderByDescending(one => one.Sense).DistinctBy(one => one.Text)
            .Take(most)]);
    }

    private static IReadOnlyList<EncodingCandidate> Tell(Reading[] found)
    {
        if (found.Length < 2 || found.Any(one => one.IsOfLines))
        {
            return [.. found.Select(one => one.Candidate)];
        }

        var readings = Array.ConvertAll(found, one => one.Text.Split('\n'));
        List<int> told = [];
        var groups = new int[found.Length];
        while (told.Count < MaxShown)
        {
            var next = Enumerable.Range(0, readings[0].Length).Except(told)
                .Select(word => (Word: word, Kinds: readings.Select((reading, i) => (groups[i], reading[word])).Distinct().Count()))
                .Where(one => readings.Any(reading => reading[one.Word] != readings[0][one.Word]))
                .DefaultIfEmpty()
                .MaxBy(one => one.Kinds);
            if (next.Kinds == 0)
            {
                break;
            }

            told.Add(next.Word);
            var kinds = readings.Select((reading, i) => (groups[i], reading[next.Word])).Distinct().ToList();
            groups = [.. readings.Select((reading, i) => kinds.IndexOf((groups[i], reading[next.Word])))];
        }

        return [.. found.Select((one, i) => one.Candidate with { Telling = [.. told.Select(word => readings[i][word])] })];
    }

    private void CollectLine(byte one)
    {
        (_high, _runs) = one < 0x80 ? (_high, _runs) : (_high + 1, _runs + (_wasHigh ? 0 : 1));
        _wasHigh = one >= 0x80;
        if (_lines.Count >= MaxLineBytes)
        {
            return;
        }

        _isLineBeyondAscii |= one >= 0x80;
        if (_line.Count < LongestLine)
        {
            _line.Add(one);
        }

        if (one == '\n')
        {
            if (_isLineBeyondAscii && _line.Count < LongestLine)
            {
                _lines.AddRange(_line);
            }

            _line.Clear();
            _isLineBeyondAscii = false;
        }
    }

    private void EndWord(byte after)
    {
        if (_isBeyondAscii)
        {
            var word = _word.AsSpan(0, Math.Min(_length, LongestWord));
            var isUtf8 = _length <= LongestWord && Utf8.IsValid(word);
            _utf8 = isUtf8 ? (_utf8.Valid + 1, _utf8.Invalid) : (_utf8.Valid, _utf8.Invalid + (_length > LongestWord ? 0 : 1));

            // A few words of UTF-8 in a file of another encoding do not show that encoding.
            if (!isUtf8 && _length <= LongestWord && _words.Count < MaxWords)
            {
                _words.Add($"{(char)WordSense.Beside(_before)}{Encoding.Latin1.GetString(word)}{(char)WordSense.Beside(after)}");
            }
        }

        (_length, _isBeyondAscii, _before) = (0, false, after);
    }

    private Reading? JudgeLines(EastAsianSense language)
    {
        var bytes = CollectionsMarshal.AsSpan(_lines);
        if (language.Decode(bytes) is not { } text || text.AsSpan().IndexOfAnyExceptInRange('\0', '\x7F') < 0)
        {
            return null;
        }

        var (sense, share) = language.Judge(text);
        string[] shown = [.. text.Split('\n', '\r', ',', ';', '\t', '|', '"', ' ').Where(word => word.Any(letter => letter >= 0x3040))
            .Distinct().Take(MaxShown)];
        return sense <= 0 ? null
            : new Reading(new EncodingCandidate(language.Name, share, shown), sense, text, IsAccented: false, IsOfLines: true);
    }

    private static Reading? Judge(WordSense language, byte[][] words)
    {
        var encoding = InputEncoding.Find(language.Name);
        var (sense, sensible) = (0.0, 0);
        List<string> shown = [], signs = [];
        var all = new StringBuilder();
        try
        {
            foreach (var word in words)
            {
                var text = encoding.GetString(word);
                var points = language.Judge(text);
                text = text[1..^1];
                all.Append(text).Append('\n');
                sense += points;
                sensible += points > 0 ? 1 : 0;
                if (points >= WordSense.Plausible)
                {
                    (text.Any(char.IsLetter) ? shown : signs).Add(text);
                }
            }
        }
        catch (DecoderFallbackException)
        {
            return null;
        }

        return sensible == 0 ? null : new Reading(
            new EncodingCandidate(language.Name, (double)sensible / words.Length, [.. shown.Concat(signs).Take(MaxShown)]),
            sense / words.Length, all.ToString(), language.IsAccented, IsOfLines: false);
    }

    /// <summary>The result of one encoding.</summary>
    /// <param name="Sense">how likely it is that people wrote the text, 0 to 1</param>
    /// <param name="Text">all words or lines, separated by <c>\n</c></param>
    private sealed record Reading(EncodingCandidate Candidate, double Sense, string Text, bool IsAccented, bool IsOfLines);
}
