CREATE TABLE codes (code VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, n INT);
INSERT INTO codes VALUES (' abc',1),('abc',2),('  def',3),('ghi',4),('x',5);
