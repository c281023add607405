using BulkLoad.Cli.App;
using BulkLoad.Cli.Commands;

StandardStreams.Reserve();
RuntimeSettings.Set();
return await BulkLoadApp.RunAsync(args, HostEnvironment.OfThisProcess(), JobSteps.OfCore);
