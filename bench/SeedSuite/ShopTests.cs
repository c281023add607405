using System.Diagnostics;
using MySqlConnector;
using Xunit;

/// <summary>
/// 200 small tests that write to the music shop of samples/chinook. SUITE_MODE says how each gets the tables as they were seeded: reset (by the
/// fixture of samples/ci), dump (the server's own client loads SUITE_DUMP before each), rollback (a transaction that is rolled back).
/// </summary>

public sealed class ShopTests : IAsyncLifetime
{
    private static readonly string Mode = Environment.GetEnvironmentVariable("SUITE_MODE") ?? "reset";
    private static readonly string Connection = Environment.GetEnvironmentVariable("SUITE_CONNECTION")!;
    private static readonly Lazy<SeededDatabase> Seeded = new(() => new SeededDatabase());

    private readonly MySqlConnection _connection = new(Connection);
    private MySqlTransaction? _transaction;

    public static TheoryData<int> Numbers => [.. Enumerable.Range(1, 200)];

    public async ValueTask InitializeAsync()
    {
        switch (Mode)
        {
            case "reset":
                Seeded.Value.Reset();
                break;
            case "dump":
                using (var client = Process.Start("bash", ["-c", Environment.GetEnvironmentVariable("SUITE_DUMP")!]))
                {
                    await client.WaitForExitAsync();
                    Assert.Equal(0, client.ExitCode);
                }

                break;
        }

        await _connection.OpenAsync();
        _transaction = Mode == "rollback" ? await _connection.BeginTransactionAsync() : null;
    }

    [Theory]
    [MemberData(nameof(Numbers))]
    public async Task A_customer_buys_and_a_track_is_renamed(int number)
    {
        Assert.Equal(2240L, await ScalarAsync("SELECT COUNT(*) FROM invoice_lines"));
        await RunAsync($"UPDATE tracks SET name = CONCAT(name, '!') WHERE track_id = {1 + (number * 7 % 3500)}");
        await RunAsync($"DELETE FROM invoice_lines WHERE invoice_line_id = {1 + (number * 11 % 2240)}");
        await RunAsync($"INSERT INTO playlists (playlist_id, name) VALUES ({1000 + number}, 'new')");
        await RunAsync($"UPDATE customers SET city = 'elsewhere' WHERE customer_id = {1 + (number % 60)}");
        Assert.Equal(2239L, await ScalarAsync("SELECT COUNT(*) FROM invoice_lines"));
    }

    public async ValueTask DisposeAsync()
    {
        if (_transaction is not null)
        {
            await _transaction.RollbackAsync();
        }

        await _connection.DisposeAsync();
    }

    private async Task RunAsync(string statement)
    {
        await using var command = new MySqlCommand(statement, _connection, _transaction);
        await command.ExecuteNonQueryAsync();
    }

    private async Task<object?> ScalarAsync(string query)
    {
        await using var command = new MySqlCommand(query, _connection, _transaction);
        return await command.ExecuteScalarAsync();
    }
}
