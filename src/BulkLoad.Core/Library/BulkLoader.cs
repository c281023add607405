using BulkLoad.Core.Jobs;
using BulkLoad.Core.Library;
using BulkLoad.Core.Options;

namespace BulkLoad;

/// <summary>Loads, updates and deletes the rows of one table in bulk. Each call is one job with sessions of its own, and keeps what
/// <c>docs/library.md</c> promises. Thread-safe: calls may run at the same time.</summary>
/// <remarks>A call ends with a <see cref="LoadResult"/>; with a <see cref="LoadFailedException"/>; with a
/// <see cref="LoadCanceledException"/> where its token is cancelled; or with what the caller's sequence or callback has thrown. Whatever
/// it is, the open chunk was undone. With <see cref="BulkOptions.Atomic"/> that is everything.</remarks>
public sealed class BulkLoader : IAsyncDisposable
{
    private readonly ConnectionOptions _connection;
    private readonly string _table;
    private readonly CancellationTokenSource _stop = new();

    private BulkLoader(ConnectionOptions connection, string table) => (_connection, _table) = (connection, table);

    /// <summary>Names server and table; connects with the first call.</summary>
    /// <param name="url">such as <c>mysql://user:password@host/database</c>; see <see cref="ConnectionOptions.Parse"/></param>
    /// <param name="table">its name, or <c>database.table</c></param>
    /// <exception cref="BulkLoadException">the URL is malformed</exception>
    public static BulkLoader Into(string url, string table) => Into(ConnectionOptions.Parse(url), table);

    /// <summary>Names server and table; connects with the first call.</summary>
    /// <param name="connection">of the server</param>
    /// <param name="table">its name, or <c>database.table</c></param>
    public static BulkLoader Into(ConnectionOptions connection, string table)
    {
        ArgumentNullException.ThrowIfNull(connection);
        ArgumentException.ThrowIfNullOrEmpty(table);
        return new BulkLoader(connection, table);
    }

    /// <summary>Inserts a row for each object.</summary>
    /// <param name="rows">read once, from beginning to end, on a thread of its own</param>
    public Task<LoadResult> LoadAsync<T>(
        IEnumerable<T> rows, BulkOptions? options = null, CancellationToken cancellationToken = default) where T : IBulkRow<T> =>
        LoadAsync(rows, T.BulkMap, options, cancellationToken);

    /// <summary>Inserts a row for each object.</summary>
    /// <param name="rows">read once, from beginning to end, on a thread of its own</param>
    public Task<LoadResult> LoadAsync<T>(
        IAsyncEnumerable<T> rows, BulkOptions? options = null, CancellationToken cancellationToken = default) where T : IBulkRow<T> =>
        LoadAsync(rows, T.BulkMap, options, cancellationToken);

    /// <summary>Inserts a row for each object, by a map.</summary>
    public Task<LoadResult> LoadAsync<T>(
        IEnumerable<T> rows, BulkMap<T> map, BulkOptions? options = null, CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Import, ObjectSource<T>.Of(rows, map), key: [], options, cancellationToken);

    /// <summary>Inserts a row for each object, by a map.</summary>
    public Task<LoadResult> LoadAsync<T>(
        IAsyncEnumerable<T> rows, BulkMap<T> map, BulkOptions? options = null, CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Import, ObjectSource<T>.Of(rows, map), key: [], options, cancellationToken);

    /// <summary>Changes the rows that have an object's key; the other members are the new values.</summary>
    /// <param name="key">the member, or column, that finds rows; null: the table's primary key</param>
    public Task<LoadResult> UpdateAsync<T>(
        IEnumerable<T> rows, string? key = null, BulkOptions? options = null, CancellationToken cancellationToken = default)
        where T : IBulkRow<T> => UpdateAsync(rows, T.BulkMap, KeyOf(key), options, cancellationToken);

    /// <summary>Changes the rows that have an object's key; the other members are the new values.</summary>
    /// <param name="key">the member, or column, that finds rows; null: the table's primary key</param>
    public Task<LoadResult> UpdateAsync<T>(
        IAsyncEnumerable<T> rows, string? key = null, BulkOptions? options = null, CancellationToken cancellationToken = default)
        where T : IBulkRow<T> => UpdateAsync(rows, T.BulkMap, KeyOf(key), options, cancellationToken);

    /// <summary>Changes the rows that have an object's key, by a map.</summary>
    /// <param name="key">members, or columns, that find rows; empty: the table's primary key</param>
    public Task<LoadResult> UpdateAsync<T>(
        IEnumerable<T> rows, BulkMap<T> map, IReadOnlyList<string> key, BulkOptions? options = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Update, ObjectSource<T>.Of(rows, map), [.. key.Select(map.ColumnOf)], options, cancellationToken);

    /// <summary>Changes the rows that have an object's key, by a map.</summary>
    /// <param name="key">members, or columns, that find rows; empty: the table's primary key</param>
    public Task<LoadResult> UpdateAsync<T>(
        IAsyncEnumerable<T> rows, BulkMap<T> map, IReadOnlyList<string> key, BulkOptions? options = null,
        CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Update, ObjectSource<T>.Of(rows, map), [.. key.Select(map.ColumnOf)], options, cancellationToken);

