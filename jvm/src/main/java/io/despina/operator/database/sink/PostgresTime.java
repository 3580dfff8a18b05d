package io.despina.operator.database.sink;

/** Times as PostgreSQL counts them: from the year 2000 on. The least and the greatest number are its infinities. */
final class PostgresTime {
    static final long MICROS_PER_SECOND = 1_000_000;
    private static final int DAYS = 10_957;
    private static final long MICROS = DAYS * 86_400L * MICROS_PER_SECOND;

    private PostgresTime() {
    }

    /** @param micros since 1970 */
    static long micros(long micros) {
        if (micros <= Long.MIN_VALUE + MICROS || micros == Long.MAX_VALUE) {
            throw new IllegalArgumentException("a time of " + micros + " microseconds is beyond what the database has");
        }
        return micros - MICROS;
    }

    /** @param day since 1970 */
    static int day(int day) {
        if (day <= Integer.MIN_VALUE + DAYS || day == Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a date of " + day + " days is beyond what the database has");
        }
        return day - DAYS;
    }
}
