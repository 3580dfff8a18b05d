package io.despina.operator.database;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.TimeZone;

/** Columns of packets as parameters of a statement, and columns of its result as those of packets. */
public final class JdbcValues {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final int NANOS_PER_MICRO = 1_000;

    /** Of TIMESTAMP. */
    private final Calendar zoned;
    /** Of TIMESTAMP_NTZ. */
    private final Calendar plain = Calendar.getInstance(TimeZone.getTimeZone(ZoneOffset.UTC));

    /** @param zone of time stamps that the database keeps without one */
    public JdbcValues(ZoneId zone) {
        zoned = Calendar.getInstance(TimeZone.getTimeZone(zone));
    }

    /** Whether a column of that type can be a parameter or come out of a database. */
    public static boolean has(Type type) {
        return type instanceof Type.Simple || type instanceof Type.Decimal;
    }

    /** Sets parameter {@code at}, from 1, to a column of a packet. */
    public void bind(PreparedStatement to, int at, Packet packet, int column) throws SQLException {
        Type type = packet.layout().type(column);
        if (packet.isNull(column)) {
            bindNull(to, at, type);
        } else if (type instanceof Type.Decimal decimal) {
            to.setBigDecimal(at, decimal(packet, column, decimal));
        } else {
            bindSimple(to, at, packet, column);
        }
    }

    static void bindNull(PreparedStatement to, int at, Type type) throws SQLException {
        to.setNull(at, sqlType(type));
    }

    public static BigDecimal decimal(Packet packet, int column, Type.Decimal type) {
        return type.width() == Type.VARIABLE ? new BigDecimal(new BigInteger(packet.copyOfValue(column)), type.scale())
                : BigDecimal.valueOf(packet.getLong(column), type.scale());
    }

    private void bindSimple(PreparedStatement to, int at, Packet packet, int column) throws SQLException {
        switch ((Type.Simple) packet.layout().type(column)) {
            case BOOLEAN -> to.setBoolean(at, packet.getBoolean(column));
            case TINYINT -> to.setShort(at, packet.getByte(column));
            case SMALLINT -> to.setShort(at, packet.getShort(column));
            case INT -> to.setInt(at, packet.getInt(column));
            case BIGINT -> to.setLong(at, packet.getLong(column));
            case FLOAT -> to.setFloat(at, packet.getFloat(column));
            case DOUBLE -> to.setDouble(at, packet.getDouble(column));
            case STRING -> to.setString(at, new String(packet.copyOfValue(column), StandardCharsets.UTF_8));
            case BINARY -> to.setBytes(at, packet.copyOfValue(column));
            case DATE -> to.setDate(at, Date.valueOf(LocalDate.ofEpochDay(packet.getInt(column))));
            case TIMESTAMP -> to.setTimestamp(at, timestamp(packet.getLong(column)), zoned);
            case TIMESTAMP_NTZ -> to.setTimestamp(at, timestamp(packet.getLong(column)), plain);
        }
    }

    private static Timestamp timestamp(long micros) {
        Timestamp time = new Timestamp(Math.floorDiv(micros, MICROS_PER_SECOND) * MILLIS_PER_SECOND);
        time.setNanos((int) Math.floorMod(micros, MICROS_PER_SECOND) * NANOS_PER_MICRO);
        return time;
    }

    private static int sqlType(Type type) {
        if (type instanceof Type.Decimal) {
            return Types.DECIMAL;
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> Types.BOOLEAN;
            case TINYINT, SMALLINT -> Types.SMALLINT;
            case INT -> Types.INTEGER;
            case BIGINT -> Types.BIGINT;
            case FLOAT -> Types.REAL;
            case DOUBLE -> Types.DOUBLE;
            case STRING -> Types.VARCHAR;
            case BINARY -> Types.BINARY;
            case DATE -> Types.DATE;
            case TIMESTAMP, TIMESTAMP_NTZ -> Types.TIMESTAMP;
        };
    }

    /** Sets all columns of a packet to those of the result's row, by their places. */
    public void read(ResultSet from, Schema schema, PacketWriter to) throws SQLException {
        if (from.getMetaData().getColumnCount() != schema.size()) {
            throw new SQLException("the database gave " + from.getMetaData().getColumnCount() + " columns, and the schema has "
                    + schema.size());
        }
        for (int k = 0; k < schema.size(); k++) {
            if (schema.column(k).type() instanceof Type.Decimal decimal) {
                readDecimal(from.getBigDecimal(k + 1), decimal, to, k);
            } else {
                readSimple(from, (Type.Simple) schema.column(k).type(), to, k);
            }
            if (from.wasNull()) {
                to.setNull(k);
            }
        }
    }

    private static void readDecimal(BigDecimal found, Type.Decimal type, PacketWriter to, int column) throws SQLException {
        if (found == null) {
            return;
        }
        BigDecimal scaled = found.setScale(type.scale(), RoundingMode.HALF_UP);
        if (scaled.precision() > type.precision()) {
            throw new SQLException(found + " does not fit " + type.sql());
        }
        if (type.width() == Type.VARIABLE) {
            bytes(to, column, scaled.unscaledValue().toByteArray());
        } else {
            to.setLong(column, scaled.unscaledValue().longValue());
        }
    }

    private void readSimple(ResultSet from, Type.Simple type, PacketWriter to, int column) throws SQLException {
        int at = column + 1;
        switch (type) {
            case BOOLEAN -> to.setBoolean(column, from.getBoolean(at));
            case TINYINT -> to.setByte(column, (byte) whole(from, at, Byte.MIN_VALUE, Byte.MAX_VALUE));
            case SMALLINT -> to.setShort(column, (short) whole(from, at, Short.MIN_VALUE, Short.MAX_VALUE));
            case INT -> to.setInt(column, (int) whole(from, at, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case BIGINT -> to.setLong(column, from.getLong(at));
            case FLOAT -> to.setFloat(column, from.getFloat(at));
            case DOUBLE -> to.setDouble(column, from.getDouble(at));
            case STRING -> text(to, column, from.getString(at));
            case BINARY -> bytes(to, column, from.getBytes(at));
            case DATE -> date(to, column, from.getDate(at));
            case TIMESTAMP -> time(to, column, from.getTimestamp(at, zoned));
            case TIMESTAMP_NTZ -> time(to, column, from.getTimestamp(at, plain));
        }
    }

    /** Drivers may cut off what does not fit. */
    private static long whole(ResultSet from, int at, long least, long most) throws SQLException {
        long value = from.getLong(at);
        if (value < least || value > most) {
            throw new SQLException("column " + from.getMetaData().getColumnLabel(at) + ": " + value + " does not fit the schema");
        }
        return value;
    }

    private static void text(PacketWriter to, int column, String found) {
        bytes(to, column, found == null ? null : found.getBytes(StandardCharsets.UTF_8));
    }

    private static void bytes(PacketWriter to, int column, byte[] found) {
        if (found != null) {
            to.setBytes(column, found, 0, found.length);
        }
    }

    private static void date(PacketWriter to, int column, Date found) {
        if (found != null) {
            to.setInt(column, Math.toIntExact(found.toLocalDate().toEpochDay()));
        }
    }

    private static void time(PacketWriter to, int column, Timestamp found) {
        if (found != null) {
            to.setLong(column, Math.addExact(Math.multiplyExact(Math.floorDiv(found.getTime(), MILLIS_PER_SECOND),
                    MICROS_PER_SECOND), found.getNanos() / NANOS_PER_MICRO));
        }
    }
}
