package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.api.Row;
import io.despina.api.RowWriter;
import io.despina.operator.user.UserColumns.Accessor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;

/** Writes rows as packets, and enforces the writer's rules on the user's class. */
final class UserRowWriter implements RowWriter {

    /** Where rows go. */
    interface Destination {
        /** Begins a packet. */
        PacketWriter begin();

        /** Ends the packet begun last. */
        void commit();
    }

    private final UserColumns columns;
    private final Destination target;
    /** The variable-width columns, in order. */
    private final int[] variable;
    private final boolean[] isSet;
    private PacketWriter writer;
    /** How many of {@link #variable} are written. */
    private int written;
    private boolean open;
    private RuntimeException fault;

    UserRowWriter(UserColumns columns, Destination target) {
        this.columns = columns;
        this.target = target;
        isSet = new boolean[columns.size()];
        variable = IntStream.range(0, columns.size())
                .filter(k -> columns.typeOf(k).width() == Type.VARIABLE).toArray();
    }

    /** Drops a row that was begun and not committed; says whether there was one. */
    boolean dropOpen() {
        boolean was = open;
        open = false;
        return was;
    }

    /** A failure since the last call of the engine below, not of the user's class; or null. */
    RuntimeException fault() {
        RuntimeException found = fault;
        fault = null;
        return found;
    }

    @Override
    public Columns columns() {
        return columns;
    }

    @Override
    public RowWriter begin() {
        try {
            writer = target.begin();
        } catch (RuntimeException failed) {
            throw below(failed);
        }
        Arrays.fill(isSet, false);
        written = 0;
        open = true;
        return this;
    }

    @Override
    public void commit() {
        needOpen();
        setTailBefore(columns.size());
        for (int k = 0; k < isSet.length; k++) {
            if (!isSet[k]) {
                leaveNull(k);
            }
        }
        open = false;
        try {
            target.commit();
        } catch (RuntimeException failed) {
            throw below(failed);
        }
    }

    /** Notes a failure below. A packet that is too long is the user's fault. */
    private RuntimeException below(RuntimeException failed) {
        if (!(failed instanceof IllegalArgumentException)) {
            fault = failed;
        }
        return failed;
    }

    private void needOpen() {
        if (!open) {
            throw new IllegalStateException("no row is begun: call begin() first");
        }
    }

    private void leaveNull(int column) {
        if (!columns.isNullable(column)) {
            throw new IllegalArgumentException("column `" + columns.name(column) + "` is NOT NULL, and is not set");
        }
        writer.setNull(column);
        isSet[column] = true;
    }

    /** Sets unset columns of the tail before {@code column} to NULL. */
    private void setTailBefore(int column) {
        while (written < variable.length && variable[written] < column) {
            leaveNull(variable[written]);
            written++;
        }
    }

    private void fixed(int column, Accessor access) {
        needOpen();
        columns.check(column, access);
        isSet[column] = true;
    }

    private void tail(int column) {
        needOpen();
        if (isSet[column] || written < variable.length && variable[written] > column) {
            throw new IllegalArgumentException("column `" + columns.name(column) + "` comes too late: columns of type "
                    + columns.type(column) + " are set once, in the order of the columns");
        }
        setTailBefore(column);
    }

    private void write(int column, byte[] value, int from, int length) {
        tail(column);
        try {
            writer.setBytes(column, value, from, length);
        } catch (RuntimeException failed) {
            throw below(failed);
        }
        isSet[column] = true;
        written++;
    }

    @Override
    public RowWriter setNull(int column) {
        needOpen();
        if (columns.typeOf(column).width() == Type.VARIABLE) {
            tail(column);
            written++;
        }
        leaveNull(column);
        return this;
    }

    @Override
    public RowWriter setBoolean(int column, boolean value) {
        fixed(column, Accessor.BOOLEAN);
        writer.setBoolean(column, value);
        return this;
    }

    @Override
    public RowWriter setByte(int column, byte value) {
        fixed(column, Accessor.BYTE);
        writer.setByte(column, value);
        return this;
    }

    @Override
    public RowWriter setShort(int column, short value) {
        fixed(column, Accessor.SHORT);
        writer.setShort(column, value);
        return this;
    }

    @Override
    public RowWriter setInt(int column, int value) {
        fixed(column, Accessor.INT);
        writer.setInt(column, value);
        return this;
    }

    @Override
    public RowWriter setLong(int column, long value) {
        fixed(column, Accessor.LONG);
        writer.setLong(column, value);
        return this;
    }

    @Override
    public RowWriter setFloat(int column, float value) {
        fixed(column, Accessor.FLOAT);
        writer.setFloat(column, value);
        return this;
    }

    @Override
    public RowWriter setDouble(int column, double value) {
        fixed(column, Accessor.DOUBLE);
        writer.setDouble(column, value);
        return this;
    }

    @Override
    public RowWriter setDecimal(int column, BigDecimal value) {
        columns.check(column, Accessor.DECIMAL);
        Type.Decimal type = (Type.Decimal) columns.typeOf(column);
        BigDecimal scaled = value.setScale(Math.max(type.scale(), value.stripTrailingZeros().scale()), RoundingMode.UNNECESSARY);
        if (scaled.scale() > type.scale() || scaled.precision() > type.precision()) {
            throw new IllegalArgumentException("column `" + columns.name(column) + "` is " + type.sql() + ", which cannot hold "
                    + value);
        }
        if (type.width() == Type.VARIABLE) {
            byte[] unscaled = scaled.unscaledValue().toByteArray();
            write(column, unscaled, 0, unscaled.length);
        } else {
            fixed(column, Accessor.DECIMAL);
            writer.setLong(column, scaled.unscaledValue().longValueExact());
        }
        return this;
    }

    @Override
    public RowWriter setString(int column, String value) {
        columns.check(column, Accessor.STRING);
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        write(column, utf8, 0, utf8.length);
        return this;
    }

    @Override
    public RowWriter setBytes(int column, byte[] value, int from, int length) {
        columns.checkBytes(column);
        Objects.checkFromIndexSize(from, length, value.length);
        write(column, value, from, length);
        return this;
    }

    @Override
    public RowWriter copy(int column, Row row, int origin) {
        UserRow source = (UserRow) row;
        Type type = columns.typeOf(column);
        if (!type.equals(source.typeOf(origin))) {
            throw new IllegalArgumentException("column `" + columns.name(column) + "` is " + type.sql() + ", and `"
                    + source.columns().name(origin) + "` is " + source.typeOf(origin).sql());
        }
        if (source.isNull(origin)) {
            return setNull(column);
        }
        if (type.width() == Type.VARIABLE) {
            int from = source.packet().valueStart(origin);
            write(column, source.packet().bytes(), from, source.packet().valueEnd() - from);
        } else {
            needOpen();
            writer.setFixed(column, source.packet().bytes(), source.packet().fixedStart(origin));
            isSet[column] = true;
        }
        return this;
    }
}
