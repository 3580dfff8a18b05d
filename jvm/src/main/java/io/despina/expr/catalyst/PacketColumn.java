package io.despina.expr.catalyst;

import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataType;

/** A column of one of the inputs. Generated code reads it from the packet in the field {@code in0}, {@code in1} … */
final class PacketColumn extends Leaf {
    private static final long serialVersionUID = 1L;

    final int input;
    final int ordinal;
    private transient ValueType type;

    PacketColumn(int input, int ordinal, DataType dataType, boolean nullable) {
        super(dataType, nullable);
        this.input = input;
        this.ordinal = ordinal;
    }

    ValueType type() {
        if (type == null) {
            type = ValueType.of(SparkTypes.type(dataType()));
        }
        return type;
    }

    static String field(int input) {
        return "in" + input;
    }

    @Override
    public Object eval(InternalRow row) {
        Packet packet = ((InputRow) row).packets[input];
        return type().read(packet, ordinal);
    }

    @Override
    String nullCode() {
        return field(input) + ".isNull(" + ordinal + ")";
    }

    @Override
    String valueCode(CodegenContext ctx) {
        if (type().type instanceof Type.Void) {
            return "(Object) null";
        }
        if (type().stored instanceof Type.Simple simple) {
            String at = "(" + ordinal + ")";
            String in = field(input);
            return switch (simple) {
                case BOOLEAN -> in + ".getBoolean" + at;
                case TINYINT -> in + ".getByte" + at;
                case SMALLINT -> in + ".getShort" + at;
                case INT, DATE -> in + ".getInt" + at;
                case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> in + ".getLong" + at;
                case FLOAT -> in + ".getFloat" + at;
                case DOUBLE -> in + ".getDouble" + at;
                case STRING -> ValueType.class.getName() + ".string(" + in + ", " + ordinal + ")";
                case BINARY -> in + ".copyOfValue" + at;
            };
        }
        String reader = ctx.addReferenceObj("type", type(), ValueType.class.getName());
        return "(" + CodeGenerator.javaType(dataType()) + ") " + reader + ".read(" + field(input) + ", " + ordinal + ")";
    }

    @Override
    Object identity() {
        return List.of(input, ordinal);
    }

    @Override
    public String toString() {
        return field(input) + "[" + ordinal + "]";
    }
}
