using System.Buffers;
using BulkLoad.Core.Options;
using BulkLoad.Core.Protocol;
using BulkLoad.Core.Rejects;
using BulkLoad.Core.Sql;

namespace BulkLoad.Core.Jobs;

/// <summary>Writes the changes of a preview as CSV: a line for each new or deleted row, and a line for each value that changes.</summary>
internal sealed class PreviewFile : IDisposable
{
    private const string Header = "change,key,column,before,after";

    private readonly TransactionalFile _file;

    private PreviewFile(TransactionalFile file) => _file = file;

    /// <returns>null: the request names no file</returns>
    /// <exception cref="RequestException">the file cannot be opened; or it exists, and must not be replaced</exception>
    public static PreviewFile? Open(LoadRequest request)
    {
        if (request.PreviewFile is not { } path)
        {
            return null;
        }

        var file = TransactionalFile.Open("--preview-file", path);
        try
        {
            file.Begin(request.OverwriteRejectFile);
            return new PreviewFile(file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <param name="differences">null: rows cannot be told apart; then only the header is written</param>
    public async Task WriteAsync(IServerSession session, StageSql? differences, CancellationToken cancellationToken)
    {
        var sink = new ChangeWriter(_file, differences?.Comparable.Select(column => column.Name).ToList() ?? []);
        sink.WriteLine(Header);
        if (differences is not null)
        {
            sink.Kind = "inserted";
            await session.StreamAsync(differences.ShowNew(long.MaxValue), sink, cancellationToken);
            sink.Kind = "updated";
            await session.StreamAsync(differences.ShowChanged(long.MaxValue), sink, cancellationToken);
            sink.Kind = "deleted";
            await session.StreamAsync(differences.ShowExtra(long.MaxValue), sink, cancellationToken);
        }

        sink.Flush();
        _file.Flush();
        _file.Keep();
    }

    public void Dispose() => _file.Dispose();

    /// <summary>Writes each row of <see cref="StageSql.ShowChanged"/> and the like as it comes, and keeps none.</summary>
    private sealed class ChangeWriter(TransactionalFile file, IReadOnlyList<string> columns) : IRowSink
    {
        private const int FlushAt = 256 * 1024;

        private readonly ArrayBufferWriter<byte> _buffer = new(FlushAt);
        private readonly ArrayBufferWriter<byte> _key = new();

        public string Kind { get; set; } = "";

        public void WriteLine(string text)
        {
            Encoding.UTF8.GetBytes(text, _buffer);
            _buffer.Write("\n"u8);
        }

        public void Flush()
        {
            file.Write(stream => stream.Write(_buffer.WrittenSpan));
            _buffer.ResetWrittenCount();
        }

        void IRowSink.AddColumn(ReadOnlySpan<byte> definition)
        {
        }

        void IRowSink.AddRow(ReadOnlySpan<byte> payload, int columnCount)
        {
            var reader = new PayloadReader(payload);
            reader.TryReadValue(out var key);
            _key.ResetWrittenCount();
            _key.Write(key);
            if (columnCount == 1)
            {
                BeginLine();
                _buffer.Write(",,,\n"u8);
            }

            for (var column = 0; column < (columnCount - 1) / 3; column++)
            {
                reader.TryReadValue(out var differs);
                var isDifferent = differs.SequenceEqual("1"u8);
                if (isDifferent)
                {
                    BeginLine();
                    _buffer.Write(","u8);
                    WriteField(Encoding.UTF8.GetBytes(columns[column]));
                }

                for (var side = 0; side < 2; side++)
                {
                    var hasValue = reader.TryReadValue(out var value);
                    if (isDifferent)
                    {
                        _buffer.Write(","u8);
                        if (hasValue)
                        {
                            WriteField(value);
                        }
                    }
                }

                if (isDifferent)
                {
                    _buffer.Write("\n"u8);
                }
            }

            if (_buffer.WrittenCount >= FlushAt)
            {
                Flush();
            }
        }

        private void BeginLine()
        {
            Encoding.UTF8.GetBytes(Kind, _buffer);
            _buffer.Write(","u8);
            WriteField(_key.WrittenSpan);
        }

        /// <summary>Quotes tell an empty text from NULL, which is written as nothing.</summary>
        private void WriteField(ReadOnlySpan<byte> value)
        {
            _buffer.Write("\""u8);
            while (value.IndexOf((byte)'"') is >= 0 and var quote)
            {
                _buffer.Write(value[..(quote + 1)]);
                _buffer.Write("\""u8);
                value = value[(quote + 1)..];
            }

            _buffer.Write(value);
            _buffer.Write("\""u8);
        }
    }
}
