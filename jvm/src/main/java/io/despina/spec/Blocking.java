package io.despina.spec;

/** When a task may block. While it may, it runs on a thread of the blocking tier and does not delay other tasks. */
public enum Blocking {
    /** It never blocks: a worker opens and runs it. */
    NEVER,
    /** Opening may block. Afterwards a worker runs it, unless an open operator reports that it blocks. */
    OPENING,
    /** Any call may block: it has a thread of its own. */
    ALWAYS
}
