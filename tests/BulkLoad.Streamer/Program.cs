// A program that streams objects by a job's name, from where the job is: the tests kill it.
//
//     BulkLoad.Streamer URL ROWS beginning|position
using System.Globalization;
using BulkLoad;
using BulkLoad.Streamer;

var (url, rows, way) = (args[0], int.Parse(args[1], CultureInfo.InvariantCulture), args[2]);
await using var loader = BulkLoader.Into(url, "streamed");
var position = way == "position" ? await loader.FindPositionAsync("stream") : 0;
var result = await loader.LoadAsync(
    Rows(position), new BulkOptions { JobId = "stream", StartAt = position, RowsPerChunk = 2_000, MaxRejects = 1_000_000 });
Console.WriteLine($"{result.Counts.Inserted} {result.Counts.Rejected}");

async IAsyncEnumerable<Streamed> Rows(long from)
{
    for (var id = (int)from + 1; id <= rows; id++)
    {
        if (id % 500 == 0)
        {
            await Task.Yield();
        }

        // Every hundredth is refused.
        yield return new Streamed(id, id % 100 == 0 ? 1_000 : id % 100);
    }
}
