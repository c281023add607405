using BulkLoad.Core.Protocol;

namespace BulkLoad.Core.Seeding;

internal static class SqlScript
{
    public static IReadOnlyList<(string Text, int Line)> Read(string path) => [.. File.ReadAllText(path).Split(";\n", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Select(text => (text, 1))];

    public static async Task RunAsync(IServerSession session, string path, IReadOnlyList<(string Text, int Line)> statements, CancellationToken cancellationToken)
    {
        foreach (var (text, _) in statements)
        {
            await session.ExecuteAsync(text, cancellationToken);
        }
    }
}
