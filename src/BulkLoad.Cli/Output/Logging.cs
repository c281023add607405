using BulkLoad.Cli.Options;
using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using Serilog.Extensions.Logging;
using Serilog.Formatting;
using Serilog.Formatting.Compact;
using Serilog.Formatting.Display;

namespace BulkLoad.Cli.Output;

/// <summary>The log: warnings go to standard error, and every step with <c>--verbose</c>; <c>--log-file</c> takes the steps too.</summary>
internal sealed class Logging : IDisposable
{
    private const string TextTemplate = "{Timestamp:yyyy-MM-ddTHH:mm:ss.fffzzz} {Level:u3} {Message:lj}{NewLine}{Exception}";

    private readonly SerilogLoggerFactory _loggers;
    private readonly LogFile? _file;

    private Logging(SerilogLoggerFactory loggers, LogFile? file)
    {
        _loggers = loggers;
        _file = file;
    }

    public ILoggerFactory Loggers => _loggers;

    public string? Fault => _file?.Fault;

    /// <exception cref="RequestException">the log file cannot be opened</exception>
    public static Logging Open(OutputSettings output, Messages messages)
    {
        var file = output.LogFile is { } path ? new LogFile(path, output.Overwrite) : null;
        var isJson = output.LogFormat == LogFormat.Json;
        ITextFormatter formatter = isJson
            ? new RenderedCompactJsonFormatter()
            : new MessageTemplateTextFormatter(TextTemplate, CultureInfo.InvariantCulture);
        var configuration = new LoggerConfiguration()
            .MinimumLevel.Is((output.IsVerbose, file) switch
            {
                (true, _) => LogEventLevel.Debug,
                (false, not null) => LogEventLevel.Information,
                (false, null) => LogEventLevel.Warning,
            })
            .WriteTo.Sink(
                output.IsVerbose ? new LineSink(formatter, isJson ? messages.Json : messages.Line) : new WarningSink(messages),
                output.IsVerbose ? LogEventLevel.Debug : LogEventLevel.Warning);
        if (file is not null)
        {
            configuration.WriteTo.Sink(new LineSink(formatter, isJson ? file.Write : line => file.Write(VisibleText.Of(line))));
        }

        return new Logging(new SerilogLoggerFactory(configuration.CreateLogger(), dispose: true), file);
    }

    public void Dispose()
    {
        _loggers.Dispose();
        _file?.Dispose();
    }

    private sealed class LineSink(ITextFormatter formatter, Action<string> write) : ILogEventSink
    {
        public void Emit(LogEvent logEvent)
        {
            using var text = new StringWriter(CultureInfo.InvariantCulture);
            formatter.Format(logEvent, text);
            write(text.ToString().TrimEnd('\r', '\n'));
        }
    }

    private sealed class WarningSink(Messages messages) : ILogEventSink
    {
        private static readonly MessageTemplateTextFormatter Message = new("{Message:lj}", CultureInfo.InvariantCulture);

        public void Emit(LogEvent logEvent)
        {
            using var text = new StringWriter(CultureInfo.InvariantCulture);
            Message.Format(logEvent, text);
            if (logEvent.Level >= LogEventLevel.Error)
            {
                messages.Error(text.ToString());
            }
            else
            {
                messages.Warning(text.ToString());
            }
        }
    }
}
