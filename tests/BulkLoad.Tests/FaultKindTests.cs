using BulkLoad.Core;
using Xunit;

namespace BulkLoad.Tests;

public sealed class FaultKindTests
{
    [Theory]
    [InlineData(1213, FaultKind.TransactionLost)]
    [InlineData(1205, FaultKind.StatementLost)]
    [InlineData(1153, FaultKind.Packet)]
    [InlineData(1159, FaultKind.SessionLost)]
    [InlineData(1062, FaultKind.Data)]
    [InlineData(6575, FaultKind.Data)]
    [InlineData(1045, FaultKind.Configuration)]
    [InlineData(9999, FaultKind.Other)]
    public void A_fault_of_the_server_has_one_kind(int code, FaultKind kind) => Assert.Equal(kind, FaultKinds.Of(code));
}
