CREATE TABLE codes (code VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY, n INT);
INSERT INTO codes VALUES ('abc',1),('def',2),('0123',3),('123',4);
