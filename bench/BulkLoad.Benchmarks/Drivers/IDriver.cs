namespace BulkLoad.Benchmarks.Drivers;

/// <summary>What is done with each row.</summary>
public enum RowOperation
{
    /// <summary>All six columns.</summary>
    Insert,

    /// <summary>All six columns by id.</summary>
    Select,

    /// <summary>Name and score by id.</summary>
    Update,

    /// <summary>By id.</summary>
    Delete,
}

/// <summary>One connection through one driver, to a table of users that is filled already. The shapes are those of <c>bulkload bench calls</c> and <c>drivers</c>.</summary>
internal interface IDriver : IAsyncDisposable
{
    /// <summary>All that follows is one transaction, so that disks do not count.</summary>
    Task BeginAsync();

    /// <summary>Opens another connection and closes it.</summary>
    Task OpenAsync();

    /// <summary>Asks for one number.</summary>
    Task ScalarAsync(bool isPrepared);

    /// <summary>Reads users with consecutive ids.</summary>
    /// <returns>rows read</returns>
    Task<long> QueryAsync(long first, long rows, bool isPrepared);

    /// <summary>Reads a blob by a prepared query.</summary>
    /// <returns>its bytes</returns>
    Task<long> ReadBlobAsync(long id);

    /// <summary>Changes a user, or has it changed as it is.</summary>
    /// <returns>rows found, or changed</returns>
    Task<long> ExecuteAsync(long id, bool isPrepared);

    /// <summary>A prepared statement for each row, one after the other, each its own transaction.</summary>
    /// <returns>rows read, or sent</returns>
    Task<long> RowByRowAsync(RowOperation operation, IReadOnlyList<long> ids);

    /// <summary>The same in one transaction, ahead of their answers where the driver can; of a select, a list of ids for each 1,000.</summary>
    /// <inheritdoc cref="RowByRowAsync"/>
    Task<long> BatchAsync(RowOperation operation, IReadOnlyList<long> ids);
}
