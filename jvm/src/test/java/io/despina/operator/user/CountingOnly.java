package io.despina.operator.user;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;

/** Per key a count, in a state of fixed width. */
public final class CountingOnly implements RowOperator {
    private RowState state;

    @Override
    public String state() {
        return "count BIGINT NOT NULL";
    }

    @Override
    public void open(Context context) {
        state = context.state();
    }

    @Override
    public void process(Row row, RowWriter out) {
        long count = state.exists() ? state.get().getLong(0) : 0;
        state.put().setLong(0, count + 1).commit();
        out.begin().copy(0, state.key(), 0).setLong(1, state.get().getLong(0)).commit();
    }
}
