package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** A few numbers that belong to the operator as a whole: its watermark, how far it has emitted. */
public final class Numbers implements State {
    private static final String KIND = "numbers";

    private final String name;
    private final long[] values;

    /** @param initial one value per number, told apart by their index */
    public Numbers(String name, long... initial) {
        this.name = name;
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
    public long bytes() {
        return (long) values.length * Long.BYTES;
    }

    @Override
    public void snapshot(DataOutput out) throws IOException {
        StateFormat.writeHeader(out, KIND, Integer.toString(values.length));
        for (long value : values) {
            out.writeLong(value);
        }
        StateFormat.writeEnd(out);
    }

    @Override
    public void restore(DataInput in) throws IOException {
        StateFormat.checkHeader(in, name, KIND, Integer.toString(values.length));
        for (int k = 0; k < values.length; k++) {
            values[k] = in.readLong();
        }
        StateFormat.checkEnd(in, name);
    }
}
