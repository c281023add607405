using System.Buffers;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Input.Streams;

namespace BulkLoad.Core.Input;

/// <summary>One input, open for a single pass: a file, or a stream such as standard input. Decompresses and decodes, so that
/// <see cref="Content"/> is UTF-8 whatever the input is. UTF-8 itself is passed through untouched: whether its bytes are valid is judged
/// value by value.</summary>
internal sealed class InputFile : IDisposable
{
    private readonly RawInputStream _raw;
    private readonly FileStamp? _stamp;
    private readonly InputEncoding _encoding;
    private readonly DecompressingStream? _decompressing;
    private readonly DecodingStream? _decoding;
    private readonly List<string> _guesses = [];

    private InputFile(
        Stream source, string name, string? path, SourceOptions options, ContentTap? tap, bool decodes, CancellationToken cancellation)
    {
        Name = name;
        Path = path;
        _stamp = FileStamp.Of(source);
        _raw = new RawInputStream(source, name, cancellation);
        Content = new LookAheadStream(_raw);

        Compression = CompressionDetector.Resolve(name, path, Content.Peek(CompressionDetector.Length).Span, options.Compression, _guesses);
        if (Compression != InputCompression.None)
        {
            var zip = Compression == InputCompression.Zip ? new ZipStream(source, name, options.MaxRatio, cancellation) : null;
            _decompressing = zip ?? DecompressingStream.Open(Compression, Content, name, options.MaxRatio);
            PackedName = zip?.EntryName;
            Content = new LookAheadStream(tap is null ? _decompressing : new TappedStream(_decompressing, tap));
        }
        else if (tap is not null)
        {
            Content = new LookAheadStream(new TappedStream(Content, tap));
        }

        _encoding = InputEncoding.Resolve(name, Content.Peek(InputEncoding.LookLength).Span, options.Encoding, _guesses);
        if (!decodes)
        {
            return;
        }

        Content.Skip(_encoding.Mark.Length);
        if (!_encoding.IsUtf8)
        {
            Origin = new SourceOrigin(_encoding, ContentOffset);
            _decoding = new DecodingStream(Content, _encoding, Origin);
            Content = new LookAheadStream(_decoding);
        }
    }

    /// <summary>The input's name in messages: the path as the user typed it, or <c>standard input</c>.</summary>
    public string Name { get; }

    /// <summary>The path as the user typed it; null for a stream.</summary>
    public string? Path { get; }

    /// <summary>The name of the file in an archive; null: there is none.</summary>
    public string? PackedName { get; }

    /// <summary>Bytes on disk when the file was opened; null for pipes and devices.</summary>
    public long? Length => _stamp?.Length;

    /// <summary>When the file had last been written to, as it was opened; null for pipes and devices.</summary>
    public DateTime? Changed => _stamp?.Changed;

    /// <summary>Bytes on disk that have been read so far; may be asked for from any thread.</summary>
    public long BytesRead => _decompressing is ZipStream zip ? Math.Min(zip.BytesIn, Length ?? zip.BytesIn) : _raw.BytesRead;

    /// <summary>How the input is compressed; never <see cref="InputCompression.Auto"/>.</summary>
    public InputCompression Compression { get; }

    /// <summary>.NET name of the input's encoding, such as <c>utf-8</c>.</summary>
    public string EncodingName => _encoding.Name;

    /// <summary>Whether a byte order mark or NUL bytes tell the encoding, or it is not UTF-8.</summary>
    public bool HasKnownEncoding => _encoding.Detection is not null || !_encoding.IsUtf8;

    public IEnumerable<DetectedSetting> Detections => _encoding.Detection is { } found ? [found] : [];

    /// <summary>What was guessed and from what, such as <c>gzip (by first bytes)</c>.</summary>
    public IReadOnlyList<string> Guesses => _guesses;

    /// <summary>The decompressed input as UTF-8, without a byte order mark.</summary>
    public LookAheadStream Content { get; }

    /// <summary>Offset of the content's first byte: the length of a byte order mark as UTF-8, or 0.</summary>
    public long ContentOffset => _encoding.Mark.Length == 0 ? 0 : 3;

    /// <summary>The byte order mark with which the input starts; empty where it has none.</summary>
    public ReadOnlySpan<byte> Mark => _encoding.Mark;

    /// <summary>Knows where decoded bytes came from; null where nothing was decoded.</summary>
    public SourceOrigin? Origin { get; }

