INSERT INTO t VALUES (1,0,''),(2,0,''),(3,0,'');
