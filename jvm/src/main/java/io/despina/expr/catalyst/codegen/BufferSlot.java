package io.despina.expr.catalyst.codegen;

import io.despina.packet.Bytes;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.types.DataType;

/** One buffer column of an aggregate. Generated code finds it in the fields {@code slots} and {@code other}. */
public final class BufferSlot extends Leaf {
    private static final long serialVersionUID = 1L;
    private static final String BYTES = Bytes.class.getName();

    /** Whether it belongs to the other buffers of a merge. */
    final boolean other;
    public final SlotPlace place;

    private BufferSlot(boolean other, SlotPlace place, AttributeReference type) {
        super(type.dataType(), type.nullable());
        this.other = other;
        this.place = place;
    }

    int slot() {
        return place.slot();
    }

    /** The same place in the other buffers of a merge. */
    public BufferSlot ofOther(AttributeReference type) {
        return new BufferSlot(true, place, type);
    }

    /** Assigns places. Numbers and null flags are in 8-byte words, so that numbers are aligned. */
    public static final class SlotAllocator implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        private int width;
        private int objects;
        private int nextFlag;

        public BufferSlot next(AttributeReference type) {
            if (!isPrimitive(type.dataType())) {
                return new BufferSlot(false, new SlotPlace(nextObject(), SlotPlace.NO_FLAG), type);
            }
            return new BufferSlot(false, new SlotPlace(nextWord(), type.nullable() ? nextFlag() : SlotPlace.NO_FLAG), type);
        }

        public int nextObject() {
            return objects++;
        }

        private int nextWord() {
            width += Long.BYTES;
            return width - Long.BYTES;
        }

        private int nextFlag() {
            if (nextFlag % Long.BYTES == 0) {
                nextFlag = nextWord();
            }
            return nextFlag++;
        }

        /** Bytes of all primitives and their null flags. */
        public int width() {
            return width;
        }

        public int objects() {
            return objects;
        }
    }

    /** Whether a value of that type is stored as bits in {@link Slots#bytes}. */
    public static boolean isPrimitive(DataType type) {
        return CodeGenerator.isPrimitiveType(type);
    }

    /** Java text that stores {@code value}, or null, in a primitive. */
    String store(String isNull, String value) {
        String storeFlag = place.flag() == SlotPlace.NO_FLAG ? "" : field() + ".bytes[" + field() + ".at + " + place.flag()
                + "] = (byte) (" + isNull + " ? 1 : 0);\n";
        return storeFlag + BYTES + ".putLong(" + field() + ".bytes, " + field() + ".at + " + slot() + ", "
                + toBits(dataType(), value) + ");\n";
    }

    /** Java text for the bits of {@code value}. */
    private static String toBits(DataType type, String value) {
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
    public void put(Slots into, Object value) {
        if (!isPrimitive(dataType())) {
            into.objects[slot()] = value;
            return;
        }
        place.put(into, value == null, value == null ? 0 : toBits(value));
    }

    @Override
    protected String nullCode() {
        return isPrimitive(dataType()) ? field() + ".bytes[" + field() + ".at + " + place.flag() + "] != 0"
                : field() + ".objects[" + slot() + "] == null";
    }

    @Override
    protected String valueCode(CodegenContext ctx) {
        String java = CodeGenerator.javaType(dataType());
        String bits = BYTES + ".getLong(" + field() + ".bytes, " + field() + ".at + " + slot() + ")";
        return switch (java) {
            case "boolean" -> "(" + bits + " != 0L)";
            case "float" -> "Float.intBitsToFloat((int) " + bits + ")";
            case "double" -> "Double.longBitsToDouble(" + bits + ")";
            case "long" -> bits;
            case "byte", "short", "int" -> "(" + java + ") " + bits;
            default -> "(" + java + ") " + field() + ".objects[" + slot() + "]";
        };
    }

    private String field() {
        return other ? "other" : "slots";
    }

    @Override
    public Object eval(InternalRow row) {
        Slots from = other ? ((InputRow) row).other : ((InputRow) row).slots;
        if (!isPrimitive(dataType())) {
            return from.objects[slot()];
        }
        if (place.isNull(from)) {
            return null;
        }
        long bits = place.bits(from);
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
    protected Object identity() {
        return List.of(other, slot(), isPrimitive(dataType()));
    }

    @Override
    public String toString() {
        return field() + "[" + slot() + "]";
    }
}
