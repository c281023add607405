INSERT INTO t VALUES (1,'x','0'),(2,'y','0');
