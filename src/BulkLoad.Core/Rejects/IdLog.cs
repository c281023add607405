using BulkLoad.Core.Rows;
using BulkLoad.Core.Sorting;

namespace BulkLoad.Core.Rejects;

/// <summary>The ids that the server has generated for a run's rows, in the input's order: writes them to the file, and gives them to
/// the caller when their chunk is committed.</summary>
/// <param name="file">may have a file of ids; stays the caller's, who keeps or drops what is in it</param>
/// <param name="onId">as <see cref="Options.LoadRequest.OnId"/></param>
internal sealed class IdLog(RejectFile file, Action<string, long, ulong>? onId)
{
    /// <summary>Of the open chunk; the records of each are consecutive, too.</summary>
    private readonly List<(string Source, long Record, GeneratedIds Ids)> _open = [];

    /// <summary>Null: there is no file.</summary>
    public string? Path => file.IdsPath;

    /// <summary>Whether the file has ids of committed rows.</summary>
    public bool HasFile => file.HasIds;

    /// <param name="source">name of the rows' input</param>
    /// <param name="from">the block's row that has the first id</param>
    public void Add(string source, RowBlock block, int from, GeneratedIds ids)
    {
        file.Add(source, block, from, ids);
        if (onId is null)
        {
            return;
        }

        for (int first = 0, next; first < ids.Count; first = next)
        {
            var record = block.Origin(from + first).Record;
            for (next = first + 1; next < ids.Count && block.Origin(from + next).Record == record + next - first; next++)
            {
            }

            _open.Add((source, record, new GeneratedIds(ids.First + ((ulong)first * ids.Step), ids.Step, next - first)));
        }
    }

    /// <summary>The open chunk is committed.</summary>
    public void Keep()
    {
        foreach (var (source, record, ids) in _open)
        {
            for (var i = 0; i < ids.Count; i++)
            {
                onId!(source, record + i, ids.First + ((ulong)i * ids.Step));
            }
        }

        _open.Clear();
    }

    /// <summary>The open chunk was rolled back.</summary>
    public void Forget() => _open.Clear();

    /// <summary>Number of ids in the file, which has a head; null: it cannot be read.</summary>
    public long? CountSaved()
    {
        try
        {
            using var saved = new FileStream(
                Path!, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            var buffer = new byte[TempFile.BufferBytes];
            var (lines, isQuoted) = (0L, false);
            while (saved.Read(buffer) is > 0 and var count)
            {
                // A file's name may have a line break, and is quoted then.
                for (var rest = buffer.AsSpan(0, count); rest.IndexOfAny((byte)'"', (byte)'\n') is >= 0 and var at; rest = rest[(at + 1)..])
                {
                    isQuoted ^= rest[at] == '"';
                    lines += rest[at] == '\n' && !isQuoted ? 1 : 0;
                }
            }

            return lines - 1;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
