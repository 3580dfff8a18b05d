package io.despina.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class BatchTest {
    @Property(tries = 100)
    void whatIsWrittenIsRead(@ForAll long seed) {
        RandomRows random = new RandomRows(seed);
        Schema schema = random.schema();
        BatchWriter writer = BatchWriter.ofAll(schema);
        BatchReader reader = new BatchReader(schema);
        for (int count : new int[] {3, 0, 20, 600}) {
            List<List<Object>> rows = random.rows(schema, count);
            assertEquals(rows, Batches.decode(reader, schema, Batches.encode(writer, schema, rows)));
        }
    }

    @Property(tries = 300)
    void noBytesAreReadAsAnythingElse(@ForAll long seed) {
        RandomRows rows = new RandomRows(seed);
        Schema schema = rows.schema();
        byte[] message = Batches.encode(schema, rows.rows(schema, 5));
        Random random = new Random(seed);
        for (int k = 0; k < 50; k++) {
            byte[] broken = message.clone();
            broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            try {
                Batches.decode(schema, broken);
            } catch (ArrowException | IllegalStateException refused) {
                continue;
            }
        }
    }

    @Test
    void onlyTheColumnsThatAreWantedCross() {
        Schema schema = Schema.of(new Column("a", Simple.BIGINT, false), new Column("b", Simple.STRING, true),
                new Column("c", Simple.DOUBLE, true));
        byte[] message = Batches.encode(new BatchWriter(schema, 2, 0), schema, List.of(Rows.row(7L, "x", 0.5)));
        Schema crossed = Schema.of(schema.column(2), schema.column(0));
        assertEquals(List.of(Rows.row(0.5, 7L)), Batches.decode(crossed, message));
    }

    @Test
    void aBatchMayHaveFiveThousandColumns() {
        Schema wide = new Schema(IntStream.range(0, 5_000)
                .mapToObj(k -> new Column("c" + k, k % 2 == 0 ? Simple.BIGINT : Simple.STRING, true)).toList());
        List<List<Object>> rows = IntStream.range(0, 20).mapToObj(row -> IntStream.range(0, 5_000)
                .mapToObj(k -> (row + k) % 7 == 0 ? null : k % 2 == 0 ? (Object) (long) (row * k) : "t" + row + k)
                .collect(Collectors.toList())).toList();
        assertEquals(rows, Batches.decode(wide, Batches.encode(wide, rows)));
    }

    @Test
    void columnsBehindOthersAreWritten() {
        Schema added = Schema.of(new Column("score", Simple.DOUBLE, true));
        Schema out = Schema.of(new Column("id", Simple.INT, false), added.column(0));
        BatchReader reader = new BatchReader(added);
        reader.wrap(Batches.encode(added, List.of(Rows.row(2.5))));
        PacketWriter packets = Rows.growing(out);
        packets.begin().setInt(0, 3);
        reader.write(0, packets, 1);
        packets.commit();
        assertEquals(List.of(Rows.row(3, 2.5)), Rows.decode(out, packets.bytes(), 0, packets.position()));
    }

    @Test
    void aBatchOfAnotherSchemaIsRefused() {
        Schema one = Schema.of(new Column("a", Simple.INT, false));
        Schema two = Schema.of(new Column("a", Simple.INT, false), new Column("b", Simple.STRING, false));
        byte[] message = Batches.encode(one, List.of(Rows.row(1)));
        ArrowException refused = assertThrows(ArrowException.class, () -> new BatchReader(two).wrap(message));
        assertEquals("a malformed batch: only 1 columns", refused.getMessage());
    }

    @Test
    void nullInAColumnWithoutItIsRefused() {
        Schema nullable = Schema.of(new Column("a", Simple.INT, true));
        Schema strict = Schema.of(new Column("a", Simple.INT, false));
        List<List<Object>> rows = new ArrayList<>();
        rows.add(Rows.row((Object) null));
        byte[] message = Batches.encode(nullable, rows);
        assertThrows(ArrowException.class, () -> Batches.decode(strict, message));
    }
}
