SELECT id, born FROM t;
