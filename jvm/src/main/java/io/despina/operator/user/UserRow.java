package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.api.Row;
import io.despina.operator.user.UserColumns.Accessor;
import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/** A packet as the user's row, read in place. */
final class UserRow implements Row {
    private final UserColumns columns;
    private Packet packet;

    UserRow(UserColumns columns) {
        this.columns = columns;
    }

    /** Moves the row to {@code to}. */
    UserRow on(Packet to) {
        packet = to;
        return this;
    }

    Packet packet() {
        return packet;
    }

    Type typeOf(int column) {
        return columns.typeOf(column);
    }

    @Override
    public Columns columns() {
        return columns;
    }

    @Override
    public boolean isNull(int column) {
        return packet.isNull(column);
    }

    @Override
    public boolean getBoolean(int column) {
        columns.check(column, Accessor.BOOLEAN);
        return packet.getBoolean(column);
    }

    @Override
    public byte getByte(int column) {
        columns.check(column, Accessor.BYTE);
        return packet.getByte(column);
    }

    @Override
    public short getShort(int column) {
        columns.check(column, Accessor.SHORT);
        return packet.getShort(column);
    }

    @Override
    public int getInt(int column) {
        columns.check(column, Accessor.INT);
        return packet.getInt(column);
    }

    @Override
    public long getLong(int column) {
        columns.check(column, Accessor.LONG);
        return packet.getLong(column);
    }

    @Override
    public float getFloat(int column) {
        columns.check(column, Accessor.FLOAT);
        return packet.getFloat(column);
    }

    @Override
    public double getDouble(int column) {
        columns.check(column, Accessor.DOUBLE);
        return packet.getDouble(column);
    }

    @Override
    public BigDecimal getDecimal(int column) {
        columns.check(column, Accessor.DECIMAL);
        Type.Decimal type = (Type.Decimal) columns.typeOf(column);
        if (type.width() != Type.VARIABLE) {
            return BigDecimal.valueOf(packet.getLong(column), type.scale());
        }
        BigInteger unscaled = packet.isNull(column) ? BigInteger.ZERO : new BigInteger(packet.copyOfValue(column));
        return new BigDecimal(unscaled, type.scale());
    }

    @Override
    public String getString(int column) {
        columns.check(column, Accessor.STRING);
        int from = packet.valueStart(column);
        return new String(packet.bytes(), from, packet.valueEnd() - from, StandardCharsets.UTF_8);
    }

    @Override
    public byte[] getBytes(int column) {
        columns.checkBytes(column);
        return packet.copyOfValue(column);
    }
}
