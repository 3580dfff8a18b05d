package com.acme;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;

/**
 * Passes a reading on if it differs from the last one that was passed on for the same device, by at least the option
 * {@code least}. Its rows are {@code ts TIMESTAMP, device STRING, celsius DOUBLE, change DOUBLE}; of the first reading,
 * {@code change} is NULL.
 */
public final class Changes implements RowOperator {
    private static final int LAST = 0;
    private static final int CHANGE = 3;

    private double least;
    private RowState state;
    private int ts;
    private int device;
    private int celsius;

    /** Kept for each device: the reading that was passed on last. */
    @Override
    public String state() {
        return "last DOUBLE NOT NULL";
    }

    @Override
    public void open(Context context) {
        least = Double.parseDouble(context.option("least"));
        state = context.state();
        ts = context.input().index("ts");
        device = context.input().index("device");
        celsius = context.input().index("celsius");
    }

    @Override
    public void process(Row row, RowWriter out) {
        if (row.isNull(celsius)) {
            throw new IllegalArgumentException("a reading without a value");
        }
        double value = row.getDouble(celsius);
        boolean first = !state.exists();
        double last = first ? 0 : state.get().getDouble(LAST);
        if (!first && !isChange(last, value, least)) {
            return;
        }
        out.begin().copy(0, row, ts).copy(1, row, device).setDouble(2, value);
        if (!first) {
            out.setDouble(CHANGE, value - last);
        }
        out.commit();
        state.put().setDouble(LAST, value).commit();
    }

    static boolean isChange(double last, double value, double least) {
        return Math.abs(value - last) >= least;
    }
}
