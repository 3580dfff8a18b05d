package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Leaf;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataTypes;

/** Start, end, or last microsecond of a row's window. */
final class WindowBound extends Leaf {
    private static final long serialVersionUID = 1L;

    /** The bound, with the code that reads it from the field {@code inputRow}. */
    enum Bound {
        START("inputRow.windowStart"), END("inputRow.windowEnd"), TIME("(inputRow.windowEnd - 1L)");

        private final String code;

        Bound(String code) {
            this.code = code;
        }
    }

    private final Bound bound;

    WindowBound(Bound bound) {
        super(DataTypes.TimestampType, false);
        this.bound = bound;
    }

    @Override
    protected String nullCode() {
        return "false";
    }

    @Override
    protected String valueCode(CodegenContext ctx) {
        return bound.code;
    }

    @Override
    public Object eval(InternalRow row) {
        InputRow input = (InputRow) row;
        return bound == Bound.START ? input.windowStart : bound == Bound.END ? input.windowEnd : input.windowEnd - 1;
    }

    @Override
    protected Object identity() {
        return bound;
    }

    @Override
    public String toString() {
        return "window." + bound;
    }
}
