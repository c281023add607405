namespace BulkLoad.IntegrationTests.Seeding;

/// <summary>A folder judged by its schema, without a server, against what a seed of empty tables does with it.</summary>
public sealed class FolderCheckTests
{
    private const int Usual = 16;

    /// <summary>More folders where somebody asks for them.</summary>
    private static int Folders =>
        int.TryParse(Environment.GetEnvironmentVariable("BULKLOAD_TEST_SEED_FOLDERS"), out var many) ? many : Usual;

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task What_is_accepted_is_loaded_and_what_is_refused_is_not(string name)
    {
        var (accepted, refused, undecided) = (0, 0, 0);
        for (var seed = 1; seed <= Folders; seed++)
        {
            var random = new Random(seed);
            var folder = new RandomFolder(seed);
            await using var place = await Workplace.CreateAsync(Servers.Get(name), folder.Schema);
            var path = Path.Combine(place.Folder, "data");
            folder.Write(path);
            await File.WriteAllTextAsync(Path.Combine(place.Folder, "schema.sql"), folder.Schema, TestContext.Current.CancellationToken);
            if (seed % 4 != 0)
            {
                Damage(path, random);
            }

            using var check = BulkLoadProcess.Start(place, "", "check", "data", "--schema", "schema.sql");
            var judged = await check.EndAsync();
            using var run = BulkLoadProcess.Start(place, BulkLoadProcess.UrlOf(place), "seed", "data");
            var seeded = await run.EndAsync();
            var isUndecided = judged.Output.Contains(" can only be judged by a server", StringComparison.Ordinal);
            var said = $"folder {seed}: the check said\n{judged}\nthe seed said\n{seeded}";
            switch (judged.ExitCode)
            {
                case 0:
                    Assert.True(isUndecided || seeded.ExitCode == 0, said);
                    (accepted, undecided) = (accepted + (isUndecided ? 0 : 1), undecided + (isUndecided ? 1 : 0));
                    break;
                case 4:
                    Assert.True(seeded.ExitCode != 0, said);
                    refused++;
                    break;
                default:
                    Assert.Fail(said);
                    break;
            }
        }

        // Otherwise the folders would not test anything.
        Assert.True(accepted >= Folders / 5 && refused >= Folders / 5, $"{accepted} accepted, {refused} refused, {undecided} undecided");
    }

    [Fact]
    public async Task The_sample_is_good()
    {
        var sample = Path.Combine(AppContext.BaseDirectory, "samples", "chinook");
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null
            && !Directory.Exists(sample); folder = folder.Parent)
        {
            sample = Path.Combine(folder.FullName, "samples", "chinook");
        }

        if (!Directory.Exists(sample))
        {
            Assert.Skip("there is no samples/chinook");
        }

        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MySql), "");
        using var check = BulkLoadProcess.Start(place, "", "check", sample, "--schema", Path.Combine(sample, "schema.sql"));
        (await check.EndAsync()).ShouldExitWith(0);
    }

    /// <summary>Takes a record away, doubles one, or gives one another value.</summary>
    private static void Damage(string path, Random random)
    {
        var files = Directory.GetFiles(path, "*.csv").Order(StringComparer.Ordinal)
            .Where(file => File.ReadAllLines(file).Length > 1).ToArray();
        if (files.Length == 0)
        {
            return;
        }

        var file = files[random.Next(files.Length)];
        var lines = File.ReadAllLines(file).ToList();
        var at = random.Next(1, lines.Count);
        switch (random.Next(3))
        {
            case 0:
                lines.RemoveAt(at);
                break;
            case 1:
                lines.Insert(random.Next(1, lines.Count), lines[at]);
                break;
            default:
                var fields = lines[at].Split(',');
                fields[random.Next(fields.Length)] = random.Next(4) switch { 0 => "99999", 1 => "\"x\"", 2 => "\\N", _ => "1" };
                lines[at] = string.Join(',', fields);
                break;
        }

        File.WriteAllLines(file, lines);
    }
}
