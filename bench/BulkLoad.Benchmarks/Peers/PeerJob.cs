using System.Data.Common;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>One way to do a command with a driver, as a user of the driver would write it.</summary>
/// <param name="Driver">the name of its package</param>
/// <param name="Way">its name on the command line</param>
/// <param name="Command">import, delete or update</param>
/// <param name="Run">does it by the open connection of the driver, with a transaction of its own</param>
internal sealed record PeerJob(string Driver, string Way, string Command, Func<DbConnection, PeerTask, PeerResult> Run)
{
    /// <summary>Those of the drivers that the program was built with.</summary>
    public static IEnumerable<PeerJob> All =>
    [
#if PEER_MYSQLCONNECTOR
        .. MySqlConnectorJobs.All,
#endif
#if PEER_MYSQL_DATA
        .. MySqlDataJobs.All,
#endif
    ];
}

/// <summary>What is to be done.</summary>
/// <param name="Table">with the columns of <see cref="BulkLoad.DataSet"/></param>
/// <param name="File">for an import CSV with a header, for a delete an id a line, for an update TSV of id, age and name</param>
internal sealed record PeerTask(string Table, string File);

/// <summary>What the driver says of it.</summary>
/// <param name="Rows">added, deleted or updated</param>
/// <param name="Warnings">of the server; a driver that does not ask for them hides what the server changed</param>
internal sealed record PeerResult(long Rows, long Warnings = 0);
