package io.despina.spec;

/**
 * Whether buckets of keys move by themselves to instances that have less to do.
 *
 * @param everyMillis how often it is looked at; 0 for never
 * @param worth       the least share of a thread's time that a move must take from the busiest instance
 */
public record Balance(long everyMillis, double worth) {
    public static final Balance NEVER = new Balance(0, 0);

    public boolean isOn() {
        return everyMillis > 0;
    }
}
