namespace BulkLoad.Cli.Output;

/// <summary>Standard error: whole lines, and below them one status line that comes and goes. Any thread may write.</summary>
internal sealed class Messages(Surroundings surroundings)
{
    private const string EraseLine = "\r\e[K";

    private readonly Lock _gate = new();
    private readonly bool _hasColour = surroundings.ErrorIsTerminal && string.IsNullOrEmpty(surroundings.Variable("NO_COLOR"));
    private string _status = "";

    public void Error(string text) => Line($"{Coloured("error:", 31)} {text}");

    public void Warning(string text) => Line($"{Coloured("warning:", 33)} {text}");

    public void Line(string text)
    {
        lock (_gate)
        {
            surroundings.Error.WriteLine(_status.Length > 0 ? $"{EraseLine}{text}" : text);
            surroundings.Error.Write(_status);
        }
    }

    /// <summary>Shows a line that the next one replaces; only for a terminal. Empty: takes it away.</summary>
    public void Status(string text)
    {
        lock (_gate)
        {
            if (_status.Length + text.Length > 0)
            {
                surroundings.Error.Write(EraseLine + text);
            }

            _status = text;
        }
    }

    private string Coloured(string word, int colour) => _hasColour ? $"\e[{colour};1m{word}\e[0m" : word;
}
