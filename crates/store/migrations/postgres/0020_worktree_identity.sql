-- What is kept of a worktree outside of the database (mapped images of its catalog) names it by a random number, so that
-- a worktree of another database is never taken for it. A volatile default gives each row its own.
ALTER TABLE epitome.worktrees
  ADD COLUMN identity BIGINT NOT NULL DEFAULT ((random() * 9007199254740991)::BIGINT);
