using System.Globalization;

namespace BulkLoad.Benchmarks;

/// <summary>A program's arguments, each a name with a value, four of which say where the server is. The password is in MYSQL_PWD.</summary>
internal static class ProgramWords
{
    private static readonly string[] OfServer = ["--host", "--port", "--user", "--database"];

    /// <summary>The values by their names.</summary>
    /// <param name="args">behind the program's name</param>
    /// <param name="needed">beside those of the server</param>
    /// <param name="others">that may be left out</param>
    /// <returns>null: one is missing, or not known</returns>
    public static Dictionary<string, string>? Read(string[] args, string[] needed, string[] others)
    {
        var words = args.Chunk(2).ToDictionary(pair => pair[0], pair => pair.Length == 2 ? pair[1] : "");
        string[] all = [.. OfServer, .. needed];
        return words.Keys.Except([.. all, .. others]).Any() || all.Any(name => !words.ContainsKey(name)) ? null : words;
    }

    /// <summary>Where the server is.</summary>
    public static ConnectionOptions Connection(Dictionary<string, string> words) => new()
    {
        Host = words["--host"],
        Port = int.Parse(words["--port"], CultureInfo.InvariantCulture),
        User = words["--user"],
        Password = Environment.GetEnvironmentVariable("MYSQL_PWD"),
        Database = words["--database"],
        SslMode = SslMode.Disabled,
        GetServerPublicKey = true,
        OffersLocalInfile = true,
    };
}
