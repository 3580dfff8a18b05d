package io.despina.operator.record.avro;

import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.RowValues;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads records of one writer's schema as rows. Fields go to the columns of their names, others are passed over; a column that
 * the writer does not have has its default, or is NULL. It allocates nothing for a row of numbers and texts.
 */
public final class AvroReader implements BinaryReader {
    private static final int NONE = -1;

    private final Schema schema;
    /** Per field of the writer: its column, or {@link #NONE}, and how it is read or passed over. */
    private final int[] columns;
    private final AvroValue[] fields;
    private final AvroSkip[] skips;
    private final boolean[] isNested;
    /** Columns that the writer does not have. */
    private final int[] absent;
    /** The defaults of columns; null for none. */
    private final Packet defaults;
    private final ByteCursor in = new ByteCursor();
    private final RowValues values;
    private final Scalar scalar = new Scalar();

    /**
     * A reader.
     *
     * @param defaults a row with the default of each column that has one; null for none
     * @throws AvroException if the schema is none of a record, or no record of it could be read
     */
    public AvroReader(org.apache.avro.Schema writer, Schema schema, Packet defaults) throws AvroException {
        this.schema = schema;
        this.defaults = defaults;
        values = new RowValues(schema);
        if (writer.getType() != org.apache.avro.Schema.Type.RECORD) {
            throw new AvroException("the writer's schema is " + AvroNames.of(writer) + ", and a row is read from a record");
        }
        List<org.apache.avro.Schema.Field> written = writer.getFields();
        columns = IntStream.range(0, written.size()).map(k -> NONE).toArray();
        fields = new AvroValue[columns.length];
        isNested = new boolean[columns.length];
        for (int k = 0; k < schema.size(); k++) {
            int origin = AvroNames.indexOf(written, schema.column(k).name());
            if (origin >= 0) {
                Type type = schema.column(k).type();
                columns[origin] = k;
                fields[origin] = AvroResolver.of(written.get(origin).schema(), type, "`" + schema.column(k).name() + "`");
                isNested[origin] = AvroNested.isNested(type);
            }
        }
        skips = written.stream().map(field -> AvroSkip.of(field.schema())).toArray(AvroSkip[]::new);
        absent = IntStream.range(0, schema.size()).filter(k -> IntStream.of(columns).noneMatch(column -> column == k)).toArray();
        if (absent.length == schema.size()) {
            throw new AvroException("none of the columns is in the writer's schema, which has "
                    + String.join(", ", written.stream().map(field -> field.name()).toList()));
        }
    }

    @Override
    public String read(byte[] bytes, int from, int to, PacketWriter out) {
        String why = read(bytes, from, to);
        if (why == null && in.left() > 0) {
            return in.left() + " bytes behind the record: it may have been written with another schema";
        }
        if (why == null) {
            write(out);
        }
        return why;
    }

    /**
     * Reads the first of the records in {@code bytes[from, to)}, which stand one behind the other.
     *
     * @return why it cannot be a row; null if all is well
     * @throws BrokenRecord if it has no end there
     */
    String readFirst(byte[] bytes, int from, int to, PacketWriter out) {
        String why = read(bytes, from, to);
        if (why == null) {
            write(out);
        } else {
            skipFirst(bytes, from, to);
        }
        return why;
    }

    /** Passes over that record. @throws BrokenRecord if it has no end there */
    void skipFirst(byte[] bytes, int from, int to) {
        in.open(bytes, from, to);
        for (AvroSkip skip : skips) {
            skip.skip(in);
        }
    }

    /** Where the record ends that was read, or passed over, last. */
    int end() {
        return in.at();
    }

    private String read(byte[] bytes, int from, int to) {
        in.open(bytes, from, to);
        values.begin();
        int at = 0;
        try {
            for (; at < columns.length; at++) {
                if (columns[at] == NONE) {
                    skips[at].skip(in);
                } else {
                    field(at);
                }
            }
        } catch (BrokenRecord | IllegalArgumentException why) {     // the second: nested values have a most
            return columns[at] == NONE ? why.getMessage() : "`" + schema.column(columns[at]).name() + "`: " + why.getMessage();
        }
        return null;
    }

    private void write(PacketWriter out) {
        for (int k : absent) {
            values.setDefault(k, schema.column(k), defaults);
        }
        values.write(out);
    }

    private void field(int at) {
        int column = columns[at];
        if (isNested[at]) {
            int start = values.builder().end();
            if (fields[at].build(in, values.builder())) {
                values.built(column, start);
            }
        } else if (fields[at].read(in, scalar)) {
            values.set(column, scalar);
        }
    }
}
