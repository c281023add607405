using BulkLoad.Core.Protocol;

namespace BulkLoad.Cli;

/// <summary>Asks for a password on the terminal.</summary>
internal static class PasswordPrompt
{
    /// <exception cref="RequestException">there is no terminal</exception>
    public static string Require(HostEnvironment surroundings) => surroundings.AskPassword is { } ask
        ? ask()
        : throw new RequestException("there is no terminal to ask for the password on: use an option file, a login path or MYSQL_PWD");

    /// <summary>The same connection, with the password that is asked for where that is wanted.</summary>
    /// <exception cref="RequestException">there is no terminal</exception>
    public static ConnectionOptions Fill(ConnectionOptions connection, bool asks, HostEnvironment surroundings) =>
        asks ? connection with { Password = Require(surroundings) } : connection;

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

/// <summary>Asks a question on the terminal; anything but yes is no.</summary>
internal static class ConfirmationPrompt
{
    public static bool Ask(string question, TextWriter prompt, TextReader answers)
    {
        prompt.Write(question);
        return answers.ReadLine()?.Trim().ToUpperInvariant() is "Y" or "YES";
    }
}
