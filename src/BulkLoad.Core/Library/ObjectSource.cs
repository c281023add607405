using BulkLoad.Core.Input;
using BulkLoad.Core.Options;

namespace BulkLoad.Core.Library;

/// <summary>A caller's sequence, and how its objects become records.</summary>
internal sealed class ObjectSource<T>
{
    private const long MaxObjectBytes = 1L << 30;

    private readonly IReadOnlyList<BulkMember> _members;
    private readonly Action<BulkRowWriter, T> _write;
    private readonly IEnumerable<T>? _rows;
    private readonly IAsyncEnumerable<T>? _asyncRows;

    private ObjectSource(
        IReadOnlyList<BulkMember> members, Action<BulkRowWriter, T> write, IEnumerable<T>? rows, IAsyncEnumerable<T>? asyncRows) =>
        (_members, _write, _rows, _asyncRows) = (members, write, rows, asyncRows);

    public static ObjectSource<T> Of(IEnumerable<T> rows, BulkMap<T> map)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new(map.Members, map.Write, rows, null);
    }

    public static ObjectSource<T> Of(IAsyncEnumerable<T> rows, BulkMap<T> map)
    {
        ArgumentNullException.ThrowIfNull(rows);
        return new(map.Members, map.Write, null, rows);
    }

    public static ObjectSource<T> OfKeys(IEnumerable<T> keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return new([default], static (writer, key) => writer.WriteKey(key), keys, null);
    }

    public static ObjectSource<T> OfKeys(IAsyncEnumerable<T> keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return new([default], static (writer, key) => writer.WriteKey(key), null, keys);
    }

    private static string Name => typeof(T).Name;

    private bool AreKeys => _members is [{ Column: null }];

    /// <param name="key">columns; empty: the primary key</param>
    public LoadRequest AddTo(LoadRequest request, IReadOnlyList<string> key) => request with
    {
        StandardInputName = Name,
        Source = new SourceOptions
        {
            Format = InputFormat.Objects,
            Compression = InputCompression.None,
            Encoding = "utf-8",
            MaxRecordBytes = MaxObjectBytes,
            IsPinned = true,
        },
        Key = request.Key with { Columns = key },
        Values = request.Values with
        {
            BinaryColumns = [.. _members.Where(member => member.Form == BulkForm.Uuid)
                .Select(member => new BinaryColumn(member.Column, BinaryForm.Uuid))],
        },
    };

    /// <param name="keeps">whether rejects need their objects</param>
    /// <param name="stop">given to a sequence that waits</param>
    public ObjectStream Open(long before, bool keeps, CancellationToken stop)
    {
        var window = keeps ? new ObjectWindow<T>(before) : null;
        string[] columns = [.. _members.Select(member => member.Column)];
        return _rows is not null
            ? new SequenceStream<T>(Name, columns, !AreKeys, before, _rows, _write, window)
            : new AsyncSequenceStream<T>(Name, columns, !AreKeys, before, _asyncRows!, _write, window, stop);
    }
}
