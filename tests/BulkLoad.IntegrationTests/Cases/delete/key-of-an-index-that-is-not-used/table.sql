CREATE TABLE people (id INT PRIMARY KEY, email VARCHAR(40) NOT NULL, active INT NOT NULL, UNIQUE KEY by_email (email) /*!80000 INVISIBLE */ /*M!100600 IGNORED */);
INSERT INTO people VALUES (1,'ada@x',1),(2,'bob@x',1),(3,'cy@x',0);
