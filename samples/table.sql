-- The tables of the samples, for MariaDB and MySQL:  mysql shop < samples/table.sql

CREATE TABLE people (
  id         INT UNSIGNED NOT NULL PRIMARY KEY,
  name       VARCHAR(60)  NOT NULL,
  email      VARCHAR(100) NULL,
  born       DATE         NULL,
  height_m   DECIMAL(3,2) NULL,
  newsletter BOOLEAN      NOT NULL,
  joined_at  DATETIME     NOT NULL,
  note       VARCHAR(200) NULL,
  UNIQUE KEY (email)
) DEFAULT CHARSET = utf8mb4;

CREATE TABLE orders (
  order_no  CHAR(9)        NOT NULL PRIMARY KEY,
  person_id INT UNSIGNED   NOT NULL,
  placed_at DATETIME       NOT NULL,
  status    ENUM('open', 'paid', 'shipped', 'returned') NOT NULL DEFAULT 'open',
  extras    SET('gift', 'express', 'insured') NOT NULL,
  total     DECIMAL(10,2)  NOT NULL,
  weight_kg DOUBLE         NULL,
  comment   VARCHAR(200)   NULL,
  KEY (person_id),
  FOREIGN KEY (person_id) REFERENCES people (id)
) DEFAULT CHARSET = utf8mb4;

-- The file has no id: the server numbers the rows. It has a nested value: the text column takes it as it is written.
CREATE TABLE events (
  id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  at         DATETIME(3)     NOT NULL,
  kind       VARCHAR(20)     NOT NULL,
  person_id  INT UNSIGNED    NULL,
  duration   TIME(3)         NULL,
  amount     DECIMAL(20,6)   NULL,
  successful BOOLEAN         NOT NULL DEFAULT TRUE,
  details    TEXT            NULL,
  KEY (person_id)
) DEFAULT CHARSET = utf8mb4;
