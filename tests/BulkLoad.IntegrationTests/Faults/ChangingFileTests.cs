namespace BulkLoad.IntegrationTests.Faults;

/// <summary>Files that something else writes to while they are read: more of them than is read ahead.</summary>
public sealed class ChangingFileTests
{
    [Theory]
    [CombinatorialServers("grows", "is cut", "is written over")]
    public async Task A_file_that_changes_while_it_is_read_is_an_error(string server, string change)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server), rowsPerChunk: 1000, rows: 12_000, nameLength: 2000);
        Change(held.File, change);
        await held.ReleaseAsync();
        var end = await held.Program.EndAsync();
        end.ShouldExitWith(6);
        end.ShouldSay("people.csv: changed while it was read");
        end.ShouldSay($"\n  {int.Parse(await held.CountAsync(), null):N0} rows are in {held.Place.Database}.people\n  run the same command "
            + "to continue\n");
        Assert.Matches($@"(?m)^{int.Parse(await held.CountAsync(), null):N0} rows? inserted into ", end.Output);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_file_whose_name_goes_to_another_is_read_to_its_end_as_it_was_opened(string server)
    {
        await using var held = await HeldLoad.StartAsync(Servers.Get(server), rowsPerChunk: 1000, rows: 12_000, nameLength: 2000);
        File.WriteAllText(held.File + ".new", "id,name\n1,other\n");
        File.Move(held.File + ".new", held.File, overwrite: true);
        await held.ReleaseAsync();
        (await held.Program.EndAsync()).ShouldExitWith(0);
        Assert.Equal("12000", await held.CountAsync());
    }

    private static void Change(string file, string change)
    {
        using var stream = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        switch (change)
        {
            case "grows":
                stream.Position = stream.Length;
                stream.Write("100000,late\n"u8);
                break;
            case "is cut":
                stream.SetLength(15_000_000);
                break;
            default:
                stream.Position = stream.Length - 100;
                stream.WriteByte((byte)'y');
                break;
        }
    }
}
