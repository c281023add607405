CREATE TABLE people (id INT, name VARCHAR(20) NOT NULL, email VARCHAR(40), born DATE, score DOUBLE, KEY (id)) CHARACTER SET utf8mb4;
