package io.despina.operator.user;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;

/** Keeps the number of each key's last row of port {@code more}; rows of {@code in} that know one leave by {@code known}. */
public final class KnownBefore implements RowOperator {
    private RowState state;
    private RowWriter known;

    @Override
    public String state() {
        return "id BIGINT";
    }

    @Override
    public void open(Context context) {
        state = context.state();
        known = context.writer("known");
    }

    @Override
    public void process(Row row, RowWriter out) {
        int id = row.columns().index("id");
        if (state.exists()) {
            known.begin().copy(0, row, id).copy(1, state.get(), 0).commit();
        } else {
            out.begin().copy(0, row, id).commit();
        }
    }

    @Override
    public void process(String port, Row row, RowWriter out) {
        state.put().copy(0, row, row.columns().index("id")).commit();
    }

    @Override
    public void end(RowWriter out) {
        known.begin().copy(1, state.get(), 0).commit();
    }
}
