using BulkLoad.Core.Input.Detection;

namespace BulkLoad.Core.Input.Streams;

/// <summary>The encoding of an input, and the byte order mark that it starts with.</summary>
internal sealed class InputEncoding
{
    /// <summary>Bytes by which an encoding is judged.</summary>
    public const int LookLength = 4096;

    /// <summary>What MySQL and its tools call latin1 (its manual, "West European Character Sets"): windows-1252, whose five bytes without a
    /// character are control characters, in .NET as there. .NET takes the name for ISO 8859-1.</summary>
    private const string MySqlLatin1 = "latin1";

    private const string Windows1252 = "windows-1252";

    /// <summary>Fewer NUL bytes than these are no sign of UTF-16.</summary>
    private const int FewestNulBytes = 4;

    /// <summary>UTF-32 first: the mark of UTF-16 LE is the beginning of that of UTF-32 LE.</summary>
    private static readonly Encoding[] MarkedEncodings =
    [
        new UTF32Encoding(bigEndian: false, byteOrderMark: true, throwOnInvalidCharacters: true),
        new UTF32Encoding(bigEndian: true, byteOrderMark: true, throwOnInvalidCharacters: true),
        new UTF8Encoding(encoderShouldEmitUTF8Identifier: true, throwOnInvalidBytes: true),
        new UnicodeEncoding(bigEndian: false, byteOrderMark: true, throwOnInvalidBytes: true),
        new UnicodeEncoding(bigEndian: true, byteOrderMark: true, throwOnInvalidBytes: true),
    ];

    static InputEncoding() => Encoding.RegisterProvider(CodePagesEncodingProvider.Instance);

    private InputEncoding(Encoding encoding, Encoding? marked, DetectedSetting? detection = null)
    {
        Detection = detection;
        Encoding = (Encoding)encoding.Clone();
        Encoding.EncoderFallback = EncoderFallback.ReplacementFallback;
        Mark = marked?.GetPreamble() ?? [];
    }

    /// <summary>What cannot be encoded becomes a question mark; bytes that are invalid in it are the matter of
    /// <see cref="CreateDecoder"/>.</summary>
    public Encoding Encoding { get; }

    /// <summary>Whether what a byte means depends on escape sequences somewhere before it (ISO 2022, HZ); a line begins without.</summary>
    public bool HasModes => Encoding.CodePage is (>= 50220 and <= 50229) or 52936;

    /// <summary>The .NET name, such as <c>utf-16</c> (which is little endian).</summary>
    public string Name => Encoding.WebName;

    /// <summary>The byte order mark with which the input starts; empty where it has none.</summary>
    public byte[] Mark { get; }

    /// <summary>By what the encoding is known; null: the user named it, or it is taken for UTF-8 as nothing says otherwise.</summary>
    public DetectedSetting? Detection { get; }

    /// <summary>Whether the input needs no decoding.</summary>
    public bool IsUtf8 => Encoding.CodePage == Encoding.UTF8.CodePage;

    /// <summary>The encoding that the user named, else that of the byte order mark, else UTF-8.</summary>
    /// <param name="first">the input's first bytes, decompressed</param>
    /// <param name="wanted">.NET name of an encoding, or null</param>
    /// <exception cref="InputException">the byte order mark contradicts the user</exception>
    /// <exception cref="RequestException">the name is not known</exception>
    public static InputEncoding Resolve(string inputName, ReadOnlySpan<byte> first, string? wanted, List<string> guesses)
    {
        var marked = MarkOf(first);
        if (wanted is null)
        {
            if (marked is not null)
            {
                guesses.Add($"encoding {marked.WebName} (by byte order mark)");
                return new InputEncoding(
                    marked, marked, new DetectedSetting("encoding", marked.WebName, 1, "by byte order mark") { IsExpected = true });
            }

            return Utf16Of(first) is { } unmarked
                ? new InputEncoding(unmarked, null, new DetectedSetting(
                    "encoding", unmarked.WebName, ShareOfText(unmarked, first), "by NUL bytes, without a byte order mark"))
                : new InputEncoding(Encoding.UTF8, null);
        }

        var named = Find(wanted);
        if (marked is null || marked.CodePage == named.CodePage)
        {
            return new InputEncoding(named, marked);
        }

        // The bare name leaves the byte order to the mark (RFC 2781, section 3.3).
        if (wanted.Equals("utf-16", StringComparison.OrdinalIgnoreCase) && marked is UnicodeEncoding)
        {
            return new InputEncoding(marked, marked);
        }

        throw new InputException(
            $"{inputName}: starts with the byte order mark of {marked.WebName}, but --encoding {wanted} was given; leave --encoding out");
    }

    /// <summary>A decoder that gives every invalid byte to <paramref name="invalid"/>.</summary>
    public Decoder CreateDecoder(InvalidBytes invalid) => Lenient(invalid).GetDecoder();

    /// <summary>The most characters that so many bytes can become.</summary>
    public int GetMaxCharCount(int bytes) => Lenient(new InvalidBytes()).GetMaxCharCount(bytes);

    private Encoding Lenient(InvalidBytes invalid)
    {
        var encoding = (Encoding)Encoding.Clone();
        encoding.DecoderFallback = invalid;
        return encoding;
    }

    private static Encoding? MarkOf(ReadOnlySpan<byte> first)
    {
        foreach (var encoding in MarkedEncodings)
        {
            if (first.StartsWith(encoding.Preamble))
            {
                return encoding;
            }
        }

        return null;
    }

    /// <summary>UTF-16 without a mark: every other byte of its ASCII characters is NUL. Null where the text does not look so.</summary>
    private static Encoding? Utf16Of(ReadOnlySpan<byte> first)
    {
        var nulBytes = (Even: 0, Odd: 0);
        for (var i = 0; i + 1 < first.Length; i += 2)
        {
            nulBytes.Even += first[i] == 0 ? 1 : 0;
            nulBytes.Odd += first[i + 1] == 0 ? 1 : 0;
        }

        return nulBytes switch
        {
            (0, >= FewestNulBytes and var odd) when 5 * odd >= first.Length => Encoding.Unicode,
            ( >= FewestNulBytes and var even, 0) when 5 * even >= first.Length => Encoding.BigEndianUnicode,
            _ => null,
        };
    }

    /// <summary>Of the characters that the bytes are in an encoding, those that text is made of.</summary>
    private static double ShareOfText(Encoding encoding, ReadOnlySpan<byte> first)
    {
        var text = encoding.GetString(first[..(first.Length & ~1)]);
        return (double)text.Count(
            character => character is '\t' or '\r' or '\n' || !(char.IsControl(character) || character == '\uFFFD')) / text.Length;
    }

    /// <summary>An encoding by its .NET name (but for <see cref="MySqlLatin1"/>), throwing where a character or byte is not in
    /// it.</summary>
    /// <exception cref="RequestException">the name is not known</exception>
    internal static Encoding Find(string name)
    {
        try
        {
            return Encoding.GetEncoding(
                name.Equals(MySqlLatin1, StringComparison.OrdinalIgnoreCase) ? Windows1252 : name,
                EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback);
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            throw new RequestException(
                $"--encoding: '{name}' is not known; take a name such as utf-8, utf-16, windows-1252, iso-8859-15, shift_jis or gb18030");
        }
    }
}
