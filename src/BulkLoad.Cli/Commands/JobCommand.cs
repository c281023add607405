using System.CommandLine;
using BulkLoad.Cli.Options;

namespace BulkLoad.Cli.Commands;

/// <summary>A command with groups of options, and examples for its help.</summary>
internal abstract class JobCommand(string name, string description) : Command(name, description)
{
    private readonly List<ArgumentGroup> _groups = [];

    /// <summary>What the command's help shows under headings, in order.</summary>
    public IReadOnlyList<ArgumentGroup> Groups => _groups;

    /// <summary>What may stand behind the command's name but for options.</summary>
    public virtual string Words => "FILE...";

    /// <summary>Command lines with what each does.</summary>
    public abstract IReadOnlyList<(string Line, string Does)> Examples { get; }

    protected void Group(params ReadOnlySpan<ArgumentGroup> groups)
    {
        foreach (var group in groups)
        {
            _groups.Add(group);
            foreach (var option in group.Options)
            {
                Options.Add(option);
            }
        }
    }
}
