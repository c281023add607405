using System.Text.Json;
using System.Text.RegularExpressions;

namespace BulkLoad.IntegrationTests.Packages;

/// <summary>
/// Each package is installed as a user would, where nothing but what it names is at hand, loads a file into a server, and is removed.
/// <c>./test.sh packages</c> runs them.
/// </summary>
[Collection(nameof(Release))]
public sealed partial class PackageTests(Release release)
{
    private const string Table = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20));";
    private const string People = "id,name\n1,Ann\n2,Žofie\n";

    private static string Version => Release.Version;

    [Fact]
    public async Task The_sums_verify_and_name_every_file()
    {
        await Release.ShellAsync("sha256sum --quiet --check SHA256SUMS", release.Folder);
        var files = Directory.GetFiles(release.Folder, "*", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(release.Folder, file));
        var named = (await LinesAsync("SHA256SUMS")).Select(line => line.Split("  ", 2)[1]);
        Assert.Equal(files.Where(file => file != "SHA256SUMS").Order(StringComparer.Ordinal), named.Order(StringComparer.Ordinal));
        foreach (var kind in (string[])[".tar.gz", ".deb", ".rpm", ".nupkg", ".tgz", ".cdx.json", ".rb", "bulkload.json", "Containerfile",
            "NOTICES.txt"])
        {
            Assert.Contains(named, file => file.EndsWith(kind, StringComparison.Ordinal));
        }
    }

    /// <summary>The closure is what the restore of the program and its platform says, not what somebody has written down.</summary>
    [Fact]
    public async Task The_list_and_the_notices_name_every_package_with_version_and_licence()
    {
        using var list = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(release.Folder, $"bulkload-{Version}.cdx.json")));
        var listed = list.RootElement.GetProperty("components").EnumerateArray().ToDictionary(
            one => $"{one.GetProperty("name").GetString()}/{one.GetProperty("version").GetString()}",
            one => one.GetProperty("licenses").GetArrayLength());
        var notices = await File.ReadAllTextAsync(Path.Combine(release.Folder, "THIRD-PARTY-NOTICES.txt"));
        using var tool = JsonDocument.Parse(
            await Release.ShellAsync($"unzip -p nuget/BulkLoad.Cli.any.{Version}.nupkg '*/bulkload.deps.json'", release.Folder));
        var closure = tool.RootElement.GetProperty("libraries").EnumerateObject()
            .Where(library => library.Value.GetProperty("type").GetString() == "package").Select(library => library.Name).ToArray();
        Assert.True(closure.Length > 12, string.Join(' ', closure));
        foreach (var package in closure.Append("Microsoft.NETCore.App.Runtime.NativeAOT.linux-x64/10.0.12"))
        {
            Assert.True(listed.GetValueOrDefault(package) > 0, $"{package} is not in the list, or has no licence there");
            Assert.Contains($"\n{package.Replace('/', ' ')} (", notices, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task A_deb_is_installed_into_an_empty_Debian_loads_a_file_and_is_removed(string server)
    {
        var root = await release.NewRootAsync($"deb-{server}");
        File.Copy(Path.Combine(release.Folder, $"bulkload_{Version}_amd64.deb"), Path.Combine(root, "tmp/bulkload.deb"));
        await Release.ShellAsync($"chroot {root} dpkg -i /tmp/bulkload.deb", root);
        await LoadAsync(server, root, $"chroot {root} /usr/bin/bulkload");
        await Release.ShellAsync(
            $"chroot {root} dpkg --verify bulkload; cd {root}; gzip -t usr/share/man/man1/bulkload-import.1.gz; "
            + "grep -q bulkload usr/share/bash-completion/completions/bulkload usr/share/zsh/vendor-completions/_bulkload; "
            + "test -s usr/share/doc/bulkload/copyright", root);
        await Release.ShellAsync(
            $"chroot {root} dpkg --purge bulkload; cd {root}; test ! -e usr/bin/bulkload -a ! -e usr/share/doc/bulkload", root);
    }

    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task An_archive_is_unpacked_in_an_empty_Debian_and_loads_a_file(string server)
    {
        var root = await release.NewRootAsync($"archive-{server}");
        var name = $"bulkload-{Version}-linux-x64";
        await Release.ShellAsync($"tar -C {root}/opt -xzf {release.Folder}/{name}.tar.gz", root);
        await LoadAsync(server, root, $"chroot {root} /opt/{name}/bulkload");
        await Release.ShellAsync($"cd {root}/opt/{name}; test -s man/man1/bulkload.1 -a -s completion/bulkload.fish -a -s LICENSE -a -s "
            + "THIRD-PARTY-NOTICES.txt", root);
    }

    /// <summary>Debian's rpm knows of no package that has the C library: what the rpm asks for is looked at instead.</summary>
    [Fact]
    public async Task An_rpm_is_installed_loads_a_file_and_is_removed()
    {
        var root = await release.NewRootAsync("rpm");
        var file = Path.Combine(release.Folder, $"bulkload-{Version}-1.x86_64.rpm");
        await Release.ShellAsync($"rpm --root {root} --dbpath /var/lib/rpm --initdb; rpm --root {root} --dbpath /var/lib/rpm --nodeps "
            + $"--ignorearch -i {file}", root);
        await LoadAsync(Servers.MariaDb, root, $"chroot {root} /usr/bin/bulkload");
        var needed = await Release.ShellAsync($"rpm -qp --requires {file}", root);
        Assert.Contains("libc.so.6(GLIBC_", needed, StringComparison.Ordinal);
        Assert.Contains("libssl.so.3()(64bit)", needed, StringComparison.Ordinal);
        await Release.ShellAsync($"rpm --root {root} --dbpath /var/lib/rpm -e bulkload; test ! -e {root}/usr/bin/bulkload", root);
    }

    /// <summary>Offline: the other platforms' packages cannot be had, as where npm leaves them out.</summary>
    [Fact]
    public async Task Npm_installs_it_into_an_empty_project_and_npx_runs_it()
    {
        var folder = release.NewFolder("npm");
        var packages = Path.Combine(release.Folder, "npm");
        await File.WriteAllTextAsync(Path.Combine(folder, "package.json"), $$"""
            { "dependencies": { "bulkload": "file:{{packages}}/bulkload-{{Version}}.tgz" },
              "overrides": { "@bulkload/linux-x64": "file:{{packages}}/bulkload-linux-x64-{{Version}}.tgz" } }
            """, TestContext.Current.CancellationToken);
        await Release.ShellAsync("npm install --offline --no-audit --no-fund", folder);
        await LoadAsync(Servers.MariaDb, folder, "npx --offline bulkload", inside: folder);
        var (status, _) = await Release.TryShellAsync("npx --offline bulkload check missing.csv", folder);
        Assert.Equal(6, status);

        await Release.ShellAsync("rm -r node_modules/@bulkload", folder);
        (status, var output) = await Release.TryShellAsync("npx --offline bulkload --version", folder);
        Assert.Equal(1, status);
        Assert.Contains("the package @bulkload/linux-x64", output, StringComparison.Ordinal);
        Assert.Contains($"npm install @bulkload/linux-x64@{Version}", output, StringComparison.Ordinal);
    }

    /// <summary>The program stops what it does, as if it had been started alone, and npm's starter ends as it does.</summary>
    [Fact]
    public async Task A_signal_to_the_starter_of_npm_reaches_the_program()
    {
        var folder = release.NewFolder("npm-signal");
        await Release.ShellAsync(
            "mkdir -p node_modules/bulkload node_modules/@bulkload/linux-x64; tar -C node_modules/bulkload --strip-components=1 -xzf "
                + $"{release.Folder}/npm/bulkload-{Version}.tgz; "
            + $"tar -C node_modules/@bulkload/linux-x64 --strip-components=1 -xzf {release.Folder}/npm/bulkload-linux-x64-{Version}.tgz",
            folder);
        // There is no server at that port, for which the program waits.
        var output = await Release.ShellAsync(
            "printf 'id\\n1\\n' > people.csv\n"
                + "node node_modules/bulkload/bulkload.js import people.csv --wait 60s > shown 2>&1 & starter=$!\n"
                + "until program=$(pgrep -P $starter); do sleep 0.1; done; kill -TERM $starter; status=0; wait $starter || status=$?\n"
                + "echo \"status $status\"; kill -0 $program || echo gone",
            folder, ("BULKLOAD_URL", "mysql://app:secret@127.0.0.1:1/shop"));
        Assert.Contains("status 143\n", output, StringComparison.Ordinal);
        Assert.Contains("gone", output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("BulkLoad.Cli")]
    [InlineData("BulkLoad.Cli.linux-x64")]
    [InlineData("BulkLoad.Cli.any")]
    public async Task The_tool_is_installed_from_the_folder_and_loads_a_file(string package)
    {
        var folder = release.NewFolder(package);
        var source = $"--source {release.Folder}/nuget";
        (string, string)[] own = [("NUGET_PACKAGES", Path.Combine(folder, "packages")), ("DOTNET_CLI_HOME", folder)];
        await Release.ShellAsync($"dotnet tool install {package} --version {Version} {source} --tool-path {folder}/tools", folder, own);
        await LoadAsync(Servers.MariaDb, folder, $"{folder}/tools/bulkload", inside: folder);
        var output = await Release.ShellAsync(
            $"dotnet tool exec {package} --version {Version} {source} --yes -- --version", folder, own);
        Assert.StartsWith(
            $"bulkload {Version}",
            output.Split('\n').First(line => line.StartsWith("bulkload", StringComparison.Ordinal)),
            StringComparison.Ordinal);
        await Release.ShellAsync(
            $"dotnet tool uninstall {package} --tool-path {folder}/tools; test ! -e {folder}/tools/bulkload", folder, own);
    }

    [Fact]
    public async Task Packages_have_no_files_for_debuggers()
    {
        var names = await Release.ShellAsync(
            "for file in nuget/*.nupkg; do unzip -Z1 $file; done; for file in *.tar.gz npm/*.tgz; do tar tzf $file; done; dpkg-deb -c "
                + "*.deb; rpm -qlp *.rpm", release.Folder);
        Assert.DoesNotMatch(@"\.(pdb|dbg|dSYM)\n|bulkload\.xml", names);
    }

    /// <summary>Its steps, in a Debian as its base image has: then the program runs in what the image would be, not as root.</summary>
    [Theory]
    [MemberData(nameof(Servers.Both), MemberType = typeof(Servers))]
    public async Task The_container_is_the_program_with_what_it_opens(string server)
    {
        var root = await release.NewRootAsync($"container-{server}");
        var file = (await File.ReadAllTextAsync(Path.Combine(release.Folder, "Containerfile")))
            .Replace("\\\n", "", StringComparison.Ordinal);
        File.Copy(Path.Combine(release.Folder, $"bulkload_{Version}_amd64.deb"), Path.Combine(root, "tmp/bulkload.deb"));
        Assert.Contains("COPY bulkload_${VERSION}_${TARGETARCH}.deb /tmp/bulkload.deb\n", file, StringComparison.Ordinal);
        var steps = RunPattern().Matches(file).Select(match => match.Groups["step"].Value).ToArray();
        Assert.Equal(4, steps.Length);
        foreach (var (index, step) in steps.Index())
        {
            await File.WriteAllTextAsync(Path.Combine(root, $"tmp/step{index}.sh"), $"set -e\n{step}\n");
            await Release.ShellAsync($"chroot {root} sh /tmp/step{index}.sh", root);
        }

        var image = Path.Combine(root, "rootfs");
        // An engine mounts these.
        await Release.ShellAsync("mkdir dev; cp -a ../dev/null ../dev/urandom dev/", image);
        Assert.Contains("USER 65532:65532\n", file, StringComparison.Ordinal);
        await LoadAsync(server, image, $"chroot --userspec=65532:65532 {image} /usr/bin/bulkload", "/work");
        var programs = await Release.ShellAsync("find . -type f -perm /111 ! -name '*.so*' -printf '%P\\n'", image);
        Assert.Equal("usr/bin/bulkload\n", programs);
    }

    [Fact]
    public async Task Homebrew_and_Scoop_get_the_sums_of_the_archives()
    {
        var sum = (await LinesAsync("SHA256SUMS")).Single(line => line.EndsWith("linux-x64.tar.gz", StringComparison.Ordinal))
            .Split(' ')[0];
        var formula = await File.ReadAllTextAsync(Path.Combine(release.Folder, "bulkload.rb"));
        Assert.Matches($@"url ""[^""]+/v{Version}/bulkload-{Version}-linux-x64\.tar\.gz""\n +sha256 ""{sum}""", formula);
        using var scoop = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(release.Folder, "bulkload.json")));
        Assert.Equal("bulkload.exe", scoop.RootElement.GetProperty("bin").GetString());
        Assert.EndsWith($"/bulkload-{Version}-win-x64.zip",
            scoop.RootElement.GetProperty("architecture").GetProperty("64bit").GetProperty("url").GetString(), StringComparison.Ordinal);
    }

    /// <summary>Nobody here can run brew: the files and the command are taken out of the formula.</summary>
    [Fact]
    public async Task The_test_that_Homebrew_runs_passes()
    {
        var formula = await File.ReadAllTextAsync(Path.Combine(release.Folder, "bulkload.rb"));
        var folder = release.NewFolder("brew");
        foreach (Match match in FormulaFilePattern().Matches(formula))
        {
            var file = new FileInfo(Path.Combine(folder, match.Groups[1].Value));
            file.Directory!.Create();
            await File.WriteAllTextAsync(file.FullName, match.Groups[2].Value.Replace("\\n", "\n", StringComparison.Ordinal));
        }

        var commands = FormulaCommandPattern().Matches(formula);
        Assert.Equal(2, commands.Count);
        foreach (Match command in commands)
        {
            var output = await Release.ShellAsync($"{BulkLoadProcess.Program[0]} {command.Groups[2].Value}", folder);
            var expected = command.Groups[1].Value.Replace("#{version}", Version, StringComparison.Ordinal);
            Assert.Contains(expected, output, StringComparison.Ordinal);
        }
    }

    /// <summary>Loads a file into a table of a new database, and counts the rows there.</summary>
    /// <param name="root">the root folder that the command sees</param>
    /// <param name="command">starts the program</param>
    /// <param name="at">the folder of the file, in the root folder</param>
    /// <param name="inside">the working folder; null: the root folder of the machine</param>
    private static async Task LoadAsync(string server, string root, string command, string at = "/tmp", string? inside = null)
    {
        await using var place = await Workplace.CreateAsync(Servers.Get(server), Table);
        var file = inside is null ? Path.Combine(root, at.TrimStart('/'), "people.csv") : Path.Combine(inside, "people.csv");
        await File.WriteAllTextAsync(file, People, TestContext.Current.CancellationToken);
        var typed = inside is null ? $"{at}/people.csv" : "people.csv";
        var output = await Release.ShellAsync(
            $"{command} import {typed} --table people", inside ?? "/", ("BULKLOAD_URL", BulkLoadProcess.UrlOf(place)), ("HOME", "/tmp"));
        Assert.Contains("2 rows inserted", output, StringComparison.Ordinal);
        Assert.Contains("TLS", output, StringComparison.Ordinal);
        Assert.Equal("2", await place.ScalarAsync("SELECT COUNT(*) FROM people;"));
    }

    private async Task<string[]> LinesAsync(string file) =>
        await File.ReadAllLinesAsync(Path.Combine(release.Folder, file), TestContext.Current.CancellationToken);

    [GeneratedRegex(@"\(testpath/""([^""]+)""\)\.write\(""([^""]+)""\)", RegexOptions.CultureInvariant)]
    private static partial Regex FormulaFilePattern();

    [GeneratedRegex(@"assert_match ""([^""]+)"", shell_output\(""#\{bin\}/bulkload ([^""]+)""\)", RegexOptions.CultureInvariant)]
    private static partial Regex FormulaCommandPattern();

    [GeneratedRegex(@"^RUN (?<step>.*)$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex RunPattern();
}
