using System.Runtime.InteropServices;
using System.Text.Unicode;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Suggesting;

/// <summary>An encoding in which an input's text may be written.</summary>
/// <param name="Name">as <c>--encoding</c> takes it</param>
/// <param name="Share">of the words beyond ASCII those that are made of letters that go together, 0 to 1</param>
/// <param name="Words">some of them, decoded</param>
public sealed record EncodingCandidate(string Name, double Share, IReadOnlyList<string> Words)
{
    /// <summary>Words that other candidates read in another way, the same ones of each candidate; where it is the only one,
    /// <see cref="Words"/>.</summary>
    public IReadOnlyList<string> Telling { get; init; } = Words;
}

/// <summary>The words of an input that are not ASCII, and what they are in one encoding or another. Bounded, whatever the input's
/// size.</summary>
internal sealed class EncodingEvidence
{
    private const int MostWords = 20_000;
    private const int LongestWord = 60;
    private const int MostShown = 3;

    /// <summary>Of the words that make sense in the best encoding, those that must in another to be named beside it.</summary>
    private const double Enough = 0.9;

    private static readonly (string Name, string Letters)[] Accented =
    [
        ("windows-1252", "äöüßÄÖÜéèêëàâáãåæçñíìîïóòôõøúùûýœÉÈÊËÀÂÁÃÅÆÇÑÍÌÎÏÓÒÔÕØÚÙÛÝŒšžŠŽðþÐÞÿ"),
        ("windows-1250", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜäÄâăîşţÂĂÎŞŢđĐľĺŕôĽĹŔÔçëÇËß"),
        ("windows-1254", "ğışİçöüĞŞÇÖÜâîûÂÎÛ"),
        ("windows-1257", "āčēģīķļņšūžĀČĒĢĪĶĻŅŠŪŽąęėįųĄĘĖĮŲõäöüÕÄÖÜóćńłśźżÓĆŃŁŚŹŻ"),
        ("ibm850", "äöüßÄÖÜéèêëàâáãåæçñíìîïóòôõøúùûýÉÈÊËÀÂÁÃÅÆÇÑÍÌÎÏÓÒÔÕØÚÙÛÝ"),
        ("ibm852", "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜäÄâăîşţÂĂÎŞŢđĐľĺŕôĽĹŔÔß"),
        ("macintosh", "äöüßÄÖÜéèêëàâáãåæçñíìîïóòôõøúùûœÉÈÊËÀÂÁÃÅÆÇÑÍÌÎÏÓÒÔÕØÚÙÛŒ"),
    ];

    private static readonly string[] OtherScripts =
        ["windows-1251", "koi8-r", "ibm866", "windows-1253", "windows-1255", "windows-1256"];

    /// <summary>Two bytes or more a character, of which the second may be an ASCII letter: whole lines are judged.</summary>
    private static readonly string[] ManyBytes = ["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr"];

    /// <summary>Marks that are between words, or beside numbers.</summary>
    private const string Marks = "€£¥§©®°±²³·¸ºª«»¿¡–—‘’‚“”„…•‰™\u00A0\u202F\u00AD№";

    /// <summary>Those of <see cref="Marks"/> that may be within a word.</summary>
    private const string InnerMarks = "·’‘–—\u00A0\u202F\u00AD";

    private const int MostLineBytes = 256 * 1024;
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
    private bool _isBeyondAscii;

    /// <summary>Whether all of it was UTF-8.</summary>
    public bool IsUtf8 { get; private set; } = true;

    /// <summary>Takes bytes, which follow the former ones.</summary>
    public void Add(ReadOnlySpan<byte> bytes)
    {
        foreach (var one in bytes)
        {
            CollectLine(one);
            if (one < 0x80 && !char.IsAsciiLetter((char)one))
            {
                EndWord();
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

    /// <summary>Those in which the words make sense, the likelier first; empty where all is UTF-8.</summary>
    /// <param name="most">of them</param>
    public IReadOnlyList<EncodingCandidate> Find(int most)
    {
        EndWord();
        if (IsUtf8)
        {
            return [];
        }

        List<(EncodingCandidate Candidate, string Text)> found = [];
        byte[][] words = [.. _words.Order(StringComparer.Ordinal).Select(Encoding.Latin1.GetBytes)];
        foreach (var (name, letters) in Accented.Concat(OtherScripts.Select(name => (name, ""))))
        {
            if (Judge(name, letters, words) is { } judged)
            {
                found.Add(judged);
            }
        }

        // Accented letters stand alone; in other scripts every letter is beyond ASCII.
        if (_high >= 2 * _runs)
        {
            found.RemoveAll(one => found.Exists(other => OtherScripts.Contains(other.Candidate.Name) && other.Candidate.Share >= Enough)
                && !OtherScripts.Contains(one.Candidate.Name));
            found.AddRange(ManyBytes.Select(JudgeLines).OfType<(EncodingCandidate, string)>());
        }

        // Where two encodings make the same of every word, one of them is enough.
        var best = found.Count == 0 ? 0 : found.Max(one => one.Candidate.Share);
        return Tell([.. found.Where(one => one.Candidate.Share >= best * Enough).DistinctBy(one => one.Text)
            .OrderByDescending(one => one.Candidate.Share).Take(most)]);
    }

    /// <summary>The candidates with words by which one can be told from the others.</summary>
    /// <param name="found">candidates, and all words or lines in them, which <c>\n</c> separates</param>
    private static IReadOnlyList<EncodingCandidate> Tell((EncodingCandidate Candidate, string Text)[] found)
    {
        var readings = Array.ConvertAll(found, one => one.Text.Split('\n'));
        if (found.Length < 2 || found.Any(one => ManyBytes.Contains(one.Candidate.Name)))
        {
            return [.. found.Select(one => one.Candidate)];
        }

        List<int> told = [];
        var groups = new int[found.Length];
        while (told.Count < MostShown)
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
        if (_lines.Count >= MostLineBytes)
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

    /// <summary>By the characters of all lines.</summary>
    private (EncodingCandidate, string)? JudgeLines(string name)
    {
        try
        {
            var text = InputEncoding.Find(name).GetString(CollectionsMarshal.AsSpan(_lines));
            var beyond = text.Count(letter => letter >= 0x80);
            var good = text.Count(letter => letter >= 0x80
                && (IsOfOtherScript(letter) || letter is (>= '\u3000' and < '\u3040') or (>= '\uFF00' and < '\uFFF0')));
            string[] shown = [.. text.Split('\n', ',', ';', '\t', '|', '"', ' ').Where(word => word.Any(letter => letter >= 0x3040))
                .Distinct().Take(MostShown)];
            return good == 0 ? null : (new EncodingCandidate(name, (double)good / beyond, shown), text);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    private void EndWord()
    {
        if (_isBeyondAscii)
        {
            var word = _word.AsSpan(0, Math.Min(_length, LongestWord));
            IsUtf8 &= _length > LongestWord || Utf8.IsValid(word);
            if (_length <= LongestWord && _words.Count < MostWords)
            {
                _words.Add(Encoding.Latin1.GetString(word));
            }
        }

        (_length, _isBeyondAscii) = (0, false);
    }

    private static (EncodingCandidate, string)? Judge(string name, string letters, byte[][] words)
    {
        var encoding = InputEncoding.Find(name);
        var good = 0;
        List<string> shown = [];
        var all = new StringBuilder();
        try
        {
            foreach (var word in words)
            {
                var text = encoding.GetString(word);
                all.Append(text).Append('\n');
                if (MakesSense(text, letters))
                {
                    good++;
                    if (shown.Count < MostShown && text.Any(char.IsLetter))
                    {
                        shown.Add(text);
                    }
                }
            }
        }
        catch (DecoderFallbackException)
        {
            return null;
        }

        return good == 0 ? null : (new EncodingCandidate(name, (double)good / words.Length, shown), all.ToString());
    }

    /// <param name="letters">beyond ASCII, of the languages that the encoding is for; empty: of one script, without Latin letters</param>
    private static bool MakesSense(string word, string letters)
    {
        var (lower, upper, latin, marks) = (0, 0, 0, 0);
        for (var i = 0; i < word.Length; i++)
        {
            var letter = word[i];
            if (char.IsAsciiLetter(letter))
            {
                latin++;
            }
            else if (Marks.Contains(letter))
            {
                // Such as J³rgen.
                if (i > 0 && i + 1 < word.Length && char.IsLetter(word[i - 1]) && char.IsLetter(word[i + 1])
                    && !InnerMarks.Contains(letter))
                {
                    return false;
                }

                marks++;
                continue;
            }
            else if (letters.Length > 0 ? !letters.Contains(letter) : !IsOfOtherScript(letter))
            {
                return false;
            }

            // A capital behind a small letter is in few words.
            if (char.IsUpper(letter) && lower > 0)
            {
                return false;
            }

            (lower, upper) = (lower + (char.IsLower(letter) ? 1 : 0), upper + (char.IsUpper(letter) ? 1 : 0));
        }

        return (letters.Length > 0 || latin == 0) && (marks < 2 || marks < word.Length / 2) && !(upper > 1 && lower > 0);
    }

    private static bool IsOfOtherScript(char letter) =>
        char.IsLetter(letter) && letter is (>= '\u0370' and < '\u2000') or (>= '\u3040' and < '\uA000') or (>= '\uAC00' and < '\uD7B0');
}
