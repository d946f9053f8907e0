-- Words are looked for in the messages themselves; what the table took is used again for what is stored next.

DROP TABLE message_terms;
