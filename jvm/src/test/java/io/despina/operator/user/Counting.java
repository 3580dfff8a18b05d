package io.despina.operator.user;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;

/** Per key (k STRING) a count, and the texts of column k together; fails where n is 7, and forgets a key after five rows. */
public final class Counting implements RowOperator {
    private static final int MOST = 5;

    private RowState state;
    private int k;
    private int n;

    @Override
    public String state() {
        return "count BIGINT NOT NULL, texts STRING";
    }

    @Override
    public void open(Context context) {
        state = context.state();
        k = context.input().index("k");
        n = context.input().index("n");
    }

    @Override
    public void process(Row row, RowWriter out) {
        if (row.getInt(n) == 7) {
            throw new IllegalStateException("a seven");
        }
        long count = (state.exists() ? state.get().getLong(0) : 0) + 1;
        String kept = state.exists() ? state.get().getString(1) : "";
        out.begin().copy(0, row, k).setLong(1, count).setString(2, kept).commit();
        if (count == MOST) {
            state.remove();
            return;
        }
        state.put().setLong(0, count).setString(1, kept + (row.isNull(k) ? "-" : row.getString(k))).commit();
    }

    @Override
    public void end(RowWriter out) {
        out.begin().copy(0, state.key(), 0).setLong(1, -state.get().getLong(0)).commit();
    }
}
