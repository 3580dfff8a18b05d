package io.despina.spec;

/** When a task may wait for something outside: meanwhile it is on a thread of the blocking tier and holds up nobody else. */
public enum Blocking {
    /** It never waits: it is opened and run by a worker. */
    NEVER,
    /** Opening it may wait. Then a worker runs it, unless an operator, once open, says that it blocks. */
    OPENING,
    /** Any call may wait: it has a thread of its own. */
    ALWAYS
}
