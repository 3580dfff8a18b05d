package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.BucketMap;
import io.despina.spec.OnError;
import io.despina.state.KeyBuckets;
import io.despina.state.KeyedPackets;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.SlicedSections;
import io.despina.state.State;
import io.despina.state.WrittenPart;
import io.despina.state.WrittenStates;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What an instance hands over to one in another resource, slice by slice. */
class HandOversTest {
    private static final int BUCKETS = 4;
    private static final int KEYS = 200_000;
    private static final BucketMap BEFORE = BucketMap.even(BUCKETS, 2);
    private static final BucketMap AFTER = BEFORE.moved(Map.of(0, 1));
    private static final KeyBuckets DEALING = new KeyBuckets(Bench.NUMBERS, BUCKETS);
    private static final HandOvers.Way WAY = new HandOvers.Way("x", 0, 1);

    private final HandOvers near = new HandOvers(List.of(instance(0)));
    private final HandOvers far = new HandOvers(List.of(instance(1)));
    private final Queue<HandOvers.Fetch> asked = new ArrayDeque<>();
    private final Queue<HandOvers.Fetched> answered = new ArrayDeque<>();

    private static TaskSpec instance(int number) {
        StageSpec stage = new StageSpec("x", number, 2, () -> (Operator) null,
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of()), OnError.FAIL, List.of(), StageSpec.Role.WHOLE);
        return Bench.task(List.of(stage), List.of(), List.of());
    }

    private static Packet number(long value) {
        return Rows.packet(Bench.NUMBERS, value);
    }

    private static KeyedPackets state() {
        return new KeyedPackets("numbers", Bench.NUMBERS, BUCKETS, Bench.NUMBERS);
    }

    private static List<WrittenPart.Slice> part(List<State> states) throws Exception {
        WrittenStates written = new WrittenStates(states);
        while (!written.write()) {
            continue;
        }
        try (WrittenPart part = new WrittenPart(written, states, AFTER, 1)) {
            while (!part.some(1_000)) {
                continue;
            }
            return part.slices();
        }
    }

    /** No message may be larger than a connection takes. */
    @Test
    void aLargeEntryTakesSeveralSlices() throws Exception {
        Schema texts = Schema.of(new Column("t", Type.Simple.STRING, false));
        Packet text = Rows.packet(texts, "x".repeat(1 << 20));
        Packet key = number(LongStream.range(0, KEYS).filter(k -> DEALING.of(number(k)) == 0).findFirst().orElseThrow());
        KeyedPackets given = new KeyedPackets("texts", Bench.NUMBERS, BUCKETS, texts);
        given.add(key, text);
        SlicedSections coming = new SlicedSections();
        for (WrittenPart.Slice slice : part(List.of(given))) {
            assertTrue(slice.bytes().length <= 1 << 18, slice.bytes().length + " bytes");
            coming.add(slice.state(), slice.bytes());
        }
        KeyedPackets taken = new KeyedPackets("texts", Bench.NUMBERS, BUCKETS, texts);
        new Share(1, AFTER, BEFORE).restore(List.of(taken), Arrays.asList(coming, null));
        Packet view = new Packet(texts.layout());
        assertTrue(taken.view(taken.find(key), view));
        assertEquals(text.size(), view.size());
    }

    @Test
    void comesInSlicesAFewAtATime() throws Exception {
        KeyedPackets given = state();
        for (long k = 0; k < KEYS; k++) {
            if (BEFORE.owner(DEALING.of(number(k))) == 0) {
                given.add(number(k), number(k * k));
            }
        }
        far.fetchBy(asked::add);
        CompletableFuture<Sections> coming = far.take(WAY);
        assertFalse(near.isTakerHere(WAY));
        assertTrue(far.isTakerHere(WAY));
        near.fetch(asked.remove(), answered::add);
        assertTrue(answered.isEmpty(), "it is not there yet");
        near.give(WAY, part(List.of(given)));
        int slices = 0;
        int most = 0;
        for (; !answered.isEmpty(); slices++) {
            far.fetched(answered.remove());
            most = Math.max(most, asked.size() + answered.size());
            if (!asked.isEmpty()) {
                near.fetch(asked.remove(), answered::add);
            }
        }
        assertTrue(slices > HandOvers.UNDER_WAY, slices + " slices");
        assertEquals(HandOvers.UNDER_WAY, most);
        KeyedPackets taken = state();
        new Share(1, AFTER, BEFORE).restore(List.of(taken), Arrays.asList(coming.get(), null));
        Packet view = new Packet(Bench.NUMBERS.layout());
        long expected = 0;
        for (long k = 0; k < KEYS; k++) {
            if (DEALING.of(number(k)) == 0) {
                expected++;
                assertTrue(taken.view(taken.find(number(k)), view));
                assertEquals(k * k, view.getLong(0));
            }
        }
        assertEquals(expected, taken.keys());
    }
}
