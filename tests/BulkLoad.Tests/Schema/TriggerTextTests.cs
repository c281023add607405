using BulkLoad.Core.Schema;

namespace BulkLoad.Tests.Schema;

/// <summary>Whether a trigger can make a preview's counts wrong.</summary>
public sealed class TriggerTextTests
{
    [Theory]
    [InlineData("BEFORE", "SET NEW.age = NEW.age + 1", true)]
    [InlineData("BEFORE", "SET `NEW`.age = 1", true)]
    [InlineData("BEFORE", "INSERT INTO log VALUES (OLD.id, 'NEW')", false)]
    [InlineData("AFTER", "INSERT INTO log VALUES (NEW.id, NOW())", false)]
    [InlineData("AFTER", "IF NEW.age > 200 THEN SIGNAL SQLSTATE '45000'; END IF", true)]
    [InlineData("AFTER", "INSERT INTO log VALUES ('SIGNAL') -- CALL me", false)]
    [InlineData("AFTER", "CALL tell(NEW.id)", true)]
    [InlineData("AFTER", "INSERT INTO log VALUES (shop.own_function(NEW.id))", true)]
    [InlineData("AFTER", "", true)]
    [InlineData("AFTER", null, true)]
    public void A_trigger_may_change_records_or_refuse_them(string timing, string? body, bool expected) =>
        Assert.Equal(expected, TriggerText.MayChangeRecords(timing, body));
}
