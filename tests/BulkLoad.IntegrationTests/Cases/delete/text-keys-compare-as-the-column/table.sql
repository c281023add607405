CREATE TABLE codes (code VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci PRIMARY KEY);
INSERT INTO codes VALUES ('0123'),('abc'),('DEF'),('ghi'),('it''s'),('é');
