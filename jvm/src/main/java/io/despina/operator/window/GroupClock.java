package io.despina.operator.window;

import io.despina.state.EventClock;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** The clock of a key, and which groups of the key have open windows. Only the clock is stored; the groups say whose they are. */
final class GroupClock extends EventClock {
    static final ValueFormat<GroupClock> FORMAT = new Format();
    /** For {@link #firstEnd}: no window is open. */
    static final long NO_END = Long.MAX_VALUE;
    private static final int OBJECT_BYTES = 88;
    private static final int FIRST = 2;

    /** Its entry in the table of clocks. */
    int entry;
    /** The least end of an open window. */
    long firstEnd = NO_END;
    /** The start of the last window of the packet before. The next one mostly has the same, which saves a slow division. */
    long lastStart;
    /** How many groups have been asked for the rows of the windows that end first. */
    int asked;
    private int[] groups = new int[FIRST];
    private int count;

    GroupClock(long lastStart) {
        this.lastStart = lastStart;
    }

    /** How many groups have open windows. */
    int count() {
        return count;
    }

    /** The entry of the k-th. */
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

    private static final class Format implements ValueFormat<GroupClock> {
        @Override
        public String schema() {
            return SCHEMA;
        }

        @Override
        public void write(GroupClock value, DataOutput out) throws IOException {
            value.write(out);
        }

        @Override
        public GroupClock read(DataInput in) throws IOException {
            GroupClock clock = new GroupClock(0);
            clock.read(in);
            return clock;
        }

        @Override
        public long bytes(GroupClock value) {
            return OBJECT_BYTES + (long) value.groups.length * Integer.BYTES;
        }
    }
}
