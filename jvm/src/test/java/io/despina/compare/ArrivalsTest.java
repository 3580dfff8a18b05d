package io.despina.compare;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What went wrong on the way is told, each kind by its own name, and no kind hides another. */
@Timeout(60)
class ArrivalsTest {
    private static final int PACKET_BYTES = 50;

    @TempDir
    Path folder;

    private static byte[] packet(long sequence, long dueNanos) {
        byte[] made = new byte[PACKET_BYTES];
        new RelayPackets(PACKET_BYTES, sequence).next(made, dueNanos);
        return made;
    }

    private JsonNode toldOf(byte[]... packets) throws Exception {
        Run run = new Run(folder);
        Arrivals arrivals = new Arrivals(run.settings("packet_bytes=" + PACKET_BYTES));
        for (byte[] packet : packets) {
            arrivals.accept(packet);
        }
        return run.told("sink");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            all in order                    | 0 1 2 3   | 0 | 0 | 0
            a gap that stays is missing     | 0 1 4 5   | 0 | 2 | 0
            one that is filled is reordered | 0 2 3 1 4 | 1 | 0 | 0
            what comes twice is doubled     | 0 1 1 2 0 | 0 | 0 | 2
            and fills no gap                | 0 1 3 1 3 | 0 | 1 | 2
            which is filled once            | 0 2 1 1 3 | 1 | 0 | 1
            """)
    void eachKindIsTold(String what, String sequences, int reordered, int missing, int doubled) throws Exception {
        byte[][] packets = Arrays.stream(sequences.split(" ")).map(word -> packet(Long.parseLong(word), 0))
                .toArray(byte[][]::new);
        JsonNode told = toldOf(packets);
        assertEquals(packets.length, told.get("total").asInt());
        assertEquals(reordered, told.get("reordered").asInt(), "reordered: " + what);
        assertEquals(missing, told.get("missing").asInt(), "missing: " + what);
        assertEquals(doubled, told.get("doubled").asInt(), "doubled: " + what);
        assertEquals(0, told.get("damaged").asInt(), "damaged");
        assertFalse(told.has("latency_ms"), "a packet without due time has no age");
    }

    @Test
    void agesFromBeforeTheWindowAreLeftOut() throws Exception {
        JsonNode told = toldOf(packet(0, System.nanoTime()), packet(1, 0));
        assertFalse(told.has("latency_ms"));
    }

    @Test
    void everySixteenthPayloadIsChecked() throws Exception {
        byte[] first = packet(0, 0);
        first[PACKET_BYTES - 1] ^= 1;
        byte[] second = packet(1, 0);
        second[PACKET_BYTES - 1] ^= 1;
        JsonNode told = toldOf(first, second);
        assertEquals(1, told.get("damaged").asInt());
    }

    @Test
    void aPacketOfAnotherSizeIsDamaged() throws Exception {
        byte[] longer = Arrays.copyOf(packet(0, 0), PACKET_BYTES + 1);
        assertEquals(1, toldOf(longer).get("damaged").asInt());
    }

    @Test
    void payloadsAreTheSameWhereverTheMakerBegins() {
        RelayPackets all = new RelayPackets(PACKET_BYTES);
        byte[] next = new byte[PACKET_BYTES];
        for (long sequence = 0; sequence < 100_000; sequence++) {   // three times past the end of the block
            all.next(next, 7);
            if (sequence % 999 == 0) {
                assertArrayEquals(packet(sequence, 7), next);
                assertTrue(all.isWhole(next));
            }
        }
    }
}
