package io.despina.expr.catalyst.codegen;

import io.despina.expr.catalyst.analysis.ScopePlan;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueType;
import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataType;

/** A column of one of the inputs. Generated code reads it from the packet in the field {@code in0}, {@code in1} … */
public final class PacketColumn extends Leaf {
    private static final long serialVersionUID = 1L;

    public final int input;
    public final int ordinal;
    private transient ValueType type;

    public PacketColumn(int input, int ordinal, DataType dataType, boolean nullable) {
        super(dataType, nullable);
        this.input = input;
        this.ordinal = ordinal;
    }

    /** The columns of all inputs, by the attributes that stand for them in a plan. */
    public static Map<ExprId, PacketColumn> of(ScopePlan inputs) {
        Map<ExprId, PacketColumn> columns = new HashMap<>();
        for (int input = 0; input < inputs.inputs(); input++) {
            List<AttributeReference> attributes = inputs.attributes(input);
            for (int k = 0; k < attributes.size(); k++) {
                AttributeReference a = attributes.get(k);
                columns.put(a.exprId(), new PacketColumn(input, k, a.dataType(), a.nullable()));
            }
        }
        return columns;
    }

    /** The ordinals of these columns over all inputs. */
    public static Set<Integer> ordinals(List<PacketColumn> of, ScopePlan inputs) {
        return of.stream().map(column -> inputs.ordinal(inputs.attributes(column.input).get(column.ordinal).exprId()))
                .collect(Collectors.toSet());
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
    protected String nullCode() {
        return field(input) + ".isNull(" + ordinal + ")";
    }

    @Override
    protected String valueCode(CodegenContext ctx) {
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
    protected Object identity() {
        return List.of(input, ordinal);
    }

    @Override
    public String toString() {
        return field(input) + "[" + ordinal + "]";
    }
}
