using BulkLoad.Core.Input;

namespace BulkLoad.Core.Options;

/// <summary>How a spec's values are written.</summary>
internal static class SpecWords
{
    public static string Of(InputFormat format) => format switch
    {
        InputFormat.Csv => "csv",
        InputFormat.Tsv => "tsv",
        InputFormat.Mysql => "mysql",
        _ => "jsonl",
    };

    /// <summary>Null where the word is no format.</summary>
    public static InputFormat? Find(string word)
    {
        foreach (var format in new[] { InputFormat.Csv, InputFormat.Tsv, InputFormat.Mysql, InputFormat.Jsonl })
        {
            if (Of(format) == word)
            {
                return format;
            }
        }

        return null;
    }

    /// <summary>Empty for none.</summary>
    public static string Of(char character) => character == '\0' ? "" : $"{character}";
}
