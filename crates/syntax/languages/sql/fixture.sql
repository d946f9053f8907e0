-- Users of it.
CREATE TABLE IF NOT EXISTS app.users (
--                             ^^^^^ struct users
  id BIGSERIAL PRIMARY KEY,
--^^ field users.id
  "email" text NOT NULL UNIQUE,
-- ^^^^^ field users.email
  team_id int REFERENCES teams (id) ON DELETE CASCADE,
--^^^^^^^ field users.team_id
  CONSTRAINT positive CHECK (id > 0),
  FOREIGN KEY (team_id) REFERENCES app.teams (id)
);
CREATE TABLE copy AS SELECT * FROM app.users;
--           ^^^^ struct copy
CREATE VIEW active AS SELECT u.id, lower(u.email) FROM app.users u JOIN teams t ON t.id = u.team_id;
--          ^^^^^^ struct active
CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM users;
--                       ^^^^^^ struct totals
CREATE UNIQUE INDEX users_email ON app.users (email);
--                  ^^^^^^^^^^^ constant users_email
CREATE TYPE mood AS ENUM ('sad', 'ok');
--          ^^^^ enum mood
CREATE TYPE pair AS (first int, second int);
--          ^^^^ struct pair
--                   ^^^^^ field pair.first
--                              ^^^^^^ field pair.second
CREATE SEQUENCE counter START 1;
--              ^^^^^^^ constant counter
CREATE SCHEMA IF NOT EXISTS app;
--                          ^^^ module app
CREATE OR REPLACE FUNCTION add_up(a int, b int) RETURNS int LANGUAGE sql AS $$ SELECT a + b $$;
--                         ^^^^^^ function add_up
CREATE OR REPLACE PROCEDURE app.pay(amount int) LANGUAGE plpgsql AS $$ SELECT 1 $$;
--                              ^^^ function pay
CREATE TRIGGER touch_user BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION touch();
--             ^^^^^^^^^^ function touch_user
ALTER TABLE app.users ADD COLUMN name text;
--                               ^^^^ field users.name
INSERT INTO users (id) VALUES (1), (2);
SELECT add_up(1, 2);
