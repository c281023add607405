using BulkLoad.Benchmarks.Drivers;

namespace BulkLoad.Benchmarks.Peers;

/// <summary>A whole job by another driver in one run of the program, to be measured from outside.</summary>
internal static class PeerJobProgram
{
    private const string Usage =
        "peer-job --driver NAME --way NAME --command import|delete|update " +
        "--host HOST --port PORT --user USER --database DATABASE --table TABLE --file FILE";

    /// <summary>MySql.Data takes the variables of LOAD DATA for parameters otherwise.</summary>
    private const string Options = ";AllowLoadLocalInfile=true;AllowUserVariables=true;Default Command Timeout=0";

    /// <summary>Prints how many rows and warnings the driver tells of. The password is in MYSQL_PWD.</summary>
    /// <param name="args">behind the word peer-job; for the file see <see cref="PeerTask"/></param>
    public static int Run(string[] args)
    {
        var words = ProgramWords.Read(args, ["--driver", "--way", "--command", "--table", "--file"], []);
        var job = words is null
            ? null
            : PeerJob.All.FirstOrDefault(one =>
                (one.Driver, one.Way, one.Command) == (words["--driver"], words["--way"], words["--command"]));
        if (words is null || job is null)
        {
            Console.Error.WriteLine(Usage);
            foreach (var one in PeerJob.All)
            {
                Console.Error.WriteLine($"  --driver {one.Driver} --command {one.Command} --way {one.Way}");
            }

            return 2;
        }

        var driver = Peer.Present.First(peer => peer.Name == job.Driver);
        using var connection = driver.CreateFactory().CreateConnection()!;
        connection.ConnectionString = driver.ConnectionString(ProgramWords.Connection(words)) + Options;
        connection.Open();
        var result = job.Run(connection, new PeerTask(words["--table"], words["--file"]));
        Console.WriteLine($"{result.Rows} rows, {result.Warnings} warnings");
        return 0;
    }
}
