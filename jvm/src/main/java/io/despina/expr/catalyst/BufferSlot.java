package io.despina.expr.catalyst;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataType;

/** One buffer column of an aggregate. Generated code finds it in the fields {@code slots} and {@code other}. */
final class BufferSlot extends Leaf {
    private static final long serialVersionUID = 1L;

    /** Whether it is read from the buffers that a merge adds. */
    final boolean other;
    /** Index into {@link Slots#longs} and {@link Slots#nulls}, or into {@link Slots#objects}. */
    final int slot;

    BufferSlot(boolean other, int slot, DataType dataType, boolean nullable) {
        super(dataType, nullable);
        this.other = other;
        this.slot = slot;
    }

    /** Whether a value of that type lies as bits in {@link Slots#longs}. */
    static boolean isPrimitive(DataType type) {
        return CodeGenerator.isPrimitiveType(type);
    }

    /** Java text for the bits of {@code value}. */
    static String toBits(DataType type, String value) {
        return switch (CodeGenerator.javaType(type)) {
            case "boolean" -> "(" + value + " ? 1L : 0L)";
            case "float" -> "(long) Float.floatToRawIntBits(" + value + ")";
            case "double" -> "Double.doubleToRawLongBits(" + value + ")";
            default -> "(long) " + value;
        };
    }

    private static long toBits(Object value) {
        if (value instanceof Boolean b) {
            return b ? 1 : 0;
        }
        if (value instanceof Float f) {
            return Float.floatToRawIntBits(f);
        }
        return value instanceof Double d ? Double.doubleToRawLongBits(d) : ((Number) value).longValue();
    }

    /** Stores a value, boxed, or null. */
    void put(Slots into, Object value) {
        if (!isPrimitive(dataType())) {
            into.objects[slot] = value;
            return;
        }
        into.nulls[slot] = value == null;
        into.longs[slot] = value == null ? 0 : toBits(value);
    }

    @Override
    String nullCode() {
        return isPrimitive(dataType()) ? field() + ".nulls[" + slot + "]" : field() + ".objects[" + slot + "] == null";
    }

    @Override
    String valueCode(CodegenContext ctx) {
        String java = CodeGenerator.javaType(dataType());
        String bits = field() + ".longs[" + slot + "]";
        return switch (java) {
            case "boolean" -> "(" + bits + " != 0L)";
            case "float" -> "Float.intBitsToFloat((int) " + bits + ")";
            case "double" -> "Double.longBitsToDouble(" + bits + ")";
            case "long" -> bits;
            case "byte", "short", "int" -> "(" + java + ") " + bits;
            default -> "(" + java + ") " + field() + ".objects[" + slot + "]";
        };
    }

    private String field() {
        return other ? "other" : "slots";
    }

    @Override
    public Object eval(InternalRow row) {
        Slots from = other ? ((InputRow) row).other : ((InputRow) row).slots;
        if (!isPrimitive(dataType())) {
            return from.objects[slot];
        }
        if (nullable() && from.nulls[slot]) {
            return null;
        }
        long bits = from.longs[slot];
        return switch (CodeGenerator.javaType(dataType())) {
            case "boolean" -> bits != 0;
            case "byte" -> (byte) bits;
            case "short" -> (short) bits;
            case "int" -> (int) bits;
            case "float" -> Float.intBitsToFloat((int) bits);
            case "double" -> Double.longBitsToDouble(bits);
            default -> bits;
        };
    }

    @Override
    Object identity() {
        return List.of(other, slot, isPrimitive(dataType()));
    }

    @Override
    public String toString() {
        return field() + "[" + slot + "]";
    }
}
