using System.IO.Compression;
using System.IO.Hashing;

namespace BulkLoad.Core.Input.Streams;

/// <summary>Decompresses the only file of a zip archive, and checks length and CRC. The directory is at the archive's end, so it cannot
/// come from a pipe.</summary>
internal sealed class ZipStream : DecompressingStream
{
    private const int NamesShown = 3;

    /// <summary>macOS adds a file of attributes to each file, and one for the view of a folder.</summary>
    private const string MacFolder = "__MACOSX/";

    private const string MacFolderView = ".DS_Store";

    private const int Stored = 0;
    private const int Deflate = 8;
    private const int Deflate64 = 9;

    private readonly SeekableSource _source;
    private readonly ZipArchive _archive;
    private readonly ZipArchiveEntry _entry;
    private readonly StreamPart? _packed;
    private readonly Stream _content;
    private readonly Crc32 _crc = new();
    private long _length;

    /// <summary>Owns the source. Throws for a pipe, and unless there is one readable file.</summary>
    public ZipStream(Stream source, string name, int maxRatio, CancellationToken cancellation)
        : base(CompressionFormat.Of(InputCompression.Zip), name, maxRatio)
    {
        if (!source.CanSeek)
        {
            throw new InputException(
                $"{name}: a zip archive cannot be read from a pipe: name the file, or pipe what is in it: unzip -p FILE | " +
                "bulkload import - ...");
        }

        source.Position = 0;
        _source = new SeekableSource(source, name, cancellation);
        try
        {
            var members = ZipLayout.Read(_source);
            _archive = new ZipArchive(_source, ZipArchiveMode.Read, leaveOpen: true);
            _entry = OnlyFile(name, _archive.Entries);
            var member = members[_archive.Entries.IndexOf(_entry)];
            _packed = member.Method == Deflate64 ? null : new StreamPart(_source, member.Start, member.PackedBytes);
            _content = member.Method switch
            {
                Stored => _packed!,
                Deflate => new DeflateStream(_packed!, CompressionMode.Decompress),
                Deflate64 => _entry.Open(),
                _ => throw new InputException($"{name}: {_entry.FullName} in the zip archive is packed with {WordOf(member.Method)}, " +
                    "which is not supported: pipe what is in it: unzip -p FILE | bulkload import - ..."),
            };
        }
        catch (Exception e) when (IsFault(e))
        {
            var what = e is DamageException ? e.Message : DamageException.Damaged;
            throw new InputException($"{name}: the zip archive is {what}; see what unzip -t says", e);
        }
    }

    public override long BytesIn => _source.BytesRead;

    public override long? ContentLength => _entry.Length;

    public string EntryName => _entry.Name;

    public override int Read(Span<byte> buffer)
    {
        if (buffer.Length == 0)
        {
            return 0;
        }

        int read;
        try
        {
            read = _content.Read(buffer);
        }
        catch (Exception e) when (IsFault(e))
        {
            throw Corrupt(DamageException.Damaged, e);
        }

        _crc.Append(buffer[..read]);
        _length += read;
        var isWhole = _length == _entry.Length && _packed is null or { IsTaken: true };
        return read > 0 || (isWhole && _crc.GetCurrentHashAsUInt32() == _entry.Crc32)
            ? Count(read)
            : throw Corrupt(DamageException.Damaged, null);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            _content.Dispose();
            _archive.Dispose();
            _source.Dispose();
        }

        base.Dispose(disposing);
    }

    private static ZipArchiveEntry OnlyFile(string name, IReadOnlyCollection<ZipArchiveEntry> entries)
    {
        if (entries.Any(entry => entry.FullName is "xl/workbook.xml" or "xl/workbook.bin"))
        {
            throw new InputException($"{name}: {OtherFiles.Workbook}");
        }

        if (entries.Any(entry => entry.FullName == "content.xml") && entries.Any(entry => entry.FullName == "mimetype"))
        {
            throw new InputException($"{name}: {OtherFiles.OpenDocument}");
        }

        // Folders have no name.
        var files = entries.Where(entry => entry.Name is not ("" or MacFolderView)
            && !entry.FullName.StartsWith(MacFolder, StringComparison.Ordinal)).ToList();
        if (files is not [var only])
        {
            var first = string.Join(", ", files.Take(NamesShown).Select(file => file.FullName));
            var names = files.Count == 0 ? "" : files.Count > NamesShown ? $" ({first}, ...)" : $" ({first})";
            throw new InputException(
                $"{name}: the zip archive holds {files.Count} {Plural.For(files.Count, "file")}{names}, and one is needed: unzip it, and " +
                "name the files");
        }

        return !only.IsEncrypted ? only
            : throw new InputException(
                $"{name}: {only.FullName} in the zip archive is encrypted: unzip it with its password, and name that file");
    }

    /// <summary>Methods of APPNOTE.TXT, 4.4.5.</summary>
    private static string WordOf(int method) => method switch
    {
        12 => "bzip2",
        14 => "LZMA",
        93 => "zstd",
        95 => "xz",
        98 => "PPMd",
        _ => $"method {method}",
    };

    private sealed class SeekableSource(Stream source, string name, CancellationToken cancellation) : Stream
    {
        private long _bytesRead;

        /// <summary>Thread-safe.</summary>
        public long BytesRead => Volatile.Read(ref _bytesRead);

        public override bool CanRead => true;

        public override bool CanSeek => true;

        public override bool CanWrite => false;

        public override long Length => source.Length;

        public override long Position
        {
            get => source.Position;
            set => source.Position = value;
        }

        public override int Read(Span<byte> buffer)
        {
            cancellation.ThrowIfCancellationRequested();
            try
            {
                var read = source.Read(buffer);
                Volatile.Write(ref _bytesRead, _bytesRead + read);
                return read;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw new InputException($"{name}: cannot be read any further, after {_bytesRead} bytes: {e.Message}", e);
            }
        }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override long Seek(long offset, SeekOrigin origin) => source.Seek(offset, origin);

        public override void Flush()
        {
        }

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                source.Dispose();
            }

            base.Dispose(disposing);
        }
    }
}
