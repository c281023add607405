namespace BulkLoad.Cli.Output;

/// <summary>Standard error: whole lines, and below them one status line that comes and goes. Thread-safe.</summary>
internal sealed class Messages(HostEnvironment host)
{
    private const string EraseLine = "\r\e[K";

    private readonly Lock _gate = new();
    private readonly bool _hasColour = host.ErrorIsTerminal && host.WantsColour;
    private string _status = "";
    private volatile bool _isAsking;

    public void Error(string text) => WriteLine(Labelled("error:", 31, text));

    public void Warning(string text) => WriteLine(Labelled("warning:", 33, text));

    public void Line(string text) => WriteLine(Wrapped(host.Shown.Of(text)));

    /// <summary>For machines; not wrapped.</summary>
    public void Json(string line) => WriteLine(host.Shown.Json(line));

    /// <summary>Shows a line that the next one replaces; only for a terminal. Empty: removes it.</summary>
    public void Status(string text)
    {
        lock (_gate)
        {
            if (!_isAsking && _status.Length + text.Length > 0)
            {
                Write(EraseLine + text);
            }

            _status = _isAsking ? "" : text;
        }
    }

    /// <summary>Asks in the place of the status line, which comes again behind the answer.</summary>
    public bool Ask(Func<bool> ask)
    {
        Status("");
        _isAsking = true;
        try
        {
            return ask();
        }
        finally
        {
            _isAsking = false;
        }
    }

    private void WriteLine(string text)
    {
        lock (_gate)
        {
            Write($"{(_status.Length > 0 ? EraseLine : "")}{text}{Environment.NewLine}{_status}");
        }
    }

    private void Write(string text)
    {
        try
        {
            host.Error.Write(text);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            // Full or closed: there is no other place for the message, and the work and its exit code do not depend on it.
        }
    }

    private string Labelled(string label, int colour, string text)
    {
        var lines = Wrapped(host.Shown.Of($"{label} {text}"));
        return _hasColour ? $"\e[{colour};1m{label}\e[0m{lines[label.Length..]}" : lines;
    }

    private string Wrapped(string text) =>
        host.ErrorIsTerminal ? LineWrap.Text(text, host.TerminalWidth()).ReplaceLineEndings() : text;
}
