using BulkLoad.Core.Facts;
using BulkLoad.Core.Options;
using BulkLoad.Core.Reports;
using BulkLoad.Core.Strategies;

namespace BulkLoad.Core.Planning;

/// <summary>What a profile changes in an import's plan: costs, sizes, sessions; it never moves chunks. Pure.</summary>
internal sealed class ProfilePlan(LoadFacts facts, UsedProfile used)
{
    private readonly ServerProfile _profile = used.Profile;

    /// <returns>null: there is no profile</returns>
    /// <exception cref="PlanException">it was measured on a server of another kind</exception>
    public static ProfilePlan? Of(LoadFacts facts)
    {
        if (facts.Request is not { Kind: JobKind.Import, Profile: { } used })
        {
            return null;
        }

        return used.Profile.Kind == facts.Server.Kind ? new ProfilePlan(facts, used) : throw new PlanException(
            $"--profile: '{used.Name}' was measured on {used.Profile.Kind} ({used.Profile.Endpoint}), and this server is "
                + $"{facts.Server.Kind}: measure here with bulkload bench tune, or leave the option out");
    }

    /// <returns>null: the strategy was not measured</returns>
    public double? MicrosecondsOf(ILoadStrategy strategy) => _profile.Find(strategy.Name)?.MicrosecondsPerRow;

    public IEnumerable<PlannedSize> OtherSizes(ILoadStrategy strategy, IReadOnlyList<PlannedSize> shown) => strategy.TunedSizes
        .Where(size => size.FindMeasured(facts.Request) is not null && shown.All(other => other.Name != size.Name))
        .Select(size => size.Plan(facts.Request, ""));

    /// <summary>Takes the number of sessions that was measured to help, if several may be used and <c>--threads</c> is not given.</summary>
    public SessionPlan Bound(SessionPlan sessions)
    {
        if (sessions.Max == 1 || facts.Request.Threads is not null || _profile.Sessions is not { } measured)
        {
            return sessions;
        }

        return (measured == 1
            ? SessionPlan.One(used.Source)
            : sessions with { Max = measured, MaxTried = 0, Reason = $"{used.Source}; {sessions.Reason}" }) with
        { IsMeasured = true };
    }

    /// <param name="isStrategyMeasured">whether the profile decides between the strategies</param>
    public PlannedProfile Describe(bool isStrategyMeasured, IReadOnlyList<PlannedSize> planned, SessionPlan sessions)
    {
        var source = used.Source;
        return new PlannedProfile(used.Name, _profile.Version, _profile.Endpoint, _profile.Measured,
        [
            .. isStrategyMeasured ? ["strategy"] : Array.Empty<string>(),
            .. planned.Where(size => size.SetBy == source).Select(size => size.Name),
            .. sessions.IsMeasured ? ["sessions"] : Array.Empty<string>(),
        ]);
    }

    public IEnumerable<string> Notes()
    {
        if (_profile.Version != facts.Server.VersionText)
        {
            yield return $"profile {used.Name} was measured on version {_profile.Version}, and this server is {facts.Server.VersionText}: "
                + "measure again with bulkload bench tune";
        }

        if (_profile.Endpoint != facts.Server.Endpoint)
        {
            yield return $"profile {used.Name} was measured at {_profile.Endpoint}, and this is {facts.Server.Endpoint}: where that is "
                + "another server or a longer way, measure again";
        }
    }

    public string Explain(string chosen, double seconds, string byDefault, double defaultSeconds) =>
        $"{chosen} is taken, and not {byDefault}: {used.Source}, {defaultSeconds / seconds:0.00} times as fast";
}
