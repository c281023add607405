using System.Buffers;

namespace BulkLoad.Core.Input.Streams;

/// <summary>One input, open for one pass. Decompresses and decodes it, so <see cref="Content"/> is always UTF-8. An input in UTF-8 is not
/// changed: each value is checked later.</summary>
internal sealed class InputFile : IDisposable
{
    /// <summary>Limit of a folder's files that are compared with a missing file's name.</summary>
    private const int MaxNames = 2000;

    /// <summary>Decompressed bytes behind which a thread of its own pays.</summary>
    private const long SmallContent = 1024 * 1024;

    private readonly RawInputStream _raw;
    private readonly FileStamp? _stamp;
    private readonly InputEncoding _encoding;
    private readonly DecompressingStream? _decompressing;
    private readonly ReadAheadStream? _ahead;
    private readonly FilePart? _part;
    private readonly DecodingStream? _decoding;
    private readonly List<string> _guesses = [];

    private InputFile(
        Stream source, string name, string? path, SourceOptions options, ContentTap? tap, bool decodes, FilePart? part,
        CancellationToken cancellation)
    {
        Name = name;
        Path = path;
        _stamp = FileStamp.Of(source);
        _part = part;
        _raw = new RawInputStream(part is null ? source : new PartStream(source, part), name, cancellation);
        Content = new LookAheadStream(_raw);

        Compression = Features.Files
            ? CompressionDetector.Resolve(name, path, Content.Peek(CompressionDetector.Length).Span, options.Compression, _guesses)
            : InputCompression.None;
        if (Features.Files && Compression != InputCompression.None)
        {
            var zip = Compression == InputCompression.Zip ? new ZipStream(source, name, options.MaxRatio, cancellation) : null;
            _decompressing = zip ?? DecompressingStream.Open(Compression, Content, name, options.MaxRatio);
            PackedName = zip?.EntryName;
            _ahead = new ReadAheadStream(_decompressing, SmallContent, cancellation, () => zip?.BytesIn ?? _raw.BytesRead);
            Content = new LookAheadStream(tap is null ? _ahead : new TappedStream(_ahead, tap));
        }
        else if (tap is not null)
        {
            Content = new LookAheadStream(new TappedStream(Content, tap));
        }

        // What objects begin with may look like a byte order mark, and is none.
        _encoding = !Features.Files || options.Format == InputFormat.Objects ? InputEncoding.OfObjects
            : InputEncoding.Resolve(name, Content.Peek(InputEncoding.LookLength).Span, options.Encoding, _guesses);
        if (!decodes)
        {
            return;
        }

        Content.Skip(_encoding.Mark.Length);
        if (Features.Files && !_encoding.IsUtf8)
        {
            Origin = new SourceOrigin(_encoding, ContentOffset, _encoding.Mark.Length + Shift);
            _decoding = new DecodingStream(Content, _encoding, Origin);
            Content = new LookAheadStream(_decoding);
        }
    }

    /// <summary>For messages: the path as typed, or <c>standard input</c>.</summary>
    public string Name { get; }

    /// <summary>As typed; null for a stream.</summary>
    public string? Path { get; }

    public string? PackedName { get; }

    /// <summary>Bytes on disk when it was opened, of a part its own; null for pipes and devices, and for a part of a file that had another
    /// length when the part was found.</summary>
    public long? Length => _part is null ? _stamp?.Length : _stamp?.Length == _part.FileLength ? _part.Length : null;

    /// <summary>Null for pipes and devices.</summary>
    public DateTime? Changed => _stamp?.Changed;

    /// <summary>Bytes on disk. Thread-safe.</summary>
    public long BytesRead => _ahead is null ? _raw.BytesRead : Math.Min(_ahead.SourcePosition, Length ?? _ahead.SourcePosition);

    /// <summary>Never <see cref="InputCompression.Auto"/>.</summary>
    public InputCompression Compression { get; }

    /// <summary>The .NET name, such as <c>utf-8</c>.</summary>
    public string EncodingName => _encoding.Name;

    /// <summary>Whether a byte order mark or NUL bytes show the encoding, or it is not UTF-8.</summary>
    public bool HasKnownEncoding => _encoding.Detection is not null || !_encoding.IsUtf8;

    public IEnumerable<DetectedSetting> Detections => _encoding.Detection is { } found ? [found] : [];

    /// <summary>Such as <c>gzip (by first bytes)</c>.</summary>
    public IReadOnlyList<string> Guesses => _guesses;

    /// <summary>Decompressed UTF-8 without a byte order mark.</summary>
    public LookAheadStream Content { get; }

    /// <summary>The length of a byte order mark in UTF-8, or 0; of a part so much more that its records have their offsets in the
    /// file.</summary>
    public long ContentOffset => (_encoding.Mark.Length == 0 ? 0 : 3) + Shift;

    private long Shift => _part?.Shift ?? 0;

    /// <summary>Empty: the input has no byte order mark.</summary>
    public ReadOnlySpan<byte> Mark => _encoding.Mark;

    /// <summary>Where decoded bytes came from; null: nothing was decoded.</summary>
    public SourceOrigin? Origin { get; }

    /// <summary>The length of <see cref="Content"/>, estimated from how much the input has grown so far.</summary>
    public long? EstimatedContentLength => Length is not { } length
        ? null
        : (long)((_decompressing?.ContentLength ?? ((length - (_decompressing is null ? _encoding.Mark.Length : 0))
            * (_decompressing?.Growth ?? 1))) * (_decoding?.Growth ?? 1));

