CREATE TABLE kunden (nr INT PRIMARY KEY, name VARCHAR(20), umsatz DECIMAL(10,2), rabatt DECIMAL(6,4), geboren DATE, kontakt DATETIME, oeffnet TIME, aktiv BOOLEAN);
