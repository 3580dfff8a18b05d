package io.despina.operator.database.sink;

import io.despina.operator.database.JdbcValues;
import io.despina.packet.Packet;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.time.Instant;
import java.time.ZoneId;

/** Writes one column's values as PostgreSQL has them in binary. */
interface BinaryValue {
    /** A numeric has fewer bytes than so many times the packet. */
    int NUMERIC_FACTOR = 4;

    /**
     * Writes a value that is not NULL.
     *
     * @return how many bytes
     * @throws IllegalArgumentException if it does not fit the column
     */
    int put(Packet row, int column, byte[] to, int at);

    /** @return null if that type is not written so */
    static BinaryValue of(Type type, TargetTable.Target target, ZoneId zone) {
        String name = target.typeName();
        if (type instanceof Type.Decimal decimal) {
            return name.equals("numeric") ? (row, column, to, at) -> decimal.width() == Type.VARIABLE
                    ? BinaryNumeric.put(JdbcValues.decimal(row, column, decimal), to, at)
                    : BinaryNumeric.put(row.getLong(column), decimal.scale(), to, at) : null;
        }
        return switch ((Simple) type) {
            case BOOLEAN -> !name.equals("bool") ? null : (row, column, to, at) -> {
                to[at] = (byte) (row.getBoolean(column) ? 1 : 0);
                return 1;
            };
            case TINYINT -> whole(target, Packet::getByte);
            case SMALLINT -> whole(target, Packet::getShort);
            case INT -> whole(target, Packet::getInt);
            case BIGINT -> whole(target, Packet::getLong);
            case FLOAT -> name.equals("float4") ? (row, column, to, at) -> {
                PostgresBytes.putInt(to, at, Float.floatToRawIntBits(row.getFloat(column)));
                return Integer.BYTES;
            } : name.equals("float8") ? real(Packet::getFloat) : null;
            case DOUBLE -> name.equals("float8") ? real(Packet::getDouble) : null;
            case STRING -> name.equals("text") || name.equals("varchar") || name.equals("bpchar") || name.equals("json")
                    ? BinaryValue::bytes : null;
            case BINARY -> name.equals("bytea") ? BinaryValue::bytes : null;
            case DATE -> !name.equals("date") ? null : (row, column, to, at) -> {
                PostgresBytes.putInt(to, at, PostgresTime.day(row.getInt(column)));
                return Integer.BYTES;
            };
            case TIMESTAMP -> name.equals("timestamptz") ? BinaryValue::micros : name.equals("timestamp") ? local(zone) : null;
            case TIMESTAMP_NTZ -> name.equals("timestamp") ? BinaryValue::micros : null;
        };
    }

    /** A whole number of a packet. */
    interface Whole {
        long of(Packet row, int column);
    }

    /** Another number. */
    interface Real {
        double of(Packet row, int column);
    }

    private static BinaryValue whole(TargetTable.Target target, Whole value) {
        return switch (target.typeName()) {
            case "int2" -> (row, column, to, at) -> {
                PostgresBytes.putShort(to, at, (int) within(value.of(row, column), Short.MIN_VALUE, Short.MAX_VALUE, target));
                return Short.BYTES;
            };
            case "int4" -> (row, column, to, at) -> {
                PostgresBytes.putInt(to, at, (int) within(value.of(row, column), Integer.MIN_VALUE, Integer.MAX_VALUE, target));
                return Integer.BYTES;
            };
            case "int8" -> (row, column, to, at) -> {
                PostgresBytes.putLong(to, at, value.of(row, column));
                return Long.BYTES;
            };
            case "float8" -> real((row, column) -> value.of(row, column));
            case "numeric" -> (row, column, to, at) -> BinaryNumeric.put(value.of(row, column), 0, to, at);
            default -> null;
        };
    }

    private static long within(long value, long least, long most, TargetTable.Target target) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("column `" + target.name() + "`: " + value + " does not fit "
                    + target.typeName());
        }
        return value;
    }

    private static BinaryValue real(Real value) {
        return (row, column, to, at) -> {
            PostgresBytes.putLong(to, at, Double.doubleToRawLongBits(value.of(row, column)));
            return Long.BYTES;
        };
    }

    private static int bytes(Packet row, int column, byte[] to, int at) {
        int from = row.valueStart(column);
        int length = row.valueEnd() - from;
        System.arraycopy(row.bytes(), from, to, at, length);
        return length;
    }

    private static int micros(Packet row, int column, byte[] to, int at) {
        PostgresBytes.putLong(to, at, PostgresTime.micros(row.getLong(column)));
        return Long.BYTES;
    }

    /** What clocks of the zone show. */
    private static BinaryValue local(ZoneId zone) {
        long second = PostgresTime.MICROS_PER_SECOND;
        return (row, column, to, at) -> {
            long micros = row.getLong(column);
            int offset = zone.getRules().getOffset(Instant.ofEpochSecond(Math.floorDiv(micros, second))).getTotalSeconds();
            PostgresBytes.putLong(to, at, PostgresTime.micros(Math.addExact(micros, offset * second)));
            return Long.BYTES;
        };
    }
}