    /// <summary><paramref name="tap"/> gets the decompressed, undecoded bytes.</summary>
    public static InputFile Open(
        string path, SourceOptions options, ContentTap? tap = null, CancellationToken cancellation = default) =>
        Open(path, options, tap, part: null, cancellation);

    /// <param name="part">null: all of the file</param>
    public static InputFile Open(
        string path, SourceOptions options, ContentTap? tap, FilePart? part, CancellationToken cancellation) =>
        Open(OpenFile(path, cancellation), path, path, options, tap, decodes: true, part, cancellation);

    /// <summary><see cref="Content"/> is decompressed, but not decoded: it keeps its byte order mark. A spool replaces the path.</summary>
    public static InputFile OpenUndecoded(
        string path, Spool? spool, SourceOptions options, FilePart? part, CancellationToken cancellation) =>
        Open(spool?.Read() ?? OpenFile(path, cancellation), path, path, options, tap: null, decodes: false, part, cancellation);

    /// <summary>Owns <paramref name="source"/>, and reads from its position. <paramref name="cancellation"/> ends the pass, also while a
    /// pipe is silent.</summary>
    public static InputFile Open(Stream source, string name, SourceOptions options, CancellationToken cancellation = default) =>
        Open(WithoutWait(source, cancellation), name, path: null, options, tap: null, decodes: true, part: null, cancellation);

    /// <summary>The offset in the decompressed, undecoded input, with its byte order mark. Offsets must not go back.</summary>
    public long SourceOffset(long decodedOffset) => Origin?.OffsetOf(decodedOffset) ?? decodedOffset;

    /// <summary>Writes decoded text in the input's encoding, with its invalid bytes. If there are several codes for a character (Shift_JIS
    /// and the like), the usual one is written.</summary>
    public void WriteOriginal(ReadOnlySpan<byte> decoded, IBufferWriter<byte> output)
    {
        if (_encoding.IsUtf8)
        {
            output.Write(decoded);
        }
        else
        {
            OriginalText.Write(decoded, _encoding.Encoding, output);
        }
    }

    /// <summary>Opens the bytes of a pipe again. The spool stays the caller's.</summary>
    public static InputFile Open(
        Spool spool, SourceOptions options, ContentTap? tap = null, CancellationToken cancellation = default) =>
        Open(spool.Read(), spool.Name, spool.Path, options, tap, decodes: true, part: null, cancellation);

    /// <summary>A file, or a pipe whose reads end when they are cancelled.</summary>
    public static Stream OpenFile(string path, CancellationToken cancellation = default)
    {
        try
        {
            // No buffer here: all readers ask for large pieces.
            var options = new FileStreamOptions { BufferSize = 0, Options = FileOptions.SequentialScan };
            // A pipe has the length of an empty file.
            return new FileInfo(path) is { Exists: true, Length: 0 } && cancellation.CanBeCanceled
                ? WithoutWait(ReadAheadStream.Open(() => new FileStream(path, options), cancellation), cancellation)
                : new FileStream(path, options);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            // Such as app:secret@host: text that looks like a password is never shown.
            var name = System.IO.Path.GetFileName(path.AsSpan());
            throw new InputException(
                name.IndexOf(':') is > 0 and var colon && name[colon..].Contains('@')
                    ? "a file name with ':' and '@': no such file; a connection is written mysql://user:password@host/database"
                    : $"{path}: no such file{Near(path)}",
                e);
        }
        catch (UnauthorizedAccessException e)
        {
            throw new InputException(
                Directory.Exists(path)
                    ? $"{path}: is a directory; name the files in it, such as '{System.IO.Path.Join(path, "*.csv")}'"
                    : $"{path}: may not be read by this user; give it read permission",
                e);
        }
        catch (Exception e) when (e is IOException or ArgumentException or NotSupportedException)
        {
            throw new InputException($"{path}: cannot be opened: {e.Message}", e);
        }
    }

    /// <summary>A pipe may be silent for hours: a thread waits for it, and nobody for the thread.</summary>
    public static Stream WithoutWait(Stream source, CancellationToken cancellation) =>
        source.CanSeek || source is ReadAheadStream || !cancellation.CanBeCanceled
            ? source : new ReadAheadStream(source, direct: 0, cancellation);

    /// <summary>The file of that folder that the user may have meant.</summary>
    private static string Near(string path)
    {
        try
        {
            var folder = System.IO.Path.GetDirectoryName(path) ?? "";
            return Names.DidYouMean(System.IO.Path.GetFileName(path), Directory.EnumerateFiles(folder.Length == 0 ? "." : folder)
                .Take(MaxNames).Select(file => System.IO.Path.GetFileName(file)!));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return "";
        }
    }

    /// <summary>Throws if the file was changed since it was opened. Call it at the end of the pass.</summary>
    public void CheckUnchanged()
    {
        if (_stamp?.Difference(_raw.HasEnded && _decompressing is not ZipStream && _part is null ? BytesRead : null) is { } difference)
        {
            throw new InputException($"{Name}: changed while it was read ({difference}); run the command again when nothing writes to it");
        }
    }

    public void Dispose() => Content.Dispose();

    private static InputFile Open(
        Stream source, string name, string? path, SourceOptions options, ContentTap? tap, bool decodes, FilePart? part,
        CancellationToken cancellation)
    {
        try
        {
            return new InputFile(source, name, path, options, tap, decodes, part, cancellation);
        }
        catch
        {
            source.Dispose();
            throw;
        }
    }
}
