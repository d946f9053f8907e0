python3 DIR --gold DIR$1.jsonl --edges DIR$1.$2.jsonl --slice src ${3:+--show $3}
