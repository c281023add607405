using System.Diagnostics.Tracing;

/// <summary>The runtime calls it before a program that DOTNET_STARTUP_HOOKS gives this assembly to. It writes down which methods of the
/// library were compiled, and which of them once more because they ran often.</summary>
internal static class StartupHook
{
    /// <summary>The file to write: a line each method, of tier, token, type, name and signature, with tabs between them.</summary>
    public const string File = "RECORDED_METHODS";

    /// <summary>Tiers of methods that ran often, or have a loop that did.</summary>
    public const int Often = 4, OftenInLoop = 5;

    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable(File) is { Length: > 0 } path)
        {
            var recorder = new Recorder(new StreamWriter(path));
            AppDomain.CurrentDomain.ProcessExit += (_, _) => recorder.End();
        }
    }

    private sealed class Recorder : EventListener
    {
        private const string Runtime = "Microsoft-Windows-DotNETRuntime";
        private const EventKeywords Jit = (EventKeywords)0x10;

        /// <summary>Events come from a thread of the runtime, some time after what they tell.</summary>
        private static readonly TimeSpan Late = TimeSpan.FromSeconds(1);

        private readonly StreamWriter _writer;

        public Recorder(StreamWriter writer)
        {
            _writer = writer;
            foreach (var source in EventSource.GetSources().Where(source => source.Name == Runtime))
            {
                EnableEvents(source, EventLevel.Verbose, Jit);
            }
        }

        public void End()
        {
            Thread.Sleep(Late);
            Dispose();
            lock (_writer)
            {
                _writer.Dispose();
            }
        }

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            // The base class calls it before there is a writer; those sources are enabled by the constructor.
            if (_writer is not null && eventSource.Name == Runtime)
            {
                EnableEvents(eventSource, EventLevel.Verbose, Jit);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData.EventName?.StartsWith("MethodLoadVerbose", StringComparison.Ordinal) != true)
            {
                return;
            }

            var told = eventData.PayloadNames!.Zip(eventData.Payload!).ToDictionary(pair => pair.First, pair => pair.Second);
            if (told["MethodNamespace"] is string type && type.StartsWith("BulkLoad.Core.", StringComparison.Ordinal))
            {
                var tier = (Convert.ToUInt32(told["MethodFlags"], CultureInfo.InvariantCulture) >> 7) & 7;
                lock (_writer)
                {
                    _writer.WriteLine($"{tier}\t{told["MethodToken"]}\t{type}\t{told["MethodName"]}\t{told["MethodSignature"]}");
                }
            }
        }
    }
}
