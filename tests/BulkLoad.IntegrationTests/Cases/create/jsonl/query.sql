SELECT id, JSON_EXTRACT(tags, '$[0]') AS tag, JSON_EXTRACT(details, '$.k') AS k, none, ok, code, mixed, size, text, late FROM events ORDER BY id;
SELECT COLUMN_NAME, REPLACE(DATA_TYPE, 'longtext', 'json') AS type, IS_NULLABLE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME <> 'bulkload_ledger' ORDER BY ORDINAL_POSITION;
