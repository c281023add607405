using System.Text.RegularExpressions;
using BulkLoad.Core.Protocol;

namespace BulkLoad.IntegrationTests.Duplicates;

/// <summary>What <c>--on-duplicate</c> is defined by: records one after the other, each by statements that look for nothing else.</summary>
internal sealed partial class RecordByRecord(IServerSession session, RandomTable table, string name, DuplicateMode mode)
{
    private const int Duplicate = 1062;

    public LoadCounts Counts { get; private set; } = new();

    /// <summary>Numbers of the records that were refused.</summary>
    public List<long> Refused { get; } = [];

    public async Task SendAsync(string?[] record)
    {
        Counts = Counts with { Read = Counts.Read + 1 };
        try
        {
            await InsertAsync(record);
            Counts = Counts with { Inserted = Counts.Inserted + 1 };
        }
        catch (ServerException fault) when (fault.Code == Duplicate && mode != DuplicateMode.Error)
        {
            await SettleAsync(record, fault.Message);
        }
        catch (ServerException fault) when (fault.Code == Duplicate)
        {
            Refuse();
        }
    }

    private async Task SettleAsync(string?[] record, string message)
    {
        switch (mode)
        {
            case DuplicateMode.Ignore:
                Counts = Counts with { Ignored = Counts.Ignored + 1 };
                break;
            case DuplicateMode.Replace:
                await RunAsync($"DELETE FROM {name} WHERE {string.Join(" OR ", table.Keys.Select(key => Where(key.Columns, record)))}");
                await InsertAsync(record);
                Counts = Counts with { Updated = Counts.Updated + 1 };
                break;
            default:
                await UpdateAsync(record, table.Keys.Single(key => key.Name == KeyName().Match(message).Groups[1].Value).Columns);
                break;
        }
    }

    private async Task UpdateAsync(string?[] record, string[] key)
    {
        var set = RandomTable.Columns.Zip(record).Where(cell => cell.First != "id" || cell.Second is not null);
        try
        {
            var answer = await RunAsync(
                $"UPDATE {name} SET {string.Join(", ", set.Select(cell => $"{cell.First}={Literal(cell.Second)}"))} WHERE "
                    + $"{Where(key, record)}");
            Counts = answer.AffectedRows == 1
                ? Counts with { Updated = Counts.Updated + 1 } : Counts with { Unchanged = Counts.Unchanged + 1 };
        }
        catch (ServerException fault) when (fault.Code == Duplicate)
        {
            Refuse();
        }
    }

    private void Refuse()
    {
        Counts = Counts with { Rejected = Counts.Rejected + 1 };
        Refused.Add(Counts.Read);
    }

    private Task InsertAsync(string?[] record) =>
        RunAsync($"INSERT INTO {name} ({string.Join(", ", RandomTable.Columns)}) VALUES ({string.Join(", ", record.Select(Literal))})");

    private async Task<OkResult> RunAsync(string statement) => await session.ExecuteAsync(statement, default);

    private static string Where(string[] key, string?[] record) =>
        $"({string.Join(" AND ", key.Select(column => $"{column} = {Literal(record[RandomTable.Columns.ToList().IndexOf(column)])}"))})";

    private static string Literal(string? value) => value is null ? "NULL" : $"'{value}'";

    /// <summary>MySQL writes the table's name before it.</summary>
    [GeneratedRegex(@"for key '(?:\w+\.)?(\w+)'")]
    private static partial Regex KeyName();
}
