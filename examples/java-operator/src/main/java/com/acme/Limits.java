package com.acme;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;

/**
 * Takes readings at port {@code in} and limits, {@code device STRING, most DOUBLE}, at port {@code limits}. When both have ended,
 * a device whose greatest reading is over its limit has a row at port {@code over}: {@code device STRING, most DOUBLE,
 * allowed DOUBLE}. Any other has one at {@code out}: {@code device STRING, most DOUBLE}.
 */
public final class Limits implements RowOperator {
    private static final int MOST = 0;
    private static final int ALLOWED = 1;

    private RowState state;
    private RowWriter over;
    private int celsius;
    private int limit;

    /** Kept for each device: its greatest reading, and its limit. */
    @Override
    public String state() {
        return "most DOUBLE, allowed DOUBLE";
    }

    @Override
    public void open(Context context) {
        state = context.state();
        over = context.writer("over");
        celsius = context.input().index("celsius");
        limit = context.input("limits").index("most");
    }

    @Override
    public void process(Row row, RowWriter out) {
        if (!row.isNull(celsius) && (!isKnown(MOST) || row.getDouble(celsius) > state.get().getDouble(MOST))) {
            put(MOST, row.getDouble(celsius), ALLOWED);
        }
    }

    /** A limit. It may come before the readings of its device, or behind them. */
    @Override
    public void process(String port, Row row, RowWriter out) {
        put(ALLOWED, row.getDouble(limit), MOST);
    }

    private boolean isKnown(int column) {
        return state.exists() && !state.get().isNull(column);
    }

    /** Sets the one column of the state, and keeps the other. */
    private void put(int column, double value, int other) {
        boolean known = isKnown(other);
        double kept = known ? state.get().getDouble(other) : 0;
        RowWriter row = state.put().setDouble(column, value);
        if (known) {
            row.setDouble(other, kept);
        }
        row.commit();
    }

    @Override
    public void end(RowWriter out) {
        if (!isKnown(MOST)) {
            return;
        }
        double most = state.get().getDouble(MOST);
        if (isKnown(ALLOWED) && most > state.get().getDouble(ALLOWED)) {
            over.begin().copy(0, state.key(), 0).setDouble(1, most).setDouble(2, state.get().getDouble(ALLOWED)).commit();
        } else {
            out.begin().copy(0, state.key(), 0).setDouble(1, most).commit();
        }
    }
}
