package io.despina.state;

import java.io.DataOutput;
import java.io.IOException;

/** A few numbers that belong to the operator as a whole, such as its watermark or its progress. */
public final class NamedNumbers implements State {
    private final String name;
    private final long[] initial;
    private final long[] values;
    private boolean restored;

    /** @param initial one value per number; the index identifies the number */
    public NamedNumbers(String name, long... initial) {
        this.name = name;
        this.initial = initial.clone();
        values = initial.clone();
    }

    public long get(int index) {
        return values[index];
    }

    public void set(int index, long value) {
        values[index] = value;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.LEAST;
    }

    @Override
    public String schema() {
        return values.length + " numbers";
    }

    @Override
    public long bytes() {
        return (long) values.length * Long.BYTES;
    }

    @Override
    public Frozen freeze() {
        long[] now = values.clone();
        return to -> {
            DataOutput entry = to.beginEntry(SectionWriter.NO_BUCKET);
            for (long value : now) {
                entry.writeLong(value);
            }
            to.endEntry();
            return true;
        };
    }

    @Override
    public void clear() {
        System.arraycopy(initial, 0, values, 0, values.length);
        restored = false;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        for (int k = 0; k < values.length; k++) {
            long value = entry.data().readLong();
            values[k] = restored ? Math.min(values[k], value) : value;
        }
        restored = true;
    }
}
