using System.Net.Sockets;

namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Something between program and server switches autocommit on in the middle of a chunk: each answer says so.</summary>
public sealed class AutocommitTests
{
    [Theory]
    [CombinatorialServers("load-data", "multi-row-insert", "bulk-execute")]
    public async Task The_job_ends_and_says_what_may_be_in_the_table_and_no_other_start_relies_on_it(string name, string strategy)
    {
        var server = Servers.Get(name);
        await using var place = await Workplace.CreateAsync(server, "CREATE TABLE t (id INT PRIMARY KEY);");
        await using var relay = new Changer(server);
        place.Write("t.csv", "id\n" + string.Concat(Enumerable.Range(1, 40).Select(id => $"{id}\n")));
        string[] words = ["import", "t.csv", "--strategy", strategy, "--rows-per-chunk", "20", "--rows-per-batch", "5"];
        using var program = BulkLoadProcess.Start(
            place, BulkLoadProcess.UrlOf(server with { Port = relay.Port }, server.User, server.Password, place.Database),
            [.. words, "--ssl-mode", "disabled", "--get-server-public-key"]);
        program.Input.Close();
        var end = await program.EndAsync();
        end.ShouldExitWith(1);
        end.ShouldSay("autocommit is on in a session that had it off, and each statement is committed by itself: does a proxy between this "
            + "program and the server change it?");
        end.ShouldSay("may be, since the session has committed each statement by itself\n  look at the table before you continue\n");
        Assert.DoesNotContain("nothing was loaded", end.Error, StringComparison.Ordinal);

        end = await place.RunAsync(words);
        end.ShouldExitWith(7);
        end.ShouldSay("that was committed before it was complete: autocommit was on then");
    }

    /// <summary>Puts another statement in the place of the third savepoint.</summary>
    private sealed class Changer : Forwarder
    {
        private static readonly byte[] Savepoint = "SAVEPOINT bulkload_batch_"u8.ToArray();
        private int _savepoints;

        public Changer(TestServer server)
            : base(server) => Listen();

        protected override async Task ForwardAsync(int number, NetworkStream client, NetworkStream upstream)
        {
            await Task.WhenAny(SendAsync(), upstream.CopyToAsync(client, Stopped));

            async Task SendAsync()
            {
                var buffer = new byte[64 * 1024];
                while (await client.ReadAsync(buffer, Stopped) is > 0 and var count)
                {
                    for (var at = 0; buffer.AsSpan(at, count - at).IndexOf(Savepoint) is >= 0 and var found; at += found + 1)
                    {
                        if (++_savepoints == 3)
                        {
                            "SET autocommit=1          "u8.CopyTo(buffer.AsSpan(at + found));
                        }
                    }

                    await upstream.WriteAsync(buffer.AsMemory(0, count), Stopped);
                }
            }
        }
    }
}
