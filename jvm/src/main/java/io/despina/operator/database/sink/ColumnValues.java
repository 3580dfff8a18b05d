package io.despina.operator.database.sink;

import io.despina.operator.database.JdbcValues;
import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** Binds columns of packets, those that the database can hold. */
final class ColumnValues {
    /** Days and microseconds since 1970 of the years 1 to 9999. */
    private static final int FIRST_DAY = -719_162;
    private static final int LAST_DAY = 2_932_896;
    private static final long MICROS_PER_DAY = 86_400_000_000L;

    private final JdbcValues values;
    private final Dialect dialect;

    ColumnValues(JdbcValues values, Dialect dialect) {
        this.values = values;
        this.dialect = dialect;
    }

    /** @throws IllegalArgumentException if no SQL can hold the value */
    void bind(PreparedStatement to, int at, Packet packet, TargetTable.Target column) throws SQLException {
        if (!dialect.holdsAll() && !packet.isNull(column.ordinal())) {
            check(packet, column);
        }
        if (packet.isNull(column.ordinal()) && dialect == Dialect.POSTGRESQL) {
            to.setNull(at, column.isOther() ? Types.VARCHAR : column.type());
        } else {
            values.bind(to, at, packet, column.ordinal());
        }
    }

    private static void check(Packet packet, TargetTable.Target column) {
        Type type = packet.layout().type(column.ordinal());
        int at = column.ordinal();
        if (type == Type.Simple.DOUBLE && !Double.isFinite(packet.getDouble(at))) {
            throw refused(column, String.valueOf(packet.getDouble(at)));
        }
        if (type == Type.Simple.FLOAT && !Float.isFinite(packet.getFloat(at))) {
            throw refused(column, String.valueOf(packet.getFloat(at)));
        }
        boolean isTime = type == Type.Simple.TIMESTAMP || type == Type.Simple.TIMESTAMP_NTZ;
        if (type == Type.Simple.DATE || isTime) {
            long day = isTime ? Math.floorDiv(packet.getLong(at), MICROS_PER_DAY) : packet.getInt(at);
            if (day < FIRST_DAY || day > LAST_DAY) {
                throw refused(column, "a time before the year 1 or after 9999");
            }
        }
    }

    private static IllegalArgumentException refused(TargetTable.Target column, String what) {
        return new IllegalArgumentException("column `" + column.name() + "` is " + what + ", which SQL cannot hold");
    }
}
