package io.despina.redis;

import java.nio.charset.StandardCharsets;

/** The id of an entry: milliseconds and a number among those, both without a sign. */
record EntryId(long millis, long number) implements Comparable<EntryId> {
    static final EntryId NONE = new EntryId(0, 0);

    static EntryId of(String text) {
        int dash = text.indexOf('-');
        return new EntryId(Long.parseUnsignedLong(text.substring(0, dash)), Long.parseUnsignedLong(text.substring(dash + 1)));
    }

    /** As the server says it; null for none. */
    static EntryId of(Object answer) {
        return answer == null ? null : of(new String((byte[]) answer, StandardCharsets.US_ASCII));
    }

    /** The last one before that instant. */
    static EntryId before(long millis) {
        return millis <= 0 ? NONE : new EntryId(millis - 1, -1);
    }

    /** The last id that is less. */
    EntryId previous() {
        return number == 0 ? new EntryId(millis - 1, -1) : new EntryId(millis, number - 1);
    }

    boolean isBehind(EntryId other) {
        return compareTo(other) > 0;
    }

    @Override
    public int compareTo(EntryId other) {
        int first = Long.compareUnsigned(millis, other.millis);
        return first == 0 ? Long.compareUnsigned(number, other.number) : first;
    }

    byte[] bytes() {
        return toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(millis) + "-" + Long.toUnsignedString(number);
    }
}
