using System.Text.Json;
using BulkLoad.IntegrationTests.Refreshing;

namespace BulkLoad.IntegrationTests.Undoing;

/// <summary>Jobs with <c>--undoable</c> change tables of many shapes, and are taken back behind changes of others: each row that is as the
/// job has left it is as it was before, and nothing else changes.</summary>
public sealed class RandomKeptUndoTests
{
    private static readonly string[] Kinds = ["update", "delete", "--on-duplicate update", "--on-duplicate replace", ""];

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public Task Each_row_that_is_as_the_job_has_left_it_is_as_it_was(string server) =>
        RandomTrials.RunAsync(5200, usual: 10, seed => new Trial(seed).RunAsync(Servers.Get(server)));

    private sealed class Trial
    {
        private static readonly string[] Values = ["--null-value=", "--binary", "raw"];

        private readonly Random _random;
        private readonly RandomTable _table;
        private readonly string _kind;
        private string _about;

        public Trial(int seed)
        {
            _random = new Random(new Random(seed).Next());
            _table = new RandomTable(_random);
            _kind = Kinds[seed % Kinds.Length];
            _about = $"seed {seed} {_kind}\n{_table.Sql}";
        }

        private bool IsDelete => _kind == "delete";

        public async Task<(string Name, int Count)[]> RunAsync(TestServer server)
        {
            await using var place = await Workplace.CreateAsync(server, _table.Sql);
            var before = await RandomUndoTests.LookAsync(place, _table);
            var others = await place.QueryAsync(_table.Others);
            var done = await DoAsync(place, before);
            var loaded = await RandomUndoTests.LookAsync(place, _table);
            if (done.ExitCode == 9)
            {
                // Without a unique index a key of an update or a delete may find several rows.
                var isRefused = done.Error.Contains("--undoable: ", StringComparison.Ordinal)
                    || (!_table.HasKey && done.Error.Contains("--key id: no unique index of ", StringComparison.Ordinal));
                Assert.True(isRefused && RandomUndoTests.Same(before, loaded), $"{_about}\n{done}");
                return [("refused", 1)];
            }

            Assert.True(done.ExitCode is 0 or 3, $"{_about}\n{done}");
            Assert.True(await place.QueryAsync(_table.Others) == others, $"{_about}\nothers: {others}");
            await DisturbAsync(place, before, loaded);
            var now = await RandomUndoTests.LookAsync(place, _table);
            others = await place.QueryAsync(_table.Others);
            var (end, kills) = await UndoAsync(place);
            var after = await RandomUndoTests.LookAsync(place, _table);
            _about += $"\n{done}\n{end}\nbefore:\n{RandomUndoTests.Text(before)}\nloaded:\n{RandomUndoTests.Text(loaded)}\nnow:\n"
                + $"{RandomUndoTests.Text(now)}\nafter:\n{RandomUndoTests.Text(after)}";
            Assert.True(await place.QueryAsync(_table.Others) == others, $"{_about}\nothers: {others}");
            var found = RequireRows(before, loaded, now, after);
            if (end.ExitCode == 9)
            {
                // Killed when all was done, or the job had changed nothing.
                var isDone = kills > 0 && end.Error.Contains("knows no job", StringComparison.Ordinal);
                Assert.True(isDone || before.Keys.Union(loaded.Keys).All(id => IsSame(before, loaded, id)), _about);
                return [("jobs", 1), ("kills", kills), ("ended before", 1)];
            }

            await RequireCountsAsync(place, end, found);
            await UndoTests.ShouldHaveNoOthersAsync(place);
            return [("jobs", 1), ("kills", kills), ("put back", after.Keys.Union(now.Keys).Count(id => !IsSame(after, now, id)))];
        }

