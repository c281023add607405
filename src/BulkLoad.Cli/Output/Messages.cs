using BulkLoad.Core;

namespace BulkLoad.Cli.Output;

/// <summary>Standard error: whole lines, and below them one status line that comes and goes. Any thread may write.</summary>
internal sealed class Messages(Surroundings surroundings)
{
    private const string EraseLine = "\r\e[K";

    private readonly Lock _gate = new();
    private readonly bool _hasColour = surroundings.ErrorIsTerminal && string.IsNullOrEmpty(surroundings.Variable("NO_COLOR"));
    private string _status = "";

    public void Error(string text) => Line($"{Coloured("error:", 31)} ", text);

    public void Warning(string text) => Line($"{Coloured("warning:", 33)} ", text);

    public void Line(string text) => Line("", text);

    /// <summary>Shows a line that the next one replaces; only for a terminal. Empty: takes it away.</summary>
    public void Status(string text)
    {
        lock (_gate)
        {
            if (_status.Length + text.Length > 0)
            {
                Write(EraseLine + text);
            }

            _status = text;
        }
    }

    /// <param name="mark">ours, with its colour</param>
    /// <param name="text">in which names may stand that hold anything</param>
    private void Line(string mark, string text)
    {
        lock (_gate)
        {
            Write($"{(_status.Length > 0 ? EraseLine : "")}{mark}{VisibleText.Of(text)}{Environment.NewLine}{_status}");
        }
    }

    private void Write(string text)
    {
        try
        {
            surroundings.Error.Write(text);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Full or closed: there is no other place to tell it, and the work and its exit code do not depend on it.
        }
    }

    private string Coloured(string word, int colour) => _hasColour ? $"\e[{colour};1m{word}\e[0m" : word;
}
