"""NEXMark's queries on every engine that has them: the same events, the same rows, and what a million events cost."""
