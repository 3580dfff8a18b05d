package io.despina.operator.database;

import io.despina.operator.OperatorContext;
import io.despina.operator.lookup.FoundRows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.ScratchPacket;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneId;

/** Asks a prepared statement, once per packet, and keeps what comes. */
final class ResultRows {
    private final JdbcValues values;
    private final Schema schema;
    private final ScratchPacket scratch;

    /** @param schema of the result, whose columns are all nullable */
    ResultRows(Schema schema, ZoneId zone, OperatorContext context) {
        values = new JdbcValues(zone);
        this.schema = schema;
        scratch = new ScratchPacket(schema.layout(), context.maxPacketBytes());
    }

    /** @param columns of the packet: the statement's parameters */
    FoundRows ask(PreparedStatement statement, Packet packet, int[] columns) throws SQLException {
        for (int k = 0; k < columns.length; k++) {
            values.bind(statement, k + 1, packet, columns[k]);
        }
        FoundRows rows = new FoundRows();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                values.read(result, schema, scratch.begin());
                rows.add(scratch.commit());
            }
        }
        return rows;
    }
}
