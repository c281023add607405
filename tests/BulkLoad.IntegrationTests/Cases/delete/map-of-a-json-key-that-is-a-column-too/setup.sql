INSERT INTO t VALUES (75,'x','0'),(77,'y','0');
