//! The query for what each conversation holds and was folded into, which both stores ask alike.

/// One row for each conversation: id, name, messages, tokens, summaries, deepest, active summaries, their tokens, tokens of
/// what they stand for, facts.
pub(crate) fn conversation_folds_sql(schema: &str) -> String {
    "SELECT c.conversation_id, c.name, c.message_count, c.token_count,
       (SELECT count(*) FROM @summaries s WHERE s.conversation = c.number),
       (SELECT max(s.depth) FROM @summaries s WHERE s.conversation = c.number),
       (SELECT count(*) FROM @context_items i WHERE i.conversation = c.number),
       (SELECT CAST(coalesce(sum(s.token_count), 0) AS bigint) FROM @context_items i
          JOIN @summaries s ON s.number = i.summary WHERE i.conversation = c.number),
       (SELECT CAST(coalesce(sum(s.source_tokens), 0) AS bigint) FROM @context_items i
          JOIN @summaries s ON s.number = i.summary WHERE i.conversation = c.number),
       (SELECT count(*) FROM @conversation_facts f WHERE f.conversation = c.number)
     FROM @conversations c ORDER BY c.conversation_id"
        .replace('@', schema)
}
