namespace BulkLoad.Core.Sending.Throttling;

/// <summary>How near something that is watched has come to its limit.</summary>
/// <param name="Reason">a stable word: the option's name without dashes</param>
/// <param name="Text">for people: what is seen, and what is allowed</param>
/// <param name="Share">of what is allowed: beyond 1 the job waits</param>
internal readonly record struct ThrottleState(string Reason, string Text, double Share)
{
    /// <summary>From here on the job slows down.</summary>
    public const double Noticeable = 0.8;

    private const double MostRest = 4;

    /// <summary>Nothing is.</summary>
    public static ThrottleState None { get; } = new("", "", 0);

    /// <summary>Whether nothing may be sent.</summary>
    public bool IsTooMuch => Share > 1;

    /// <summary>How long the job rests for each second that it worked: not at all below <see cref="Noticeable"/>, four seconds at the limit.</summary>
    public double Rest => Math.Clamp((Share - Noticeable) / (1 - Noticeable), 0, 1) * MostRest;

    /// <summary>The greater of two.</summary>
    public ThrottleState Or(ThrottleState other) => other.Share > Share ? other : this;

    /// <summary>Nothing may be sent, whatever the figures.</summary>
    public static ThrottleState Stop(string reason, string text) => new(reason, text, double.PositiveInfinity);
}
