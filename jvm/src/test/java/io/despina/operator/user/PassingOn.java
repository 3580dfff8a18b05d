package io.despina.operator.user;

import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowWriter;

/** Every row as it came. */
public final class PassingOn implements RowOperator {

    @Override
    public void process(Row row, RowWriter out) {
        out.begin().copyAll(row).commit();
    }
}
