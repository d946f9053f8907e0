-- What is said of projects themselves (their names, links between them) is found without reading every entity.

CREATE INDEX entities_of_projects ON entities (number) WHERE kind = 'project';
CREATE INDEX entity_links_of_projects ON entity_links (number) WHERE source = project_id;
