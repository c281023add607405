namespace BulkLoad.Core.Protocol;

/// <summary>
/// What the status flags of a session's answers say of its transaction (MySQL client/server protocol, SERVER_STATUS_IN_TRANS and
/// SERVER_STATUS_AUTOCOMMIT). With autocommit off, the first statement that reads or writes a table with transactions begins one, and each
/// answer from there on says so. A server may roll it back and report no error, and a peer in between may switch autocommit on: only these
/// flags show it.
/// </summary>
internal sealed class TransactionWatch
{
    private const ushort InTransaction = 0x0001;
    private const ushort Autocommit = 0x0002;

    private bool _isOn;
    private bool _isOpen;

    /// <summary>Whether an answer said that the transaction is gone.</summary>
    public bool IsLost { get; private set; }

    /// <summary>Whether an answer said that statements are committed by themselves.</summary>
    public bool IsAutocommit { get; private set; }

    /// <summary>Whether the transaction is not what it has to be.</summary>
    public bool IsBroken => IsLost || IsAutocommit;

    /// <summary>Whether tables without transactions are at work, such as temporary ones in memory: that rows are changed begins no
    /// transaction then.</summary>
    public bool IsAside { get; set; }

    /// <summary>From here on, until <see cref="End"/>, what is sent belongs to one transaction.</summary>
    public void Begin()
    {
        if (!_isOn)
        {
            (_isOn, _isOpen, IsLost, IsAutocommit) = (true, false, false, false);
        }
    }

    /// <summary>The transaction is about to be committed or rolled back.</summary>
    public void End() => _isOn = false;

    /// <summary>An answer came. Never throws: the exchange may have more answers under way, so <see cref="Require"/> is asked
    /// later.</summary>
    /// <param name="status">its flags</param>
    /// <param name="affectedRows">rows that its statement changed: a savepoint before the first of all changes none, and begins no
    /// transaction</param>
    public void See(ushort status, ulong affectedRows)
    {
        if (!_isOn)
        {
            return;
        }

        var isOpen = (status & InTransaction) != 0;
        IsAutocommit |= (status & Autocommit) != 0;
        IsLost |= !isOpen && (_isOpen || (affectedRows > 0 && !IsAside));
        _isOpen |= isOpen;
    }

    /// <exception cref="ServerException">the transaction is not what it has to be</exception>
    public void Require()
    {
        if (IsBroken)
        {
            throw Fault();
        }
    }

    /// <summary>What is said of it.</summary>
    public ServerException Fault() => IsAutocommit
        ? new ServerException(FaultKind.Other,
            "autocommit is on in a session that had it off, and each statement is committed by itself: does a proxy between this program "
                + "and the server change it?")
        : new ServerException(FaultKind.TransactionLost,
            "the server has rolled the transaction back and reported no error: its answer says that none is open");
}
