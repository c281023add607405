using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Text.Json;
using System.Xml.Linq;
using BulkLoad.IntegrationTests.Library;
using BulkLoad.Tests.Architecture;

namespace BulkLoad.IntegrationTests.Packages;

/// <summary>The library as others get it: from its package.</summary>
[Collection(nameof(Release))]
public sealed class LibraryPackageTests(Release release)
{
    /// <summary>With the settings of the sample; docs/library.md has the size with others.</summary>
    private const long MostBytes = 14_300_000;

    /// <summary>Any warning fails: of the compiler, of trimming, or that the package restores in another version.</summary>
    [Fact]
    public async Task A_program_with_the_package_is_compiled_to_native_code_and_loads_changes_and_deletes()
    {
        var folder = release.NewFolder("embedded");
        var sample = Path.Combine(Repository.Root, "samples", "EmbeddedLoad");
        foreach (var file in Directory.GetFiles(sample).Where(file => Path.GetExtension(file) is ".cs" or ".sql"))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        }

        var project = XDocument.Load(Path.Combine(sample, "EmbeddedLoad.csproj"));
        project.Descendants("ProjectReference").Remove();
        project.Root!.Add(new XElement("ItemGroup", new XElement(
            "PackageReference", new XAttribute("Include", "BulkLoad"), new XAttribute("Version", $"[{Release.Version}]"))));
        project.Save(Path.Combine(folder, "EmbeddedLoad.csproj"));
        var packages = release.NewFolder("embedded-packages");
        await Release.ShellAsync(
            $$"""
            known=$(dotnet nuget locals global-packages --list)
            # All that is here already, but for the library of another build.
            find "${known#*: }" -mindepth 1 -maxdepth 1 ! -name bulkload -exec ln -s -t {{packages}} -- {} +
            NUGET_PACKAGES={{packages}} dotnet publish -r linux-x64 -o out -warnaserror -nologo -p:NuGetAudit=false \
              -p:RestoreAdditionalProjectSources={{release.Folder}}/nuget
            """, folder);

        var program = Path.Combine(folder, "out", "EmbeddedLoad");
        foreach (var name in (string[])[Servers.MariaDb, Servers.MySql])
        {
            var server = Servers.Get(name);
            await using var database = await TestDatabase.CreateAsync(server);
            await database.RunAsync((await File.ReadAllTextAsync(Path.Combine(folder, "table.sql"), TestContext.Current.CancellationToken))
                .Split(';').Where(statement => !string.IsNullOrWhiteSpace(statement)));
            var said = await Release.ShellAsync($"{program} '{OtherProgram.UrlOf(server, database)}'", folder);
            Assert.EndsWith("streamed 1000\nnothing was loaded: 0 inserted\n", said, StringComparison.Ordinal);
            Assert.Equal("1:Aino:Turku,3:Dagný:-", await database.ScalarAsync(
                "SELECT GROUP_CONCAT(id, ':', full_name, ':', IFNULL(city, '-') ORDER BY id) FROM embedded_people"));
            Assert.Equal("1002", await database.ScalarAsync("SELECT COUNT(*) FROM embedded_points"));
        }

        Assert.InRange(new FileInfo(program).Length, 1, MostBytes);
    }

    /// <summary>A debugger that steps into the library finds the source of this commit by it.</summary>
    [Fact]
    public async Task The_package_says_where_the_source_of_the_library_is()
    {
        var commit = (await Release.ShellAsync("git rev-parse HEAD", Repository.Root)).Trim();
        using var package = ZipFile.OpenRead(Path.Combine(release.Folder, "nuget", $"BulkLoad.{Release.Version}.nupkg"));
        using var manifest = package.GetEntry("BulkLoad.nuspec")!.Open();
        var repository = XDocument.Load(manifest).Descendants().Single(one => one.Name.LocalName == "repository");
        Assert.Equal(commit, repository.Attribute("commit")!.Value);
        var address = repository.Attribute("url")!.Value;

        using var bytes = new MemoryStream();
        using (var library = package.GetEntry("lib/net10.0/BulkLoad.Core.dll")!.Open())
        {
            await library.CopyToAsync(bytes, TestContext.Current.CancellationToken);
        }

        bytes.Position = 0;
        using var image = new PEReader(bytes);
        var embedded = image.ReadDebugDirectory().Single(entry => entry.Type == DebugDirectoryEntryType.EmbeddedPortablePdb);
        using var symbols = image.ReadEmbeddedPortablePdbDebugDirectoryData(embedded);
        var reader = symbols.GetMetadataReader();
        var link = reader.CustomDebugInformation.Select(reader.GetCustomDebugInformation)
            .Single(one => reader.GetGuid(one.Kind) == new Guid("CC110556-A091-4D38-9FEC-25AB9A351A6A"));
        using var documents = JsonDocument.Parse(reader.GetBlobBytes(link.Value));
        var (from, to) = documents.RootElement.GetProperty("documents").EnumerateObject()
            .Select(one => (one.Name, one.Value.GetString())).Single();
        Assert.Equal(address.Replace("//github.com/", "//raw.githubusercontent.com/", StringComparison.Ordinal) + $"/{commit}/*", to);
        Assert.All(
            reader.Documents.Select(one => reader.GetString(reader.GetDocument(one).Name)),
            name => Assert.StartsWith(from.TrimEnd('*'), name, StringComparison.Ordinal));
    }
}
