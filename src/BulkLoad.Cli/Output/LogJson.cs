using System.Globalization;
using System.Text;
using System.Text.Json;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Display;

namespace BulkLoad.Cli.Output;

/// <summary>
/// A log line as one JSON object: <c>time</c>, <c>level</c>, <c>event</c>, <c>message</c>, then the message's own values
/// by their names.
/// </summary>
internal sealed class LogJson : ITextFormatter
{
    private static readonly MessageTemplateTextFormatter Message = new("{Message:lj}", CultureInfo.InvariantCulture);

    public void Format(LogEvent logEvent, TextWriter output)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, JsonWords.OneLine))
        {
            json.WriteStartObject();
            json.WriteString("time", logEvent.Timestamp.UtcDateTime);
            json.WriteString("level", LevelWord(logEvent.Level));
            json.WriteString("event", EventName(logEvent));
            json.WriteString("message", MessageText(logEvent));
            foreach (var (name, value) in logEvent.Properties)
            {
                if (name is not ("EventId" or "SourceContext"))
                {
                    json.WritePropertyName(JsonNamingPolicy.CamelCase.ConvertName(name));
                    WriteValue(json, (value as ScalarValue)?.Value ?? (value is ScalarValue ? null : value.ToString()));
                }
            }

            if (logEvent.Exception is { } fault)
            {
                json.WriteString("exception", fault.ToString());
            }

            json.WriteEndObject();
        }

        output.Write(Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length)));
    }

    private static string MessageText(LogEvent logEvent)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        Message.Format(logEvent, text);
        return text.ToString();
    }

    private static string? EventName(LogEvent logEvent) =>
        logEvent.Properties.TryGetValue("EventId", out var id)
        && id is StructureValue { Properties: var parts }
        && parts.FirstOrDefault(part => part.Name == "Name")?.Value is ScalarValue { Value: string name }
            ? name
            : null;

    private static string LevelWord(LogEventLevel level) => level switch
    {
        LogEventLevel.Verbose or LogEventLevel.Debug => "debug",
        LogEventLevel.Information => "information",
        LogEventLevel.Warning => "warning",
        _ => "error",
    };

    private static void WriteValue(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case bool flag:
                json.WriteBooleanValue(flag);
                break;
            case int or long or short or byte or uint or ushort:
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case double number when double.IsFinite(number):
                json.WriteNumberValue(number);
                break;
            default:
                json.WriteStringValue(Convert.ToString(value, CultureInfo.InvariantCulture));
                break;
        }
    }
}
