namespace BulkLoad.Cli;

/// <summary>Asks a question on the terminal; anything but yes is no.</summary>
internal static class ConfirmationPrompt
{
    public static bool Ask(string question, TextWriter prompt, TextReader answers)
    {
        prompt.Write(question);
        return answers.ReadLine()?.Trim().ToUpperInvariant() is "Y" or "YES";
    }
}
