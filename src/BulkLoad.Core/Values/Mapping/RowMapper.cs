using System.Text.Unicode;
using BulkLoad.Core.Input;
using BulkLoad.Core.Input.Formats;
using BulkLoad.Core.Rows;
using BulkLoad.Core.Schema;
using BulkLoad.Core.Values.Notations;
using BulkLoad.Core.Values.Rules;

namespace BulkLoad.Core.Values.Mapping;

/// <summary>Turns records into rows of canonical values. One for each input; not thread-safe.</summary>
internal sealed class RowMapper
{
    private const string NullCode = "null-not-allowed";
    private const string MissingCode = "missing-value";

    private const int LongestKey = 64;

    private static readonly ValueFault NullNotAllowed = new(NullCode, "is NULL, and the column is NOT NULL");
    private static readonly ValueFault NullLost = new(NullCode, "is NULL, and the table's engine would store another value in its place");
    private static readonly ValueFault EmptyNotAllowed = new(
        NullCode, "is empty, and the column is NOT NULL (an unquoted empty field is NULL)");
    private static readonly ValueFault EmptyWithoutDefault = new(MissingCode, "is empty, and the column is NOT NULL without a default");
    private static readonly ValueFault Missing = new(MissingCode, "is missing, and the column is NOT NULL without a default");

    private static readonly RecordFault NoKey = new(MissingCode, "no key of the object goes to a column");

    private static readonly ValueFault NullKey = new("null-key", "is NULL, and NULL is the key of no row");
    private static readonly ValueFault EmptyKey = new("null-key", "is empty, and an unquoted empty field is NULL, the key of no row");
    private static readonly ValueFault MissingKey = new(MissingCode, "is missing, and finds no row");

    private readonly bool _changesRows;
    private readonly bool _isJson;
    private readonly Target[] _targets;
    private readonly Target[] _judged;
    private readonly RowBlock? _unkept;

    /// <param name="isJson">whether numbers, true and false are JSON's</param>
    public RowMapper(ColumnMapping mapping, ValueOptions values, ValueZone zone, bool isJson = false)
    {
        var options = RuleOptions.Of(values, zone);
        (_changesRows, _isJson) = (mapping.ChangesRows, isJson);
        _targets =
        [
            .. mapping.Columns.Select((column, i) => new Target(column, mapping.FieldOf[i], i < mapping.KeyCount, values, options, isJson)
            {
                Name = isJson ? mapping.Fields[mapping.FieldOf[i]].Field : null,
            }),
            .. mapping.SetFields.Select((field, i) => new Target(field, mapping.FieldOfSet[i], isKey: false, values, options, isJson)),
        ];
        _judged = [.. mapping.Judged.Select(judged => new Target(judged.Column, judged.Field, isKey: false, values, options, isJson))];
        _unkept = _judged.Length == 0 ? null : new RowBlock(_judged.Length, byteCapacity: 256);
    }

    /// <summary>Whether the fault of a record has all of its errors; otherwise the first one.</summary>
    public bool TellsAll { get; init; }

    /// <summary>Adds a record to the block as a row; on a fault adds nothing.</summary>
    /// <param name="offset">of the record in the undecoded input</param>
    public RecordFault? Add(IRecord record, long offset, RowBlock block)
    {
        if (record.Fault is { } fault)
        {
            return fault;
        }

        if ((AddTo(block, _targets, record) ?? Judge(record)) is { } refusal)
        {
            block.AbandonRow();
            return refusal;
        }

        block.EndRow(record.RecordNumber, record.LineNumber, offset, record.RawRecord);
        return null;
    }

    /// <summary>Adds a record to the block as a row or, on a fault, as a reject.</summary>
    /// <param name="input">its name, for people</param>
    /// <returns>false: it is a reject</returns>
    public bool TryAdd(IRecord record, string input, long offset, RowBlock block)
    {
        if (Add(record, offset, block) is not { } fault)
        {
            return true;
        }

        block.AddReject(new Reject(record.PlaceIn(input, offset, fault.Field), fault.Code, fault.Message, ColumnOf(fault.Field)));
        return false;
    }

    /// <summary>The column of a fault or a repair, or null.</summary>
    public string? ColumnOf(int field) => Array.Find(_targets, target => target.Field == field)?.Column.Name;

    /// <summary>Checks values that are not stored.</summary>
    private RecordFault? Judge(IRecord record)
    {
        if (_unkept is null)
        {
            return null;
        }

        var fault = AddTo(_unkept, _judged, record);
        _unkept.AbandonRow();
        return fault;
    }

