namespace BulkLoad.Core.Input.Streams;

/// <summary>The encoding of an input, and its byte order mark.</summary>
internal sealed class InputEncoding
{
    /// <summary>Number of bytes that decide.</summary>
    public const int LookLength = 4096;

    /// <summary>Fewer NUL bytes do not show UTF-16.</summary>
    private const int MinNulBytes = 4;

    /// <summary>UTF-32 first: its little-endian mark begins with that of UTF-16.</summary>
    private static readonly Encoding[] MarkedEncodings =
    [
        new UTF32Encoding(bigEndian: false, byteOrderMark: true, throwOnInvalidCharacters: true),
        new UTF32Encoding(bigEndian: true, byteOrderMark: true, throwOnInvalidCharacters: true),
        new UTF8Encoding(encoderShouldEmitUTF8Identifier: true, throwOnInvalidBytes: true),
        new UnicodeEncoding(bigEndian: false, byteOrderMark: true, throwOnInvalidBytes: true),
        new UnicodeEncoding(bigEndian: true, byteOrderMark: true, throwOnInvalidBytes: true),
    ];

    static InputEncoding()
    {
        if (Features.Files)
        {
            Encoding.RegisterProvider(CodePagesEncodingProvider.Instance);
        }
    }

    private InputEncoding(Encoding encoding, Encoding? marked, DetectedSetting? detection = null)
    {
        Detection = detection;
        Encoding = (Encoding)encoding.Clone();
        Encoding.EncoderFallback = EncoderFallback.ReplacementFallback;
        Mark = marked?.GetPreamble() ?? [];
    }

    /// <summary>Theirs is UTF-8, whatever they begin with.</summary>
    public static InputEncoding OfObjects { get; } = new(Encoding.UTF8, marked: null);

    /// <summary>Writes a question mark for what it does not have. For invalid bytes see <see cref="CreateDecoder"/>.</summary>
    public Encoding Encoding { get; }

    /// <summary>Whether bytes depend on escape sequences before them (ISO 2022, HZ). A line begins without.</summary>
    public bool HasModes => Encoding.CodePage is (>= 50220 and <= 50229) or 52936;

    /// <summary>Such as <c>utf-16</c>, which is little endian.</summary>
    public string Name => Encoding.WebName;

    /// <summary>Empty: there is none.</summary>
    public byte[] Mark { get; }

    /// <summary>Null: the user named the encoding, or it is UTF-8 by default.</summary>
    public DetectedSetting? Detection { get; }

    public bool IsUtf8 => Encoding.CodePage == Encoding.UTF8.CodePage;

    /// <summary>The option's, the byte order mark's, or UTF-8. Throws if option and mark differ, or the name is unknown.</summary>
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
        var isBare = EncodingNames.IsBareUtf16(wanted);
        if (marked is null || marked.CodePage == named.CodePage)
        {
            return new InputEncoding(isBare && marked is null ? Utf16Of(first) ?? named : named, marked);
        }

        if (isBare && marked is UnicodeEncoding)
        {
            return new InputEncoding(marked, marked);
        }

        throw new InputException(
            $"{inputName}: starts with the byte order mark of {marked.WebName}, but --encoding {wanted} was given; leave --encoding out");
    }

    /// <summary>Invalid bytes go to <paramref name="invalid"/>.</summary>
    public Decoder CreateDecoder(InvalidBytes invalid) => Lenient(invalid).GetDecoder();

    public int GetMaxCharCount(int bytes) => Lenient(new InvalidBytes()).GetMaxCharCount(bytes);

    private Encoding Lenient(InvalidBytes invalid)
    {
        var encoding = (Encoding)Encoding.Clone();
        encoding.DecoderFallback = encoding.CodePage == NecCharacters.CodePage ? new NecCharacters(invalid) : invalid;
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

    /// <summary>UTF-16 without a mark: every other byte of ASCII is NUL.</summary>
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
            (0, >= MinNulBytes and var odd) when 5 * odd >= first.Length => Encoding.Unicode,
            ( >= MinNulBytes and var even, 0) when 5 * even >= first.Length => Encoding.BigEndianUnicode,
            _ => null,
        };
    }

    /// <summary>The share of characters that text has.</summary>
    private static double ShareOfText(Encoding encoding, ReadOnlySpan<byte> first)
    {
        var text = encoding.GetString(first[..(first.Length & ~1)]);
        return (double)text.Count(
            character => character is '\t' or '\r' or '\n' || !(char.IsControl(character) || character == '\uFFFD')) / text.Length;
    }

    /// <summary>Throws for invalid characters and bytes.</summary>
    internal static Encoding Find(string name)
    {
        try
        {
            var known = EncodingNames.Find(name);
            var invalid = DecoderFallback.ExceptionFallback;
            var encoding = int.TryParse(known, CultureInfo.InvariantCulture, out var page)
                ? Encoding.GetEncoding(page, EncoderFallback.ExceptionFallback, invalid)
                : Encoding.GetEncoding(known, EncoderFallback.ExceptionFallback, invalid);
            return encoding.CodePage == NecCharacters.CodePage
                ? Encoding.GetEncoding(encoding.CodePage, EncoderFallback.ExceptionFallback, new NecCharacters(invalid)) : encoding;
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            throw new RequestException(
                $"--encoding: '{name}' is not known; take a name such as utf-8, utf-16, windows-1252, iso-8859-15, shift_jis or gb18030");
        }
    }
}
