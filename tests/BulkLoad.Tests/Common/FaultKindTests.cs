namespace BulkLoad.Tests.Common;

public sealed class FaultKindTests
{
    [Theory]
    [InlineData(1213, FaultKind.TransactionLost)]
    [InlineData(8004, FaultKind.TransactionTooLarge)]
    [InlineData(8501, FaultKind.SessionLost)]
    [InlineData(9002, FaultKind.SessionLost)]
    [InlineData(9004, FaultKind.TransactionLost)]
    [InlineData(9007, FaultKind.TransactionLost)]
    [InlineData(1205, FaultKind.StatementLost)]
    [InlineData(1153, FaultKind.Packet)]
    [InlineData(1159, FaultKind.SessionLost)]
    [InlineData(1062, FaultKind.Data)]
    [InlineData(6575, FaultKind.Data)]
    [InlineData(1045, FaultKind.Configuration)]
    [InlineData(9999, FaultKind.Other)]
    public void A_fault_of_the_server_has_one_kind(int code, object kind) => Assert.Equal(kind, FaultKinds.Of((ServerError)code));

    [Theory]
    [InlineData(1412, "Table definition has changed, please retry transaction", FaultKind.TransactionLost)]
    [InlineData(3100, "Error on observer while running replication hook 'before_commit'.", FaultKind.TransactionLost)]
    [InlineData(3100, "The transaction has exceeded the size limit", FaultKind.TransactionTooLarge)]
    [InlineData(1105, "Maximum writeset size exceeded", FaultKind.TransactionTooLarge)]
    [InlineData(1105, "Unknown error", FaultKind.Other)]
    [InlineData(1180, "Got error 5 \"Input/output error\" during COMMIT", FaultKind.Other)]
    [InlineData(1180, "wsrep_max_ws_rows exceeded", FaultKind.TransactionTooLarge)]
    [InlineData(1197, "Multi-statement transaction required more than 'max_binlog_cache_size' bytes of storage",
        FaultKind.TransactionTooLarge)]
    [InlineData(8004, "Transaction is too large, size: 104857600", FaultKind.TransactionTooLarge)]
    [InlineData(1305, "SAVEPOINT bulkload_batch_1 does not exist", FaultKind.TransactionLost)]
    [InlineData(1305, "FUNCTION shop.f does not exist", FaultKind.Other)]
    public void A_number_of_several_meanings_is_understood_by_its_text(int code, string text, object kind) =>
        Assert.Equal(kind, FaultKinds.Of((ServerError)code, text));

    [Theory]
    [InlineData(1047, "WSREP has not yet prepared node for application use", true)]
    [InlineData(1047, "Unknown command", false)]
    [InlineData(1180, "Error while appending streaming replication fragment(provider status: Not connected to Primary Component)", true)]
    [InlineData(1180, "wsrep_max_ws_rows exceeded", false)]
    [InlineData(1290, "The MySQL server is running with the --super-read-only option so it cannot execute this statement", true)]
    public void A_server_that_is_not_ready_may_be_so_later_or_another_one_is(int code, string text, bool isNotReady) =>
        Assert.Equal((isNotReady, isNotReady),
            (new ServerException(code, "HY000", text).IsNotReady, new ServerException(code, "HY000", text).Passes));
}
