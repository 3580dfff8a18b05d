package io.despina.spec;

/**
 * How an instance of an operator stands at an instant. What is said of its task holds for all operators that are fused into it.
 *
 * @param pause what it cannot go on for; null if nothing is in its way
 * @param queue what waits for its task
 * @param state what it keeps
 */
public record InstanceStatus(String operator, int instance, Doing doing, Pause pause, Queue queue, State state) {
    /** Of a number that nobody knows now. */
    public static final long UNKNOWN = -1;

    /** What its task does. */
    public enum Doing {
        /** It has not begun, as it waits for files or servers. */
        OPENING,
        /** It has something to do. */
        RUNNING,
        /** It has nothing to do before packets come, its schedule is due, or something outside answers. */
        WAITING,
        /** What it sends to has no room. */
        PAUSED,
        /** A source that a user has told to hold. */
        HELD,
        /** Its input has ended. */
        ENDED
    }

    /**
     * A link of its task that has no room.
     *
     * @param by     the instance that has not taken what was sent, {@code slow[0]}
     * @param millis for how long
     */
    public record Pause(String by, long millis) {
    }

    /**
     * Segments that have come and wait; fused operators have no queue of their own.
     *
     * @param millis how long its task takes for them, as fast as it took the last ones; {@link #UNKNOWN} if it has not been busy
     */
    public record Queue(long bytes, long millis) {
    }

    /**
     * What the operator keeps.
     *
     * @param keys      {@link #UNKNOWN} while it is in a call that takes long
     * @param watermark microseconds since 1970; {@link Long#MIN_VALUE} if it has none, {@link Long#MAX_VALUE} at the end
     */
    public record State(long bytes, long keys, long watermark) {

        /** Whether there is an instant that event time has come to. */
        public boolean hasWatermark() {
            return watermark != Long.MIN_VALUE && watermark != Long.MAX_VALUE;
        }
    }
}
