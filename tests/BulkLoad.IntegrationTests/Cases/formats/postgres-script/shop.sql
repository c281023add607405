--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';

CREATE TABLE public.people (
    id integer NOT NULL,
    name text
);

COPY public.people (id, name) FROM stdin;
1	Ann
\.
