BulkLoad.Cli.StandardStreams.Reserve();
BulkLoad.Cli.RuntimeSettings.Set();
return await BulkLoad.Cli.BulkLoadApp.RunAsync(args, BulkLoad.Cli.HostEnvironment.OfThisProcess(), BulkLoad.Cli.JobSteps.OfCore);
