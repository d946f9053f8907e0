-- What is said of projects themselves (their names, links between them) is found without reading every entity.

CREATE INDEX entities_of_projects ON epitome.entities (tenant_id, number) WHERE kind = 'project';
CREATE INDEX entity_links_of_projects ON epitome.entity_links (tenant_id, number)
  WHERE source COLLATE "C" = project_id;

-- The commit that the files of a worktree were last compared at, and when it was first indexed.
ALTER TABLE epitome.worktrees
  ADD COLUMN commit_id TEXT COLLATE "C",
  ADD COLUMN first_finished_at BIGINT;
