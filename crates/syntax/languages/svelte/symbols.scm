(comment) @comment

(snippet_statement (snippet_start (snippet_name) @name) . (_) @body) @function
