using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;
using BulkLoad.Benchmarks;

if (args is ["pipelined-job", .. var words])
{
    return await PipelinedJobProgram.RunAsync(words);
}

if (args is ["row-by-row", .. var rows])
{
    return await RowByRowProgram.RunAsync(rows);
}

if (args is ["relay", .. var route])
{
    return await RelayProgram.RunAsync(route);
}

if (args is ["library", .. var loads])
{
    return await LibraryProgram.RunAsync(loads);
}

#if PEER_JOBS
if (args is ["peer-job", .. var job])
{
    return BulkLoad.Benchmarks.Peers.PeerJobProgram.Run(job);
}
#endif

#if PEER_DUCKDB
if (args is ["duckdb-read", .. var files])
{
    return BulkLoad.Benchmarks.Peers.DuckDbReader.Run(files);
}
#endif

// In this process: BenchmarkDotNet's own project generation would restore packages by itself.
var shortRun = Job.ShortRun.WithToolchain(InProcessEmitToolchain.Instance);
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, DefaultConfig.Instance.AddJob(shortRun));
return 0;
