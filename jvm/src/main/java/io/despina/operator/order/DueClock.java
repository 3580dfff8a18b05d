package io.despina.operator.order;

import static io.despina.spec.Never.NEVER;

import io.despina.state.EventClock;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** The clock of a key in {@link DueClocks}. Which groups go by it is not stored; the groups say whose they are. */
public final class DueClock extends EventClock {
    static final ValueFormat<DueClock> FORMAT = new Format();
    private static final int OBJECT_BYTES = 96;
    private static final int FIRST = 2;

    /** Its entry in the table of clocks. */
    int entry;
    /** When the first of its groups is due. */
    long due = NEVER;
    /** How many groups have been asked for what is due then. */
    int asked;
    private int[] groups = new int[FIRST];
    private int count;

    DueClock() {
    }

    int count() {
        return count;
    }

    /** The entry of the k-th group. */
    int group(int k) {
        return groups[k];
    }

    void add(int group) {
        if (count == groups.length) {
            groups = Arrays.copyOf(groups, 2 * count);
        }
        groups[count++] = group;
    }

    /** Removes the k-th; the last takes its place. */
    void removeAt(int k) {
        groups[k] = groups[--count];
    }

    private static final class Format implements ValueFormat<DueClock> {
        @Override
        public String schema() {
            return SCHEMA;
        }

        @Override
        public void write(DueClock value, DataOutput out) throws IOException {
            value.write(out);
        }

        @Override
        public DueClock read(DataInput in) throws IOException {
            DueClock clock = new DueClock();
            clock.read(in);
            return clock;
        }

        @Override
        public long bytes(DueClock value) {
            return OBJECT_BYTES + (long) value.groups.length * Integer.BYTES;
        }
    }
}
