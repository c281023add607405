using System.Text.Json;

namespace BulkLoad.Core.Input.Detection;

/// <summary>What a file of one JSON object may be instead of a record: an envelope around the records, or a table by columns.</summary>
/// <param name="Message">follows the input's name</param>
/// <param name="IsByColumns">whether no reading of it as records makes sense</param>
internal sealed record JsonShape(string Message, bool IsByColumns, IReadOnlyList<WayOn> WaysOn)
{
    private const string Turn = ". as $t | (to_entries[0].value | keys_unsorted[]) as $i | $t | map_values(.[$i])";
    private const string TurnSplit = ".columns as $c | .data[] | [$c, .] | transpose | map({(.[0] | tostring): .[1]}) | add";

    private const int MaxDepth = 5;

    private const int MaxKeyBytes = 200;

    /// <summary>For a table without such a column.</summary>
    public WayOn Hint => WaysOn[0] with { Purpose = Message };

    public InputException Fault(string name) => new($"{name}: {Message}") { WaysOn = WaysOn };

    /// <summary>Null: it is a record, or the user has said what the input is.</summary>
    public static JsonShape? Find(SourceHead head, SourceOptions options)
    {
        if (!head.Format.IsJson() || options is not { Format: InputFormat.Auto, JsonPath: null, IsPinned: false })
        {
            return null;
        }

        var look = new Look();
        try
        {
            look.Read(new Utf8JsonReader(
                head.Bytes, isFinalBlock: false, new JsonReaderState(new JsonReaderOptions { AllowMultipleValues = true })));
        }
        catch (Exception fault) when (fault is JsonException or InvalidOperationException)
        {
            // What follows does not matter, and the reader reports what is wrong before it.
        }

        return look.Records > 1 ? null
            : look.IsByColumns ? ByColumns(head, look)
            : look.Lists.OrderByDescending(list => list.Objects).FirstOrDefault() is { Objects: > 0 } list ? Envelope(look, list)
            : null;
    }

    private static JsonShape Envelope(Look look, FoundList list) => new(
        $"is one object, and its {list.Path} is a list of {(look.IsWhole ? "" : "at least ")}{Plural.Count(list.Objects, "object")}",
        IsByColumns: false,
        [
            new WayOn("to load the list's objects") { Words = ["--json-path", list.Path] },
            new WayOn("to load the one object as a record") { Words = ["--format", "json"] },
        ]);

    private static JsonShape ByColumns(SourceHead head, Look look)
    {
        var file = head.HasPath ? ShellQuoting.Join([head.Name]) : "FILE";
        return new JsonShape(
            look.IsSplit
                ? "is a table of pandas that has its names and rows apart (orient='split')"
                : "is a table written by columns, as to_json of pandas writes it, and not by records",
            IsByColumns: true,
            [
                new WayOn("to write it by records: df.to_json(FILE, orient='records')"),
                new WayOn(
                    $"to turn it here: jq -c '{(look.IsSplit ? TurnSplit : Turn)}' {file} | bulkload import - --format jsonl --table NAME"),
            ]);
    }

    /// <param name="Path">keys from the outermost object</param>
    private sealed record FoundList(string Path, int Objects);

    /// <summary>Reads the beginning once.</summary>
    private sealed class Look
    {
        private readonly List<string?> _path = [];
        private readonly List<(bool IsList, int Objects, int Scalars, int Lists, bool IsNumbered)> _open = [];
        private readonly HashSet<string> _columnKeys = [];
        private readonly HashSet<int> _lengths = [];
        private int _columns;
        private int _values;

        public List<FoundList> Lists { get; } = [];

        public int Records { get; private set; }

        public bool IsWhole { get; private set; }

        public bool IsSplit => _columnKeys.Contains("columns") && _columnKeys.Contains("data");

        /// <summary>Whether every value is a list of as many scalars, or an object with the keys 0, 1 and so on.</summary>
        public bool IsByColumns => (IsSplit && _values <= 3 && Lists.Count == 0)
            || (_values > 0 && _columns == _values && _lengths.Count == 1 && !_lengths.Contains(0) && (IsWhole || _columns > 1));

        public void Read(Utf8JsonReader json)
        {
            while (json.Read())
            {
                switch (json.TokenType)
                {
                    case JsonTokenType.PropertyName:
                        TakeKey(json);
                        break;
                    case JsonTokenType.StartObject or JsonTokenType.StartArray:
                        Open(json.TokenType == JsonTokenType.StartArray);
                        break;
                    case JsonTokenType.EndObject or JsonTokenType.EndArray:
                        Close();
                        break;
                    default:
                        Count(objects: 0, scalars: 1, lists: 0);
                        break;
                }

                if (Records > 1 || (Records == 1 && _open is [(true, _, _, _, _)]))
                {
                    Records = 2;
                    return;
                }
            }
        }

        private void TakeKey(Utf8JsonReader json)
        {
            var key = json.ValueSpan.Length <= MaxKeyBytes ? json.GetString() : null;
            _path[^1] = key;
            if (_open.Count == 1 && key is not null)
            {
                _columnKeys.Add(key);
            }

            var top = _open[^1];
            var place = top.Objects + top.Scalars + top.Lists;
            _open[^1] = top with { IsNumbered = top.IsNumbered && key == $"{place}" };
        }

        private void Open(bool isList)
        {
            if (_open.Count == 0)
            {
                Records++;
                if (isList)
                {
                    Records = 2;
                }
            }
            else
            {
                Count(objects: isList ? 0 : 1, scalars: 0, lists: isList ? 1 : 0);
            }

            _open.Add((isList, 0, 0, 0, !isList));
            _path.Add(null);
        }

        private void Count(int objects, int scalars, int lists)
        {
            if (_open.Count == 0)
            {
                Records = 2;
                return;
            }

            var top = _open[^1];
            _open[^1] = top with { Objects = top.Objects + objects, Scalars = top.Scalars + scalars, Lists = top.Lists + lists };
            _values += _open.Count == 1 ? 1 : 0;
            if (objects == 1 && top.IsList && _open.Count <= MaxDepth)
            {
                Note(top.Objects + 1);
            }
        }

        /// <summary>Notes a list that is only within objects, whose keys can be typed.</summary>
        private void Note(int objects)
        {
            var keys = _path.Take(_path.Count - 1).ToList();
            if (_open.Take(_open.Count - 1).Any(one => one.IsList)
                || keys.Exists(key => string.IsNullOrEmpty(key) || key.Contains('.', StringComparison.Ordinal)))
            {
                return;
            }

            var path = string.Join('.', keys);
            var at = Lists.FindIndex(list => list.Path == path);
            if (at < 0)
            {
                Lists.Add(new FoundList(path, objects));
            }
            else
            {
                Lists[at] = new FoundList(path, objects);
            }
        }

        private void Close()
        {
            var closed = _open[^1];
            _open.RemoveAt(_open.Count - 1);
            _path.RemoveAt(_path.Count - 1);
            if (_open.Count == 1 && closed is { Objects: 0, Lists: 0 } && (closed.IsList || (closed.IsNumbered && closed.Scalars > 0)))
            {
                _columns++;
                _lengths.Add(closed.Scalars);
            }

            IsWhole |= _open.Count == 0;
        }
    }
}
