package io.despina.arrow;

import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/** An Arrow record batch of a known schema, whose rows become columns of packets. */
public final class BatchReader {
    private final Schema schema;
    private final ColumnReader[] columns;
    private int rows;

    public BatchReader(Schema schema) {
        this.schema = schema;
        columns = schema.columns().stream().map(column -> ColumnReader.of(column.type())).toArray(ColumnReader[]::new);
    }

    /**
     * Moves to a batch.
     *
     * @param message one encapsulated message of Arrow IPC, as {@link BatchWriter#take} gives it
     * @return its rows
     * @throws ArrowException if it is none, or not of the schema
     */
    public int wrap(byte[] message) {
        BatchParts parts;
        try {
            parts = new BatchParts(message);
            for (ColumnReader column : columns) {
                column.wrap(parts);
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException broken) {
            throw new ArrowException("metadata that cannot be read (" + broken.getMessage() + ")");
        }
        rows = parts.rows();
        for (int k = 0; k < columns.length; k++) {
            if (columns[k].count() != rows) {
                throw new ArrowException("column " + k + " has " + columns[k].count() + " of " + rows + " rows");
            }
        }
        return rows;
    }

    public int rows() {
        return rows;
    }

    /** Sets the columns from {@code first} on of the packet that {@code to} has begun to those of a row. */
    public void write(int row, PacketWriter to, int first) {
        for (int k = 0; k < columns.length; k++) {
            if (!columns[k].isNull(row)) {
                columns[k].set(row, to, first + k);
            } else if (schema.column(k).nullable()) {
                to.setNull(first + k);
            } else {
                throw new ArrowException("column `" + schema.column(k).name() + "` is NOT NULL");
            }
        }
    }
}
