SELECT id, f=0 f, d=0 d FROM t;
