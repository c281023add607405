using System.CommandLine;

namespace BulkLoad.Cli.Options;

/// <summary>Which jobs are forgotten together.</summary>
internal sealed class ForgetArguments : ArgumentGroup
{
    private readonly Option<bool> _complete;
    private readonly Option<TimeSpan?> _olderThan;

    public ForgetArguments() : base("Forgetting")
    {
        _complete = Flag("--complete", "with forget: all complete jobs, instead of named ones");
        _olderThan = Value(
            "--older-than", "AGE", "with --complete: only those completed at least this long ago, such as 12h, 90d, 8w", OptionParsers.Age);
    }

    /// <summary>The age of complete jobs that are forgotten; null: named ones are.</summary>
    /// <exception cref="RequestException">an age of nothing</exception>
    public TimeSpan? Bind(ParseResult words)
    {
        var age = words.GetValue(_olderThan);
        return words.GetValue(_complete) ? age ?? TimeSpan.Zero
            : age is null ? null : throw new RequestException("--older-than is for jobs that are complete: add --complete");
    }
}
