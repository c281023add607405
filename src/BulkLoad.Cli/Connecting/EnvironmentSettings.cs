namespace BulkLoad.Cli.Connecting;

/// <summary>MySQL's environment variables (MySQL manual, "Environment Variables").</summary>
internal static class EnvironmentSettings
{
    /// <exception cref="RequestException">the port is none</exception>
    public static ConnectionSettings Read(Func<string, string?> variable)
    {
        try
        {
            return new ConnectionSettings
            {
                Host = NotEmpty(variable("MYSQL_HOST")),
                Port = NotEmpty(variable("MYSQL_TCP_PORT")) is { } port ? ConnectionWords.ParsePort(port) : null,
                Socket = NotEmpty(variable("MYSQL_UNIX_PORT")),
                Password = NotEmpty(variable("MYSQL_PWD")),
            };
        }
        catch (FormatException wrong)
        {
            throw new RequestException($"MYSQL_TCP_PORT: {wrong.Message}");
        }
    }

    private static string? NotEmpty(string? text) => string.IsNullOrEmpty(text) ? null : text;
}
