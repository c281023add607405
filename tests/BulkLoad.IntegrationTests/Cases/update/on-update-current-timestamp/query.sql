SELECT id, name, changed IS NULL AS untouched FROM people ORDER BY id;
