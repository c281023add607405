SELECT c, title, toss FROM t;
