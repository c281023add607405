using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace BulkLoad.IntegrationTests;

/// <summary>Runs a theory with both servers and each of the values, but for strategies that a server does not know.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class CombinatorialServersAttribute(params object[] values) : DataAttribute
{
    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker) =>
        new([.. from server in new[] { Servers.MariaDb, Servers.MySql } from value in values where Servers.Knows(server, value)
            select new TheoryDataRow(server, value)]);

    public override bool SupportsDiscoveryEnumeration() => true;
}
