using System.CommandLine;
using BulkLoad.Core.Jobs;
using BulkLoad.Core.Options;

namespace BulkLoad.Cli.Options;

/// <summary>What was measured on the server before.</summary>
internal sealed class ProfileArguments : ArgumentGroup
{
    private readonly Option<string?> _profile;

    public ProfileArguments()
        : base("Profile") =>
            _profile = Text("--profile", "FILE",
                "plan with what 'bulkload bench tune --profile FILE' has measured on this server: strategy, sizes of batches, sessions; "
                    + "see docs/bench.md");

    /// <summary>The request with what was typed.</summary>
    /// <exception cref="RequestException">the file cannot be read, or is no profile</exception>
    public LoadRequest Apply(LoadRequest request, IFiles files, ParseResult words)
    {
        if (words.GetValue(_profile) is not { } path)
        {
            return request;
        }

        try
        {
            return request with { Profile = new UsedProfile(path, ProfileJson.Read(files.Read(path), path)) };
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new RequestException($"--profile: '{path}' cannot be read: {fault.Message}");
        }
    }
}
