SELECT id, name, made > '2024-01-01' made, length, note, CHAR_LENGTH(uid) u, (SELECT COUNT(DISTINCT uid) FROM t) n FROM t ORDER BY 1;
