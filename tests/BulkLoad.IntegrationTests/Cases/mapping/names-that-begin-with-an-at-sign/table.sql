CREATE TABLE logs (`@timestamp` DATETIME, `@version` VARCHAR(5), message TEXT);
