using System.CommandLine;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>How rows of the table are compared with records.</summary>
internal sealed class VerifyArguments : ArgumentGroup
{
    private readonly Option<VerifyMode?> _verify;
    private readonly Option<string[]?>? _key;

    /// <param name="isAlone">whether the command does nothing else</param>
    public VerifyArguments(bool isAlone = false) : base("Verification")
    {
        _verify = !isAlone
            ? Value("--verify", "HOW",
                "check the rows again before they are committed: count (each key has its row), checksum (which holds the record's "
                    + "values), none (default)",
                text => OptionParsers.Choice<VerifyMode>(text, [.. VerifyWords.All]))
            : Value("--verify", "HOW", "count (each key has its row), or checksum (default: which holds the record's values)",
                text => OptionParsers.Choice<VerifyMode>(text, [.. VerifyWords.All.Where(word => word.Mode != VerifyMode.None)]));
        _key = !isAlone
            ? null
            : Object("--key", "COLUMN,...",
                "the columns that find a record's row (default: those of the primary key, or of a unique one whose columns the file has)",
                text => OptionParsers.Names(text));
    }

    /// <summary>The request with what was typed.</summary>
    public LoadRequest Apply(LoadRequest request, ParseResult words) => _key is null
        ? request with { Verify = words.GetValue(_verify) ?? VerifyMode.None }
        : request with
        {
            Verify = words.GetValue(_verify)
            ?? VerifyMode.Checksum,
            IsVerification = true,
            Key = request.Key with { Columns = words.GetValue(_key) ?? [] }
        };
}
