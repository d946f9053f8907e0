; What a document links to stands in its lines, which are not parsed.