    /// <summary>The length of <see cref="Content"/> in bytes, judged by how much the input has grown so far in decompressing and decoding;
    /// null where <see cref="Length"/> is.</summary>
    public long? EstimatedContentLength => Length is not { } length
        ? null
        : (long)((_decompressing?.ContentLength ?? ((length - (_decompressing is null ? _encoding.Mark.Length : 0))
            * (_decompressing?.Growth ?? 1))) * (_decoding?.Growth ?? 1));

    /// <param name="tap">takes the decompressed, undecoded bytes as they are read; null: nobody does</param>
    /// <exception cref="InputException">it cannot be opened, or its first bytes do not fit the options</exception>
    /// <exception cref="RequestException">the encoding's name is not known</exception>
    public static InputFile Open(
        string path, SourceOptions options, ContentTap? tap = null, CancellationToken cancellation = default) =>
        Open(OpenFile(path), path, path, options, tap, decodes: true, cancellation);

    /// <summary>Opens a file whose <see cref="Content"/> is what the file holds, decompressed: not decoded, with its byte order
    /// mark.</summary>
    /// <param name="spool">what came through a pipe, in place of the path; null: the path is a file's</param>
    /// <exception cref="InputException">it cannot be opened</exception>
    public static InputFile OpenUndecoded(string path, Spool? spool, SourceOptions options, CancellationToken cancellation) =>
        Open(spool?.Read() ?? OpenFile(path), path, path, options, tap: null, decodes: false, cancellation);

    /// <param name="source">is read from its present position, and disposed of with the input</param>
    /// <param name="cancellation">ends the pass at the next read of the stream; one that waits already is not interrupted</param>
    /// <exception cref="InputException">the first bytes do not fit the options</exception>
    /// <exception cref="RequestException">the encoding's name is not known</exception>
    public static InputFile Open(Stream source, string name, SourceOptions options, CancellationToken cancellation = default) =>
        Open(source, name, path: null, options, tap: null, decodes: true, cancellation);

    /// <summary>The offset of a record in the decompressed, undecoded input, its byte order mark counted.</summary>
    /// <param name="decodedOffset">of the reader's current record, or of a later one that it has read; never a smaller one than
    /// before</param>
    public long SourceOffset(long decodedOffset) => Origin?.OffsetOf(decodedOffset) ?? decodedOffset;

    /// <summary>Writes decoded text as the input has it: in its encoding, bytes that are invalid there included. In encodings with several
    /// codes for one character (Shift_JIS and its like) the usual one is written, whichever the input has.</summary>
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

    /// <summary>Opens what came through a pipe, once more.</summary>
    /// <param name="spool">stays the caller's</param>
    /// <exception cref="InputException">the first bytes do not fit the options</exception>
    /// <exception cref="RequestException">the encoding's name is not known</exception>
    public static InputFile Open(
        Spool spool, SourceOptions options, ContentTap? tap = null, CancellationToken cancellation = default) =>
        Open(spool.Read(), spool.Name, spool.Path, options, tap, decodes: true, cancellation);

    /// <summary>Opens a file as it is.</summary>
    /// <exception cref="InputException">it cannot be opened</exception>
    public static FileStream OpenFile(string path)
    {
        try
        {
            // No buffer here: those who read the content ask for large pieces.
            return new FileStream(path, new FileStreamOptions { BufferSize = 0, Options = FileOptions.SequentialScan });
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            // Such as app:secret@host: what looks like a password is never shown.
            var name = System.IO.Path.GetFileName(path.AsSpan());
            throw new InputException(
                name.IndexOf(':') is > 0 and var colon && name[colon..].Contains('@')
                    ? "a file name with ':' and '@': no such file; a connection is written mysql://user:password@host/database"
                    : $"{path}: no such file",
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

    /// <summary>Proves, at the end of the pass and before the input is disposed of, that the file is still the one that was
    /// opened.</summary>
    /// <exception cref="InputException">its length or time has changed, or fewer bytes came than it had</exception>
    public void CheckUnchanged()
    {
        if (_stamp?.Difference(_raw.HasEnded && _decompressing is not ZipStream ? BytesRead : null) is { } difference)
        {
            throw new InputException($"{Name}: changed while it was read ({difference}); run the command again when nothing writes to it");
        }
    }

    public void Dispose() => Content.Dispose();

    private static InputFile Open(
        Stream source, string name, string? path, SourceOptions options, ContentTap? tap, bool decodes, CancellationToken cancellation)
    {
        try
        {
            return new InputFile(source, name, path, options, tap, decodes, cancellation);
        }
        catch
        {
            source.Dispose();
            throw;
        }
    }
}
