SELECT * FROM `odd.``table`;
