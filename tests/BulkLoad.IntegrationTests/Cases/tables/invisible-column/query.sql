SELECT id, hidden, v FROM t;
