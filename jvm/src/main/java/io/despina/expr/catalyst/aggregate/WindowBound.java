package io.despina.expr.catalyst.aggregate;

import io.despina.expr.WindowFacts;
import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Leaf;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** A field of a row's window, or its last microsecond. */
final class WindowBound extends Leaf {
    private static final long serialVersionUID = 1L;
    /** Its last microsecond. */
    static final WindowBound TIME = new WindowBound("time", DataTypes.TimestampType);

    private final String field;

    private WindowBound(String field, DataType type) {
        super(type, false);
        this.field = field;
    }

    /** @param field one of {@link io.despina.expr.WindowNames#fields} */
    static WindowBound of(Column field) {
        return new WindowBound(field.name(), SparkTypes.spark(field.type()));
    }

    @Override
    protected String nullCode() {
        return "false";
    }

    @Override
    protected String valueCode(CodegenContext ctx) {
        return switch (field) {
            case "time" -> "(inputRow.window.end - 1L)";
            case "final" -> "inputRow.window.last";
            default -> "inputRow.window." + field;
        };
    }

    @Override
    public Object eval(InternalRow row) {
        WindowFacts window = ((InputRow) row).window;
        return switch (field) {
            case "start" -> window.start;
            case "end" -> window.end;
            case "from" -> window.from;
            case "to" -> window.to;
            case "revision" -> window.revision;
            case "final" -> window.last;
            default -> window.end - 1;
        };
    }

    @Override
    protected Object identity() {
        return field;
    }

    @Override
    public String toString() {
        return "window." + field;
    }
}
