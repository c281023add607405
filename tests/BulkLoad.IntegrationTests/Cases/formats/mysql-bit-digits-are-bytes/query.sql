SELECT id, m+0 FROM flags ORDER BY id;
