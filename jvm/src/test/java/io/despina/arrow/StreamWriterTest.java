package io.despina.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Expressions;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.spark.sql.execution.arrow.ArrowWriter;

class StreamWriterTest {
    private static final String ZONE = "Europe/Rome";

    @Property(tries = 50)
    void whatIsWrittenIsReadWithSparksColumns(@ForAll long seed) {
        RandomRows random = new RandomRows(seed);
        Schema schema = random.schema();
        StreamWriter writer = new StreamWriter(schema, ZONE);
        for (int count : new int[] {3, 0, 20}) {
            List<List<Object>> rows = random.rows(schema, count);
            byte[] packets = Rows.encode(schema, rows);
            PacketCursor cursor = PacketCursor.reusing(schema.layout());
            cursor.reset(packets, 0, packets.length);
            for (Packet packet = cursor.next(); packet != null; packet = cursor.next()) {
                writer.add(packet);
            }
            assertEquals(count, writer.rows());
            PacketWriter back = Rows.growing(schema);
            Expressions.arrowPackets(schema).read(writer.take(), back);
            assertEquals(rows, Rows.decode(schema, back.bytes(), 0, back.position()));
        }
    }

    @Property(tries = 50)
    void itsSchemaIsTheOneThatSparkWrites(@ForAll long seed) throws IOException {
        Schema schema = new RandomRows(seed).schema();
        byte[] stream = new StreamWriter(schema, ZONE).take();
        try (VectorSchemaRoot sparks = ArrowWriter.create(SparkTypes.struct(schema), ZONE, true, false).root();
                RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
            assertEquals(sparks.getSchema(), reader.getVectorSchemaRoot().getSchema());
        }
    }
}