    private RecordFault? AddTo(RowBlock block, Target[] targets, IRecord record)
    {
        var missing = 0;
        RecordFault? first = null;
        List<string>? others = null;

        // A call by the interface for each field would cost 3 % of a check.
        var delimited = record as DelimitedReader;
        foreach (var target in targets)
        {
            var kind = delimited is not null
                ? delimited.GetField(target.Field, out var value)
                : record.GetField(target.Field, out value);
            if (kind == FieldKind.Bare && target.IsPlain(value) && target.Rule.Add(value, block) is null)
            {
                continue;
            }

            missing += kind == FieldKind.Missing ? 1 : 0;
            if (target.Trims)
            {
                value = value.Trim(" \t"u8);
            }

            var valueFault = kind switch
            {
                FieldKind.Quoted or FieldKind.JsonString when target.IsQuotedNull(kind, value) => AddBare(target, value, block),
                FieldKind.Quoted => target.QuotedRule.Add(value, block),
                FieldKind.JsonString => target.Rule.AddString(value, block),
                FieldKind.Bare => AddBare(target, value, block),
                FieldKind.Null => target.IsKey ? NullKey : AddNull(target.Column, block),
                _ => target.IsKey ? MissingKey : AddMissing(target, block),
            };
            if (valueFault is null)
            {
                continue;
            }

            var fault = Describe(valueFault, kind, value, target);
            if (first is null)
            {
                first = fault;
            }
            else
            {
                (others ??= []).Add($"column '{target.Column.Name}': {fault.Message}");
            }

            if (!TellsAll)
            {
                break;
            }
        }

        return others is not null ? first! with { Message = $"{first.Message}; {string.Join("; ", others)}" }
            : first ?? (_isJson && !_changesRows && missing == targets.Length && targets == _targets && missing > 0 ? NoKey : null);
    }

    private ValueFault? AddBare(Target target, ReadOnlySpan<byte> value, RowBlock block) =>
        target.IsNullText(value) ? target.IsKey ? NullKey : AddNull(target.Column, block)
        : value.IsEmpty ? target.IsKey ? EmptyKey : AddEmpty(target, block)
        : target.Rule.Add(value, block);

    private ValueFault? AddEmpty(Target target, RowBlock block)
    {
        switch (target.Empty)
        {
            case EmptyMeaning.EmptyText:
                return target.Rule.Add(default, block);
            case EmptyMeaning.Default:
                return AddDefault(target, EmptyWithoutDefault, block);
            case EmptyMeaning.Auto when target.KeepsEmpty:
                block.AddValue(default);
                return null;
            default:
                return AddNull(target.Column, block) is { } refusal ? refusal == NullNotAllowed ? EmptyNotAllowed : refusal : null;
        }
    }

    private ValueFault? AddNull(TableColumn column, RowBlock block)
    {
        // NULL is how a new row asks for the next id, even if the column is NOT NULL.
        if (!column.IsNullable && (_changesRows || column.Default != ColumnDefault.AutoIncrement))
        {
            return NullNotAllowed;
        }

        if (column.LosesNull)
        {
            return NullLost;
        }

        block.AddNull();
        return null;
    }

    private ValueFault? AddMissing(Target target, RowBlock block)
    {
        if (!_changesRows || target.Column.IsField)
        {
            return AddDefault(target, Missing, block);
        }

        block.AddAbsent();
        return null;
    }

    private ValueFault? AddDefault(Target target, ValueFault none, RowBlock block)
    {
        switch (target.Column.Default)
        {
            case ColumnDefault.None:
            case ColumnDefault.AutoIncrement when _changesRows:
                return none;
            case ColumnDefault.Expression:
                block.AddDefault();
                return null;
            case ColumnDefault.Constant:
                return target.PlainRule.Add(target.Constant, block) is { } fault
                    ? fault with { Message = $"is left to the column's default, and {FieldText.Show(target.Constant)} {fault.Message}" }
                    : null;
            default:
                return AddNull(target.Column, block);
        }
    }

