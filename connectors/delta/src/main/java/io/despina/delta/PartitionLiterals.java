package io.despina.delta;

import io.delta.kernel.expressions.Literal;
import io.delta.kernel.types.BooleanType;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.DateType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.ShortType;
import io.delta.kernel.types.StringType;
import java.time.LocalDate;

/** Values of partition columns for the kernel. */
final class PartitionLiterals {
    private PartitionLiterals() {
    }

    /** Whether a column of that type can be one. */
    static boolean has(DataType type) {
        return type instanceof StringType || type instanceof BooleanType || type instanceof ByteType || type instanceof ShortType
                || type instanceof IntegerType || type instanceof LongType || type instanceof DateType;
    }

    /** @param text null for NULL */
    static Literal of(DataType type, String text) {
        if (text == null) {
            return Literal.ofNull(type);
        }
        if (type instanceof BooleanType) {
            return Literal.ofBoolean(Boolean.parseBoolean(text));
        }
        if (type instanceof ByteType) {
            return Literal.ofByte(Byte.parseByte(text));
        }
        if (type instanceof ShortType) {
            return Literal.ofShort(Short.parseShort(text));
        }
        if (type instanceof IntegerType) {
            return Literal.ofInt(Integer.parseInt(text));
        }
        if (type instanceof LongType) {
            return Literal.ofLong(Long.parseLong(text));
        }
        return type instanceof DateType ? Literal.ofDate(Math.toIntExact(LocalDate.parse(text).toEpochDay()))
                : Literal.ofString(text);
    }
}
