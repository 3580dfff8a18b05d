package io.despina.log;

/**
 * The items of a log that a job needs when it goes on.
 *
 * @param from the first
 * @param to   behind the last: what follows is dropped, because the job will append it again
 */
public record LogRange(long from, long to) {
    /** Everything that is there. */
    public static final LogRange ALL = new LogRange(0, Long.MAX_VALUE);

    /** Everything from that item on. */
    public static LogRange from(long number) {
        return new LogRange(number, Long.MAX_VALUE);
    }
}