        private async Task<ProgramEnd> DoAsync(Workplace place, Dictionary<string, string[]> before)
        {
            var isTwo = _table.Sql.Contains("PRIMARY KEY (id, part)", StringComparison.Ordinal);
            string[] key = ["--key", isTwo ? "id,part" : "id"];
            var going = before.Values.Where(_ => _random.Next(2) == 0).Select(row => isTwo ? $"{row[0]},{row[1]}" : row[0]);
            place.Write("t.csv", IsDelete ? $"{key[1]}\n{string.Concat(going.Select(row => $"{row}\n"))}"
                : _kind.Length == 0 ? _table.NewCsv(_random, _random.Next(1, 30)) : _table.Csv);
            string[] words = _kind is "update" or "delete" ? [_kind, "t.csv", .. key, "--ignore-missing"]
                : ["import", "t.csv", .. _kind.Split(' ', StringSplitOptions.RemoveEmptyEntries)];
            string[] values = IsDelete ? [] : Values;
            return await place.RunAsync([.. words, "--table", "t", "--undoable", "--max-rejects", "100%", .. values,
                .. (string[])(_random.Next(3) == 0 ? ["--rows-per-chunk", "3"] : [])]);
        }

        private async Task DisturbAsync(Workplace place, Dictionary<string, string[]> before, Dictionary<string, string[]> loaded)
        {
            var held = _table.HasChild ? loaded.Keys.Except(before.Keys).Where(_ => _random.Next(5) == 0) : [];
            var changes = string.Join('\n', loaded.Keys.Where(_ => _random.Next(4) == 0).Select(id => _table.Disturb(_random, id))
                .Concat(held.Select(id => $"INSERT INTO child (t) SELECT id FROM t WHERE id = '{id}';")));
            _about += $"\n{changes}";
            await place.QueryAsync($"SET NAMES utf8mb4;\n{changes}\n");
        }

        private async Task<(ProgramEnd End, int Kills)> UndoAsync(Workplace place)
        {
            string[] words = ["undo", await UndoTests.JobAsync(place), "--report", "report.json", "--overwrite"];
            var kills = 0;
            for (; _table.IsKilled && kills < 3; kills++)
            {
                using var program = place.Start(words);
                program.Input.Close();
                var isKilled = await program.KillAfterAsync(TimeSpan.FromMilliseconds(_random.Next(20, 300)));
                var end = await program.EndAsync();
                if (!isKilled)
                {
                    return (end, kills);
                }
            }

            return (await place.RunAsync(words), kills);
        }

        /// <summary>What the server does not take, or others refer to, stays as it is.</summary>
        private (int Reversed, int Hindered) RequireRows(
            Dictionary<string, string[]> before, Dictionary<string, string[]> loaded, Dictionary<string, string[]> now,
            Dictionary<string, string[]> after)
        {
            var (reversed, hindered) = (0, 0);
            foreach (var id in before.Keys.Union(loaded.Keys).Union(now.Keys).Union(after.Keys))
            {
                var isOfJob = !IsSame(before, loaded, id) && IsSame(loaded, now, id);
                var isBack = IsSame(after, before, id);
                Assert.True((isOfJob && isBack) || IsSame(after, now, id), $"row {id}\n{_about}");
                reversed += isOfJob && isBack ? 1 : 0;
                hindered += isOfJob && !isBack ? 1 : 0;
            }

            var isHindered = _table.HasChild || _table.BossAt >= 0 || _table.Sql.Contains("UNIQUE KEY", StringComparison.Ordinal);
            Assert.True(hindered == 0 || isHindered, _about);
            return (reversed, hindered);
        }

        private async Task RequireCountsAsync(Workplace place, ProgramEnd end, (int Reversed, int Hindered) found)
        {
            using var report = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(place.Folder, "report.json")));
            Assert.True(report.RootElement.GetProperty("undo").ValueKind == JsonValueKind.Object, _about);
            var undo = report.RootElement.GetProperty("undo");
            Assert.True(found == (Count("reversed"), Count("keptReferred") + Count("keptRefused")), $"{found}\n{_about}");
            Assert.True(end.ExitCode == (found.Hindered + Count("keptChanged") > 0 ? 3 : 0), _about);

            int Count(string name) => undo.GetProperty(name).GetInt32();
        }

        private static bool IsSame(Dictionary<string, string[]> one, Dictionary<string, string[]> other, string id) =>
            one.TryGetValue(id, out var row) ? other.TryGetValue(id, out var same) && row.SequenceEqual(same) : !other.ContainsKey(id);
    }
}