    private static RecordFault Describe(ValueFault fault, FieldKind kind, ReadOnlySpan<byte> value, Target target)
    {
        var isQuotedNull = target.IsQuotedNull(kind, value);
        var hasValue = (kind is FieldKind.Quoted or FieldKind.JsonString && !isQuotedNull)
            || ((kind is FieldKind.Bare || isQuotedNull) && fault.Code is not (NullCode or MissingCode)
            && fault != NullKey && fault != EmptyKey);
        fault = hasValue && !target.Column.IsBinary && !target.IsRaw && !Utf8.IsValid(value)
            ? Input.Streams.InvalidBytes.AreIn(value) ? ValueFault.InvalidBytes : ValueFault.InvalidText : fault;
        var subject = hasValue ? $"{FieldText.Show(value, target.IsRaw && !Utf8.IsValid(value))} " : "";
        return new RecordFault(fault.Code, $"{subject}{fault.Message}{WithinObject(kind, value, target)}", target.Field);
    }

    /// <summary>Advice for an object in a text column: the user may mean one of its values.</summary>
    private static string WithinObject(FieldKind kind, ReadOnlySpan<byte> value, Target target)
    {
        if (kind != FieldKind.Quoted || value is not [(byte)'{', .., (byte)'}'] || !target.Column.IsCharacter || target.Name is null)
        {
            return "";
        }

        var start = value.IndexOf((byte)'"') + 1;
        var end = start == 0 ? -1 : value[start..].IndexOf((byte)'"');
        return end is <= 0 or > LongestKey ? ""
            : $" (a value within it: --map {ColumnMapping.MapWord(
                $"{target.Name}.{Encoding.UTF8.GetString(value.Slice(start, end))}", target.Column.Name)})";
    }

    private sealed class Target
    {
        private readonly NullMatcher _nullWords;

        /// <summary>The kind of a quoted field that is NULL where an unquoted one is; null: none.</summary>
        private readonly FieldKind? _nullQuoted;

        public Target(TableColumn column, int field, bool isKey, ValueOptions values, RuleOptions options, bool isJson)
        {
            (Column, Field, IsKey) = (column, field, isKey);
            _nullWords = new NullMatcher(values, column.Name);
            _nullQuoted = values.NullQuoted ? isJson ? FieldKind.JsonString : FieldKind.Quoted : null;
            Empty = values.EmptyOf(column.Name);
            var notation = new NotationSet(values.Formats).For(column);
            PlainRule = ValueRules.For(column, options);
            var hasRawBits = column.Kind == ColumnKind.Bit && options.HasRawBits(column.Name);
            Rule = notation is null && !hasRawBits ? PlainRule : ValueRules.For(column, options, notation);
            QuotedRule = isJson && notation is not { ReadsJsonLiterals: true } ? PlainRule : Rule;
            IsRaw = hasRawBits || (column is { IsBinary: true, VectorSize: 0 } && options.BinaryOf(column.Name) == BinaryForm.Raw);
            KeepsEmpty = column is { IsCharacter: true, IsNullable: false };
            Trims = values.Trim && (column.IsField || !column.IsCharacter) && !IsRaw;
            Constant = Encoding.UTF8.GetBytes(column.DefaultText ?? "");
        }

        public TableColumn Column { get; }

        /// <summary>0-based.</summary>
        public int Field { get; }

        /// <summary>The field's name in JSON.</summary>
        public string? Name { get; init; }

        public EmptyMeaning Empty { get; }

        /// <summary>Whether its value finds a row: then no value is made up for it.</summary>
        public bool IsKey { get; }

        /// <summary>For unquoted fields, by the user's notation.</summary>
        public ValueRule Rule { get; }

        /// <summary>For quoted fields, and for JSON's literals.</summary>
        public ValueRule QuotedRule { get; }

        /// <summary>For values that no user wrote.</summary>
        public ValueRule PlainRule { get; }

        /// <summary>Whether a field has the value's bytes without encoding.</summary>
        public bool IsRaw { get; }

        public bool Trims { get; }

        /// <summary>Whether an empty field is empty text; otherwise NULL.</summary>
        public bool KeepsEmpty { get; }

        /// <summary>The constant default as a field would have it.</summary>
        public byte[] Constant { get; }

        /// <summary>Whether an unquoted field is surely a value for the rule, as it is.</summary>
        public bool IsPlain(ReadOnlySpan<byte> value) => !value.IsEmpty && !Trims && !_nullWords.Contain(value);

        public bool IsNullText(ReadOnlySpan<byte> value) => _nullWords.Contain(value);

        public bool IsQuotedNull(FieldKind kind, ReadOnlySpan<byte> value) =>
            kind == _nullQuoted && (value.IsEmpty || _nullWords.Contain(value));
    }
}
