namespace BulkLoad.Cli.Host;

internal static class PasswordPrompt
{
    public static string Ask(TextWriter prompt)
    {
        prompt.Write("Enter password: ");
        var typed = new StringBuilder();
        while (Console.ReadKey(intercept: true) is { Key: not ConsoleKey.Enter } key)
        {
            switch (key.Key)
            {
                case ConsoleKey.Backspace when typed.Length > 0:
                    typed.Length--;
                    break;
                case ConsoleKey.U when key.Modifiers == ConsoleModifiers.Control:
                    typed.Clear();
                    break;
                default:
                    if (!char.IsControl(key.KeyChar))
                    {
                        typed.Append(key.KeyChar);
                    }

                    break;
            }
        }

        prompt.WriteLine();
        return typed.ToString();
    }
}

/// <summary>Anything but yes is no.</summary>
internal static class ConfirmationPrompt
{
    public static bool Ask(string question, TextWriter prompt, TextReader answers)
    {
        prompt.Write(question);
        return answers.ReadLine()?.Trim().ToUpperInvariant() is "Y" or "YES";
    }
}
