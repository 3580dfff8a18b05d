package io.despina.expr.catalyst.row;

import io.despina.expr.PacketFold;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapGroupsFunction;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.Function1;

/** Runs a {@link PacketFold} on each sorted group of a Spark batch. Converts rows to packets, and packets to rows. */
public final class SortedGroups {

    private SortedGroups() {
    }

    /**
     * @param rows  the columns of the fold's input, then the group's
     * @param group name of the group's column
     * @param order columns to sort each group by, the event time first
     * @throws IllegalArgumentException for a streaming Dataset, because Spark would fold each micro-batch separately
     */
    public static Dataset<Row> fold(Dataset<Row> rows, String group, List<String> order, PacketFold fold) {
        if (rows.isStreaming()) {
            throw new IllegalArgumentException("a fold in event order runs on Spark batches only");
        }
        StructType key = new StructType(new StructField[] {rows.schema().apply(group)});
        StructType out = SparkTypes.struct(fold.result());
        Column[] by = order.stream().map(name -> rows.col(quoted(name))).toArray(Column[]::new);
        Dataset<Row> folded = rows.groupBy(rows.col(group))
                .as(Encoders.row(key), Encoders.row(rows.schema()))
                .flatMapSortedGroups(by, new Group(SparkTypes.struct(fold.input()), out, fold), Encoders.row(out));
        return typed(folded, out);
    }

    /** Restores the types of intervals. Spark's rows only know the kinds DAY TO SECOND and YEAR TO MONTH. */
    private static Dataset<Row> typed(Dataset<Row> rows, StructType schema) {
        StructField[] found = rows.schema().fields();
        Column[] columns = new Column[found.length];
        boolean same = true;
        for (int k = 0; k < found.length; k++) {
            StructField wanted = schema.fields()[k];
            Column column = rows.col(quoted(found[k].name()));
            boolean equal = DataType.equalsIgnoreNullability(found[k].dataType(), wanted.dataType());
            columns[k] = equal ? column : column.cast(wanted.dataType()).as(wanted.name());
            same &= equal;
        }
        return same ? rows : rows.select(columns);
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** Folds one group in a task of Spark. */
    private record Group(StructType input, StructType result, PacketFold fold)
            implements FlatMapGroupsFunction<Row, Row, Row> {

        @Override
        public Iterator<Row> call(Row key, Iterator<Row> rows) {
            Iterator<Packet> folded = fold.fold(new Packets(input, rows));
            PacketRow view = ValueType.row(SparkTypes.schema(result));
            Function1<Object, Object> toRow = CatalystTypeConverters.createToScalaConverter(result);
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return folded.hasNext();
                }

                @Override
                public Row next() {
                    return (Row) toRow.apply(view.on(folded.next()));
                }
            };
        }
    }

    /** Spark's rows as packets, one at a time, in one growing buffer. */
    private static final class Packets implements Iterator<Packet>, PacketWriter.Regions {
        private static final int FIRST_BYTES = 1024;

        private final StructType struct;
        private final Iterator<Row> rows;
        private final Function1<Object, Object> toCatalyst;
        private final ValueWriter[] values;
        private final PacketWriter writer;
        private final Packet view;

        Packets(StructType struct, Iterator<Row> rows) {
            this.struct = struct;
            this.rows = rows;
            Schema schema = SparkTypes.schema(struct);
            toCatalyst = CatalystTypeConverters.createToCatalystConverter(struct);
            values = ValueWriter.of(schema.columns());
            writer = new PacketWriter(schema.layout(), this);
            writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
            view = new Packet(schema.layout());
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public Packet next() {
            Row row = rows.next();
            Object[] cells = new Object[values.length];
            Arrays.setAll(cells, row::get);
            InternalRow internal = (InternalRow) toCatalyst.apply(RowFactory.create(cells));
            writer.open(writer.bytes(), 0, writer.bytes().length);
            writer.begin();
            for (int k = 0; k < values.length; k++) {
                if (internal.isNullAt(k)) {
                    writer.setNull(k);
                } else {
                    values[k].set(writer, k, internal.get(k, struct.fields()[k].dataType()));
                }
            }
            writer.commit();
            view.wrap(writer.bytes(), 0, writer.position());
            return view;
        }

        @Override
        public void makeRoom(PacketWriter w, int needed) {
            byte[] larger = new byte[Math.max(needed, 2 * w.bytes().length)];
            w.move(larger, 0, larger.length);
        }
    }
}
