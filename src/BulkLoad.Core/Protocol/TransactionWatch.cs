namespace BulkLoad.Core.Protocol;

/// <summary>Watches a transaction by the status flags of answers (MySQL client/server protocol, SERVER_STATUS_IN_TRANS and
/// SERVER_STATUS_AUTOCOMMIT). With autocommit off, the first statement on a table with transactions begins one, and each later answer says
/// so. A server may roll back without an error, and a proxy may switch autocommit on: only these flags show it.</summary>
internal sealed class TransactionWatch
{
    private const ushort InTransaction = 0x0001;
    private const ushort Autocommit = 0x0002;

    private bool _isOn;
    private bool _isOpen;

    /// <summary>An answer said that the transaction is gone.</summary>
    public bool IsLost { get; private set; }

    /// <summary>An answer said that each statement is committed by itself.</summary>
    public bool IsAutocommit { get; private set; }

    public bool IsBroken => IsLost || IsAutocommit;

    /// <summary>Whether tables without transactions are used, such as temporary ones in memory: changed rows begin no transaction
    /// then.</summary>
    public bool IsAside { get; set; }

    /// <summary>Until <see cref="End"/>, all statements belong to one transaction.</summary>
    public void Begin()
    {
        if (!_isOn)
        {
            (_isOn, _isOpen, IsLost, IsAutocommit) = (true, false, false, false);
        }
    }

    /// <summary>The transaction is about to end.</summary>
    public void End() => _isOn = false;

    /// <summary>Never throws, since more answers may be under way: <see cref="Require"/> is called later. A savepoint at the beginning
    /// changes no rows, and begins no transaction.</summary>
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

    public void Require()
    {
        if (IsBroken)
        {
            throw Fault();
        }
    }

    public ServerException Fault() => IsAutocommit
        ? new ServerException(FaultKind.Other,
            "autocommit is on in a session that had it off, and each statement is committed by itself: does a proxy between this program "
                + "and the server change it?")
        : new ServerException(FaultKind.TransactionLost,
            "the server has rolled the transaction back and reported no error: its answer says that none is open");
}
