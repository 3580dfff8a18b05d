package io.despina.expr.catalyst.row;

import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Packets for tests, from plain values and to plain values. */
public final class Packets {

    private Packets() {
    }

    /** A schema from Spark DDL. */
    public static Schema schema(String ddl) {
        StructType struct = CatalystSqlParser$.MODULE$.parseTableSchema(ddl);
        List<io.despina.packet.Column> columns = new ArrayList<>();
        for (StructField f : struct.fields()) {
            columns.add(new io.despina.packet.Column(f.name(), SparkTypes.type(f.dataType()), f.nullable()));
        }
        return new Schema(columns);
    }

    /** A writer whose regions start small and grow, so that tests meet moves in the middle of a packet. */
    public static PacketWriter writer(Schema schema) {
        PacketWriter writer = new PacketWriter(schema.layout(), new PacketWriter.Regions() {
            @Override
            public void makeRoom(PacketWriter w, int needed) {
                byte[] region = new byte[needed + 16];
                w.move(region, 0, region.length);
            }
        });
        writer.open(new byte[8], 0, 8);
        return writer;
    }

    public static Packet of(Schema schema, Object... values) {
        PacketWriter writer = writer(schema);
        ValueWriter[] writers = ValueWriter.of(schema.columns());
        writer.begin();
        for (int k = 0; k < values.length; k++) {
            writers[k].set(writer, k, spark(values[k]));
        }
        writer.commit();
        return read(schema, writer);
    }

    /** The packet that was written. */
    public static Packet read(Schema schema, PacketWriter writer) {
        Packet packet = new Packet(schema.layout());
        packet.wrap(writer.bytes(), 0, writer.position());
        return packet;
    }

    private static Object spark(Object value) {
        if (value instanceof String s) {
            return UTF8String.fromString(s);
        }
        return value instanceof java.math.BigDecimal d ? Decimal.apply(d) : value;
    }

    /** The columns of a packet as Spark's values, copied. */
    public static List<Object> values(Packet packet, Schema schema) {
        List<Object> values = new ArrayList<>();
        ValueType[] types = ValueType.of(schema.columns());
        for (int k = 0; k < types.length; k++) {
            values.add(org.apache.spark.sql.catalyst.InternalRow$.MODULE$.copyValue(types[k].read(packet, k)));
        }
        return values;
    }

    public static List<Object> apply(ProjectionPlan plan, Packet... inputs) {
        return apply(plan.compiled().instance(0), plan.result(), inputs);
    }

    public static List<Object> apply(Projection projection, Schema result, Packet... inputs) {
        PacketWriter writer = writer(result);
        writer.begin();
        projection.apply(inputs, writer);
        writer.commit();
        return values(read(result, writer), result);
    }
}
