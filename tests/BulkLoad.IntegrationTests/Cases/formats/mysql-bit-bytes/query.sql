SELECT id, a+0, m+0 FROM flags ORDER BY id;
