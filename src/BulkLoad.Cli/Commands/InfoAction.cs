using System.CommandLine;
using System.CommandLine.Invocation;

namespace BulkLoad.Cli.Commands;

/// <summary>An option that tells something and stops, whatever else is wrong with the command line.</summary>
internal sealed class InfoAction(Action<ParseResult> tell) : SynchronousCommandLineAction
{
    public override bool ClearsParseErrors => true;

    public override bool Terminating => true;

    public override int Invoke(ParseResult parseResult)
    {
        tell(parseResult);
        return (int)ExitCode.Done;
    }
}
