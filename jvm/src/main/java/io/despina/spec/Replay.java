package io.despina.spec;

/**
 * The pace at which the records of files leave.
 *
 * @param speed the factor over the original speed, by event time; 0 for as fast as possible
 */
public record Replay(double speed) {
    public static final Replay AS_FAST_AS_POSSIBLE = new Replay(0);

    /** Whether records wait for their event times. */
    public boolean isByEventTime() {
        return speed > 0;
    }
}
