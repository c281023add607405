using System.Text.RegularExpressions;
using BulkLoad.Tests.Architecture;
using YamlDotNet.RepresentationModel;

namespace BulkLoad.IntegrationTests.Packages;

/// <summary>
/// Runs the steps of <c>action.yml</c> as GitHub would: those of a shell, from the file itself. What another action does is done by hand.
/// </summary>
[Collection(nameof(Release))]
public sealed partial class ActionTests(Release release)
{
    private const string Schema = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));";

    [Fact]
    public async Task It_installs_the_released_program_and_seeds()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MariaDb), Schema);
        place.Write("testdata/people.csv", "id,name\n1,Ann\n");
        var run = new ActionRun(release.NewFolder("seed"), place.Folder);

        await run.RunAsync(("seed", "testdata"), ("url", BulkLoadProcess.UrlOf(place)),
            ("from", $"file://{release.Folder}"), ("version", Release.Version));

        Assert.Equal("1", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
        Assert.Contains($"bulkload {Release.Version} (", run.Output, StringComparison.Ordinal);
        Assert.Contains("people", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_checks_files_whose_names_have_spaces_and_runs_nothing_that_they_say()
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(Servers.MariaDb), Schema);
        place.Write("two words.csv", "id,name\n1,Ann\n");
        place.Write("$(touch gone).csv", "id,name\n2,Bob\n");
        var run = new ActionRun(release.NewFolder("check"), place.Folder);

        await run.RunAsync(
            ("check", "'two words.csv' '$(touch gone).csv'"), ("args", "--table people"), ("url", BulkLoadProcess.UrlOf(place)),
            ("from", $"file://{release.Folder}"), ("version", Release.Version));

        Assert.False(File.Exists(Path.Combine(place.Folder, "gone")));
        Assert.Contains("2 records", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task It_checks_a_folder_without_a_server()
    {
        var folder = release.NewFolder("folder");
        await Release.ShellAsync(
            $"mkdir testdata; echo '{Schema}' > schema.sql; printf 'id,name\\n1,Ann\\nx,Bob\\n' > testdata/people.csv", folder);
        var run = new ActionRun(release.NewFolder("folder-check"), folder);

        Assert.Equal(4, await run.TryAsync(
            ("check", "testdata"), ("args", "--schema schema.sql"), ("from", $"file://{release.Folder}"), ("version", Release.Version)));

        Assert.Contains("people.csv:3", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_sum_that_is_wrong_installs_nothing()
    {
        var wrong = release.NewFolder("wrong");
        await Release.ShellAsync($"cp {release.Folder}/*linux-x64.tar.gz {release.Folder}/SHA256SUMS .; echo more >> *.tar.gz", wrong);
        var run = new ActionRun(release.NewFolder("sum"), wrong);

        Assert.NotEqual(0, await run.TryAsync(("args", "--version"), ("from", $"file://{wrong}"), ("version", Release.Version)));

        Assert.Contains("FAILED", run.Output, StringComparison.Ordinal);
        Assert.False(Directory.Exists(run.Program));
    }

    /// <summary>Nothing is published yet, so this is what happens where a workflow names no release.</summary>
    [Fact]
    public async Task Without_a_release_it_builds_the_program_and_the_next_run_takes_the_one_that_was_kept()
    {
        var temp = release.NewFolder("build");
        var run = new ActionRun(temp, temp);
        await run.RunAsync(("args", "import --help"));
        Assert.Contains("bulkload import", run.Output, StringComparison.Ordinal);
        var built = File.GetLastWriteTimeUtc(Path.Combine(run.Program, "bulkload"));

        await run.RunAsync(("args", "--version"));

        Assert.Equal(built, File.GetLastWriteTimeUtc(Path.Combine(run.Program, "bulkload")));
    }

    [Fact]
    public async Task A_command_that_fails_fails_the_step()
    {
        var run = new ActionRun(release.NewFolder("fails"), release.NewFolder("empty"));

        Assert.Equal(
            6, await run.TryAsync(("args", "check missing.csv"), ("from", $"file://{release.Folder}"), ("version", Release.Version)));
    }

    /// <summary>A job on a machine of GitHub.</summary>
    /// <param name="temp">RUNNER_TEMP, which stays from one run to the next as a cache would keep it</param>
    /// <param name="workspace">the working folder</param>
    private sealed partial class ActionRun(string temp, string workspace)
    {
        /// <summary>Of all steps, errors too.</summary>
        public string Output { get; private set; } = "";

        /// <summary>The folder in which the program is installed.</summary>
        public string Program => Path.Combine(temp, "bulkload-program");

        public async Task RunAsync(params (string Name, string Value)[] inputs)
        {
            var status = await TryAsync(inputs);
            Assert.True(status == 0, Output);
        }

        /// <returns>what the first step that fails ends with; 0: none fails</returns>
        public async Task<int> TryAsync(params (string Name, string Value)[] inputs)
        {
            Output = "";
            var yaml = new YamlStream();
            yaml.Load(new StringReader(await File.ReadAllTextAsync(Path.Combine(Repository.Root, "action.yml"))));
            var action = (YamlMappingNode)yaml.Documents[0].RootNode;
            var given = inputs.ToDictionary(input => $"inputs.{input.Name}", input => input.Value);
            foreach (var name in ((YamlMappingNode)action["inputs"]).Children.Keys)
            {
                given.TryAdd($"inputs.{name}", "");
            }

            Assert.Equal(given.Count, ((YamlMappingNode)action["inputs"]).Children.Count);
            var path = Environment.GetEnvironmentVariable("PATH")!;
            foreach (var step in ((YamlSequenceNode)action["runs"]["steps"]).Cast<YamlMappingNode>()
                .Where(step => step.Children.ContainsKey("run")))
            {
                Assert.Equal("bash", $"{step["shell"]}");
                string outputs = Path.Combine(temp, "outputs"), paths = Path.Combine(temp, "paths");
                await File.WriteAllTextAsync(outputs, "");
                await File.WriteAllTextAsync(paths, "");
                (string, string)[] variables =
                [
                    .. ((YamlMappingNode)step["env"])
                        .Select(one => ($"{one.Key}", ExpressionPattern().Replace($"{one.Value}", match => given[match.Groups[1].Value]))),
                    ("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64"), ("RUNNER_TEMP", temp), ("GITHUB_ACTION_PATH", Repository.Root),
                    ("GITHUB_OUTPUT", outputs), ("GITHUB_PATH", paths), ("PATH", path),
                ];
                var (status, output) = await Release.TryShellAsync($"{step["run"]}", workspace, variables);
                Output += output;
                if (status != 0)
                {
                    return status;
                }

                foreach (var line in await File.ReadAllLinesAsync(outputs))
                {
                    given[$"steps.{step["id"]}.outputs.{line.Split('=', 2)[0]}"] = line.Split('=', 2)[1];
                }

                path = string.Join(':', [.. await File.ReadAllLinesAsync(paths), path]);
            }

            return 0;
        }

        [GeneratedRegex(@"\$\{\{ *([\w.]+) *\}\}", RegexOptions.CultureInvariant)]
        private static partial Regex ExpressionPattern();
    }
}
