package io.despina.operator.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.source.GeneratedRows;
import io.despina.operator.source.Generator;
import io.despina.spec.Rate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerifyingSinkTest {
    private static final RelayPackets.Options PACKETS = new RelayPackets.Options(50, RelayPackets.Content.RANDOM, 1);

    private static List<List<Object>> packets(int instance, int of) throws Exception {
        Generator.Options options = new Generator.Options(new GeneratedRows.Packets(PACKETS), 200, Rate.FLAT_OUT, null);
        try (OperatorHarness source = OperatorHarness.of(() -> new Generator(options)).outputs(RelayPackets.SCHEMA)
                .instance(instance, of).open()) {
            return new ArrayList<>(source.produceAll().rows(0));
        }
    }

    private static OperatorHarness sink(int sources, boolean all, VerifyingSink.Sequence sequence) throws Exception {
        VerifyingSink.Options options = new VerifyingSink.Options(PACKETS, sources, all, sequence);
        return OperatorHarness.of(() -> new VerifyingSink(options)).inputs(RelayPackets.SCHEMA).open();
    }

    private static void refuses(OperatorHarness sink, List<List<Object>> rows, String message) {
        Exception failure = assertThrows(IllegalStateException.class, () -> sink.feed(0, rows));
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    @Test
    void takesWhatTheGeneratorMakes() throws Exception {
        try (OperatorHarness sink = sink(1, true, VerifyingSink.Sequence.WHOLE)) {
            sink.feed(0, packets(0, 1)).end();
        }
        try (OperatorHarness sink = sink(2, true, VerifyingSink.Sequence.WHOLE)) {
            sink.feed(0, packets(1, 2)).feed(0, packets(0, 2)).end();
        }
    }

    @Test
    void aMissingADoubledAndASwappedPacketFail() throws Exception {
        List<List<Object>> missing = packets(0, 1);
        missing.remove(77);
        refuses(sink(1, false, VerifyingSink.Sequence.WHOLE), missing, "packet 78 came where packet 77 was due");
        List<List<Object>> doubled = packets(0, 1);
        doubled.add(5, doubled.get(4));
        refuses(sink(1, false, VerifyingSink.Sequence.WHOLE), doubled, "packet 4 came where packet 5 was due");
        refuses(sink(1, false, VerifyingSink.Sequence.RISING), doubled, "packet 4 came where packet 5 was due");
        List<List<Object>> swapped = packets(1, 2);
        swapped.add(10, swapped.remove(11));
        refuses(sink(2, false, VerifyingSink.Sequence.WHOLE), swapped,
                "packet 23 came where packet 21 was due from source instance 1");
    }

    @Test
    void tellsWhenItsPacketsWereDue() throws Exception {
        Generator.Options paced = new Generator.Options(new GeneratedRows.Packets(PACKETS), 200, new Rate.Constant(20_000), null);
        List<List<Object>> rows;
        try (OperatorHarness source = OperatorHarness.of(() -> new Generator(paced)).outputs(RelayPackets.SCHEMA).open()) {
            rows = source.produceAll().rows(0);
        }
        OperatorHarness sink = sink(1, false, VerifyingSink.Sequence.WHOLE).feed(0, rows.subList(0, 3))
                .feed(0, rows.subList(3, 4));
        assertEquals(List.of(List.of(0L, 1L), List.of(50_000L, 1L), List.of(100_000L, 1L), List.of(0L, 1L)), sink.latencies());
        OperatorHarness flatOut = sink(1, false, VerifyingSink.Sequence.WHOLE).feed(0, packets(0, 1));
        assertEquals(List.of(List.of(0L, 200L)), flatOut.latencies());
    }

    @Test
    void sharedSinksLetGapsPass() throws Exception {
        List<List<Object>> half = new ArrayList<>();
        List<List<Object>> all = packets(0, 1);
        for (int k = 0; k < all.size(); k += 2) {
            half.add(all.get(k));
        }
        sink(1, true, VerifyingSink.Sequence.RISING).feed(0, half).end();
    }

    @Test
    void whereInstancesSharedPacketsOutOnlyPayloadsAreChecked() throws Exception {
        List<List<Object>> rows = packets(0, 1);
        Collections.reverse(rows);
        sink(1, true, VerifyingSink.Sequence.ANY).feed(0, rows).end();
        rows.set(3, List.of(7L, rows.get(3).get(1), rows.get(3).get(2)));
        refuses(sink(1, true, VerifyingSink.Sequence.ANY), rows, "the payload of packet 7");
    }

    @Test
    void aBentPayloadFails() throws Exception {
        List<List<Object>> rows = packets(0, 1);
        byte[] payload = ((ByteBuffer) rows.get(33).get(2)).array().clone();
        payload[33] ^= 1;
        rows.set(33, List.of(33L, rows.get(33).get(1), ByteBuffer.wrap(payload)));
        refuses(sink(1, true, VerifyingSink.Sequence.WHOLE), rows, "the payload of packet 33");
        sink(1, false, VerifyingSink.Sequence.WHOLE).feed(0, rows);
        rows.set(32, List.of(32L, rows.get(32).get(1), ByteBuffer.wrap(payload)));
        refuses(sink(1, false, VerifyingSink.Sequence.WHOLE), rows, "the payload of packet 32");
    }

    @Test
    void goesOnAfterARestart() throws Exception {
        List<List<Object>> rows = packets(0, 1);
        for (int cut = 0; cut <= rows.size(); cut += 25) {
            OperatorHarness sink = sink(1, true, VerifyingSink.Sequence.WHOLE).feed(0, rows.subList(0, cut)).restart();
            sink.feed(0, rows.subList(cut, rows.size()));
            assertEquals(1, sink.snapshot().size());
        }
    }
}
