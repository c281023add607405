using System.Text.RegularExpressions;

namespace BulkLoad.Core.Library;

/// <summary>Messages name the program's options; a caller of the library knows its members by these names.</summary>
internal static partial class LibraryWords
{
    private static readonly Dictionary<string, string> Members = new()
    {
        ["allow-multiple"] = nameof(BulkOptions.AllowMultiple),
        ["allow-scan"] = nameof(BulkOptions.AllowScan),
        ["append"] = nameof(BulkOptions.JobId),
        ["atomic"] = nameof(BulkOptions.Atomic),
        ["check-replica"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.Replicas)}",
        ["columns"] = nameof(BulkFileOptions.Columns),
        ["compression"] = nameof(BulkFileOptions.Compression),
        ["connect-timeout"] = nameof(ConnectionOptions.ConnectTimeout),
        ["critical-load"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.CriticalLoad)}",
        ["database"] = nameof(ConnectionOptions.Database),
        ["delimiter"] = nameof(BulkFileOptions.Delimiter),
        ["enable-cleartext-plugin"] = nameof(ConnectionOptions.EnableCleartextPlugin),
        ["encoding"] = nameof(BulkFileOptions.Encoding),
        ["format"] = nameof(BulkFileOptions.Format),
        ["get-server-public-key"] = nameof(ConnectionOptions.GetServerPublicKey),
        ["header"] = $"{nameof(BulkFileOptions.HasHeader)} = true",
        ["host"] = nameof(ConnectionOptions.Host),
        ["ids-file"] = nameof(BulkOptions.IdGenerated),
        ["ignore-missing"] = nameof(BulkOptions.IgnoreMissing),
        ["job-id"] = nameof(BulkOptions.JobId),
        ["key"] = "the key",
        ["ledger-schema"] = nameof(BulkOptions.LedgerSchema),
        ["map"] = nameof(BulkFileOptions.Map),
        ["max-lag"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.MaxLag)}",
        ["max-load"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.MaxLoad)}",
        ["max-rate"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.MaxRate)}",
        ["max-rejects"] = nameof(BulkOptions.MaxRejects),
        ["max-retries"] = $"{nameof(BulkOptions.Retry)}.{nameof(RetryOptions.MaxRetries)}",
        ["no-header"] = $"{nameof(BulkFileOptions.HasHeader)} = false",
        ["no-ledger"] = $"no {nameof(BulkOptions.JobId)}",
        ["null-value"] = nameof(BulkFileOptions.NullTexts),
        ["on-duplicate"] = nameof(BulkOptions.OnDuplicate),
        ["password"] = nameof(ConnectionOptions.Password),
        ["pause-file"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.PauseFile)}",
        ["port"] = nameof(ConnectionOptions.Port),
        ["quote"] = nameof(BulkFileOptions.Quote),
        ["read-timeout"] = nameof(ConnectionOptions.ReadTimeout),
        ["retry-for"] = $"{nameof(BulkOptions.Retry)}.{nameof(RetryOptions.For)}",
        ["rows-per-chunk"] = nameof(BulkOptions.RowsPerChunk),
        ["round"] = nameof(BulkOptions.Round),
        ["run-time"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.RunTime)}",
        ["server-public-key-path"] = nameof(ConnectionOptions.ServerPublicKeyPath),
        ["set"] = nameof(BulkOptions.Set),
        ["socket"] = nameof(ConnectionOptions.Socket),
        ["ssl-ca"] = nameof(ConnectionOptions.SslCa),
        ["ssl-cert"] = nameof(ConnectionOptions.SslCert),
        ["ssl-key"] = nameof(ConnectionOptions.SslKey),
        ["ssl-mode"] = nameof(ConnectionOptions.SslMode),
        ["strategy"] = nameof(BulkOptions.Strategy),
        ["table"] = "the table",
        ["temp-dir"] = nameof(BulkOptions.TempFolder),
        ["threads"] = nameof(BulkOptions.Threads),
        ["throttle-query"] = $"{nameof(BulkOptions.Throttle)}.{nameof(ThrottleOptions.Query)}",
        ["time-zone"] = nameof(BulkOptions.TimeZone),
        ["user"] = nameof(ConnectionOptions.User),
        ["verify"] = nameof(BulkOptions.Verify),
        ["wait"] = nameof(ConnectionOptions.Wait),
        ["where"] = nameof(BulkOptions.Where),
    };

    /// <summary>The message with members in the place of options; an option that the library does not have is named as the
    /// program's.</summary>
    public static string Of(string message) => message.Contains("--", StringComparison.Ordinal)
        ? Option().Replace(message, match => Members.GetValueOrDefault(match.Groups[1].Value)
            ?? $"the program's option '{match.Groups[1].Value}'")
        : message;

    [GeneratedRegex(@"(?<![\w-])--([a-z][a-z-]*[a-z])", RegexOptions.CultureInvariant)]
    private static partial Regex Option();
}
