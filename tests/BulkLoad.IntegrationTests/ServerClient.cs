using System.Diagnostics;

namespace BulkLoad.IntegrationTests;

/// <summary>The server's own command-line client, as the administrator: what tests set up and judge does not pass through our
/// code.</summary>
internal static class ServerClient
{
    /// <summary>Before INNODB_TRX is asked for again and again: servers show its former content where they are asked more often than every
    /// 0.1 s.</summary>
    public const string PauseForTransactions = "DO SLEEP(0.2);";

    /// <summary>Runs statements and returns what the client prints with <c>--batch</c>: names, then rows, tabs between.</summary>
    /// <param name="server">where</param>
    /// <param name="database">the default database, or null</param>
    /// <param name="sql">statements with a semicolon behind each</param>
    /// <param name="options">further options of the client's</param>
    public static async Task<string> RunAsync(TestServer server, string? database, string sql, params string[] options)
    {
        if (server.IsShared && sql.Contains("SET GLOBAL", StringComparison.OrdinalIgnoreCase))
        {
            throw new ArgumentException($"other tests use this server, too: such settings are for {nameof(Faults.OwnServers)}");
        }

        using var client = Start(server, database, options);
        var output = client.StandardOutput.ReadToEndAsync();
        var error = client.StandardError.ReadToEndAsync();
        await client.StandardInput.WriteAsync(sql);
        client.StandardInput.Close();
        await client.WaitForExitAsync();
        return client.ExitCode == 0 ? await output : throw new InvalidOperationException($"{server}: {await error}\n{sql}");
    }

    /// <summary>Writes what the client prints with <c>--batch</c> into a file, byte for byte.</summary>
    public static async Task ExportAsync(TestServer server, string database, string sql, string path)
    {
        using var client = Start(server, database, []);
        await using var file = File.Create(path);
        var output = client.StandardOutput.BaseStream.CopyToAsync(file);
        var error = client.StandardError.ReadToEndAsync();
        await client.StandardInput.WriteAsync(sql);
        client.StandardInput.Close();
        await output;
        await client.WaitForExitAsync();
        if (client.ExitCode != 0)
        {
            throw new InvalidOperationException($"{server}: {await error}\n{sql}");
        }
    }

    /// <summary>One value as text. A read that failed for a reason which is gone soon is tried again.</summary>
    public static async Task<string> ScalarAsync(TestServer server, string? database, string query)
    {
        for (var left = 100; ; left--)
        {
            try
            {
                return (await RunAsync(server, database, query, "--skip-column-names")).TrimEnd('\n');
            }
            catch (InvalidOperationException fault) when (left > 0 && MayPass(fault))
            {
                await Task.Delay(20);
            }
        }
    }

    // 3854: MySQL's process list cannot show a statement of another session that has odd bytes. 1213: on Galera a read of a table is
    // ended by a change of it that another node sends.
    private static bool MayPass(InvalidOperationException fault)
        => fault.Message.Contains("ERROR 3854", StringComparison.Ordinal) || fault.Message.Contains("ERROR 1213", StringComparison.Ordinal);

    private static Process Start(TestServer server, string? database, string[] options)
    {
        // With TLS, which a socket has no need of, the client would read all of the machine's CAs at each start.
        string[] connection = ["--no-defaults", "--skip-ssl", "--default-character-set=utf8mb4", "--batch", $"--socket={server.Socket}",
            $"--user={server.AdminUser}"];
        var start = new ProcessStartInfo("mariadb", [.. connection, .. options, .. database is null ? Array.Empty<string>() : [database]])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardInputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false),
            StandardOutputEncoding = Encoding.UTF8,
        };
        return Process.Start(start)!;
    }
}
