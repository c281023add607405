INSERT INTO people VALUES (1,'Ada','ada@x','1984-12-10',1.5),(2,'Bo',NULL,'1990-01-01',NULL),(3,'Cy, the third','cy@x',NULL,-0.1),(99,'Zoe',NULL,NULL,NULL);
