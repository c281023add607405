using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Detection;
using BulkLoad.Core.Schema;

namespace BulkLoad.Core.Jobs;

internal static class KeyList
{
    /// <summary>Refuses a file that begins with a header, with several columns, or with a quote: it is no list of keys.</summary>
    public static void Require(SourceInfo look, TableColumn column, SourceOptions options)
    {
        if (!column.IsNumber || look.FirstKey is not { Length: > 0 } first || options.HasHeader is not null
            || first.Equals(column.Name, StringComparison.OrdinalIgnoreCase))
        {
            return;
        }

        if (first.All(letter => char.IsLetter(letter) || letter is '_' or ' '))
        {
            throw new InputException($"{look.Name}:1: '{first}' is no key: column '{column.Name}' holds numbers")
            {
                WaysOn =
                [
                    new WayOn("to take it as a header") { Words = ["--header"] },
                    new WayOn("to refuse it, as a key") { Words = ["--no-header"] },
                ],
            };
        }

        var isQuoted = first is ['"', .., '"'];
        if (isQuoted || first.AsSpan().ContainsAny(',', ';', '\t'))
        {
            var name = isQuoted ? first[1..^1] : first;
            string[] header = isQuoted && !name.Equals(column.Name, StringComparison.OrdinalIgnoreCase)
                ? ["--no-header", "--columns", column.Name]
                : [];
            throw new InputException(
                $"{look.Name}:1: '{first}' is no key: --ids reads one key a line, without quotes")
            {
                WaysOn = [new WayOn("to read columns, or values in quotes") { Without = ["--ids"], Words = [look.Name, .. header] }],
            };
        }
    }
}