    /// <summary>Deletes the rows that have these keys.</summary>
    /// <typeparam name="TKey">a number, <see cref="string"/>, <see cref="Guid"/>, a date, a time, or bytes</typeparam>
    /// <param name="keys">one value each</param>
    /// <param name="key">the column; null: the table's primary key, which must be one column</param>
    /// <exception cref="NotSupportedException">a key of another type</exception>
    public Task<LoadResult> DeleteAsync<TKey>(
        IEnumerable<TKey> keys, string? key = null, BulkOptions? options = null, CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Delete, ObjectSource<TKey>.OfKeys(keys), KeyOf(key), options, cancellationToken);

    /// <summary>Deletes the rows that have these keys.</summary>
    /// <typeparam name="TKey">a number, <see cref="string"/>, <see cref="Guid"/>, a date, a time, or bytes</typeparam>
    /// <param name="keys">one value each</param>
    /// <param name="key">the column; null: the table's primary key, which must be one column</param>
    public Task<LoadResult> DeleteAsync<TKey>(
        IAsyncEnumerable<TKey> keys, string? key = null, BulkOptions? options = null, CancellationToken cancellationToken = default) =>
        RunAsync(JobKind.Delete, ObjectSource<TKey>.OfKeys(keys), KeyOf(key), options, cancellationToken);

    /// <summary>Deletes the rows that have the keys of these objects: for keys of several columns.</summary>
    /// <param name="key">members, or columns, that find rows; null: the table's primary key</param>
    public Task<LoadResult> DeleteRowsAsync<T>(
        IEnumerable<T> rows, IReadOnlyList<string>? key = null, BulkOptions? options = null,
        CancellationToken cancellationToken = default) where T : IBulkRow<T> =>
        RunAsync(JobKind.Delete, ObjectSource<T>.Of(rows, T.BulkMap), [.. (key ?? []).Select(T.BulkMap.ColumnOf)], options,
            cancellationToken);

    /// <summary>Inserts the records of a file, as <c>bulkload import</c> does.</summary>
    /// <param name="path">of the file; its name may be a pattern for several</param>
    public Task<LoadResult> LoadFileAsync(
        string path, BulkFileOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new();
        var request = options.ToRequest(_connection, _table) with { Files = [path] };
        return new LibraryJob(options, _stop.Token).RunAsync(request, cancellationToken);
    }

    /// <summary>Inserts the records of a stream, as <c>bulkload import -</c> does.</summary>
    /// <param name="content">read from where it is to its end, and then disposed of</param>
    /// <param name="name">what it is called in messages</param>
    public Task<LoadResult> LoadFileAsync(
        Stream content, string name, BulkFileOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        options ??= new();
        var request = options.ToRequest(_connection, _table) with
        {
            StandardInput = content,
            StandardInputName = name,
        };
        return new LibraryJob(options, _stop.Token).RunAsync(request, cancellationToken);
    }

    /// <summary>What a load of a file would do. Writes nothing.</summary>
    /// <param name="path">of the file; its name may be a pattern for several</param>
    /// <exception cref="BulkLoadException">it would be refused</exception>
    public Task<BulkPlan> PlanFileAsync(
        string path, BulkFileOptions? options = null, CancellationToken cancellationToken = default)
    {
        options ??= new();
        var request = options.ToRequest(_connection, _table) with { Files = [path] };
        return new LibraryJob(options, _stop.Token).PlanAsync(request, cancellationToken);
    }

    /// <summary>What a load of such objects would do. Writes nothing.</summary>
    /// <param name="rows">a few, as those that will be loaded</param>
    /// <exception cref="BulkLoadException">it would be refused</exception>
    public Task<BulkPlan> PlanAsync<T>(
        IEnumerable<T> rows, BulkOptions? options = null, CancellationToken cancellationToken = default) where T : IBulkRow<T>
    {
        var source = ObjectSource<T>.Of(rows, T.BulkMap);
        options ??= new();
        return new LibraryJob(options, _stop.Token).PlanAsync(
            RequestOf(JobKind.Import, source, [], options), source, cancellationToken);
    }

    /// <summary>How many of a job's first records are committed: <see cref="BulkOptions.StartAt"/> of the next call.</summary>
    /// <param name="jobId">its <see cref="BulkOptions.JobId"/></param>
    /// <param name="ledgerSchema">its <see cref="BulkOptions.LedgerSchema"/></param>
    /// <returns>0: the ledger does not know the job, or it has forgotten the records of a complete one that can be done again</returns>
    public Task<long> FindPositionAsync(
        string jobId, string? ledgerSchema = null, CancellationToken cancellationToken = default) =>
        Task.Run(() => new JobList(_connection, ledgerSchema ?? TableName.Parse(_table).Database)
            .FindPositionAsync(jobId, cancellationToken), CancellationToken.None);

    /// <summary>Cancels the calls that still run.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _stop.Dispose();
    }

    private static string[] KeyOf(string? key) => key is null ? [] : [key];

    private Task<LoadResult> RunAsync<T>(
        JobKind kind, ObjectSource<T> source, IReadOnlyList<string> key, BulkOptions? options, CancellationToken cancellationToken)
    {
        options ??= new();
        return new LibraryJob(options, _stop.Token).RunAsync(RequestOf(kind, source, key, options), source, cancellationToken);
    }

    private LoadRequest RequestOf<T>(JobKind kind, ObjectSource<T> source, IReadOnlyList<string> key, BulkOptions options) =>
        source.AddTo(options.ToRequest(_connection, _table) with { Kind = kind }, key);
}
