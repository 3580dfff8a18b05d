package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import io.despina.operator.Operator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.spec.OnError;
import io.despina.state.Sections;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Records that their operator does not come back from. */
class PoisonRecordTest {
    private static final long BAD = 5;

    private final Bench bench = new Bench();
    private final List<Long> taken = new ArrayList<>();

    /** Takes numbers until the bad one. */
    private final class Deadly implements Operator {
        private final Function<Long, Error> failure;

        Deadly(Function<Long, Error> failure) {
            this.failure = failure;
        }

        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                if (p.getLong(0) == BAD) {
                    throw failure.apply(BAD);
                }
                taken.add(p.getLong(0));
            }
        }
    }

    /** Leaves one record out, and writes nothing. */
    private record LeavingOut(String record) implements JobSnapshots {
        @Override
        public Set<String> leftOut(String operator) {
            return operator.equals("deadly") ? Set.of(record) : Set.of();
        }

        @Override
        public int buckets() {
            return 16;
        }

        @Override
        public List<Sections> restored(String operator) {
            return null;
        }

        @Override
        public InstanceSnapshot begin(long epoch, Instance of, List<State> states, Waker waker) {
            return null;
        }
    }

    private TaskSpec deadly(Function<Long, Error> failure) {
        StageSpec stage = new StageSpec("deadly", 0, 1, () -> new Deadly(failure),
                new StageSpec.Ports(List.of(Bench.NUMBERS), List.of()), OnError.SKIP, List.of(), StageSpec.Role.WHOLE);
        return Bench.task(List.of(stage), List.of(Bench.in(0, 1)), List.of());
    }

    private TaskFailedException failure(Function<Long, Error> failure) {
        JobHandle job = bench.start(Bench.source("made", new Bench.Ascending(10), 1), deadly(failure));
        bench.pass(100 * Bench.MS);
        return job.failure();
    }

    @Test
    void anErrorNamesTheRecord() {
        TaskFailedException failed = failure(bad -> new StackOverflowError());
        assertEquals("operator deadly, instance 0: StackOverflowError; record: {\"n\": 5}", failed.getMessage());
        assertEquals("deadly", failed.operatorId());
        assertNotNull(failed.record());
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), taken);
    }

    @Test
    void soDoesWantOfMemory() {
        assertNotNull(failure(bad -> new OutOfMemoryError("Requested array size exceeds VM limit")).record());
    }

    @Test
    void aMissingClassIsNoFaultOfTheRecord() {
        TaskFailedException failed = failure(bad -> new NoClassDefFoundError("com/acme/Gone"));
        assertNull(failed.record());
        assertTrue(failed.getMessage().endsWith("com/acme/Gone"), failed.getMessage());
    }

    @Test
    void aRecordThatIsLeftOutGoesByOnError() {
        String record = failure(bad -> new StackOverflowError()).record();
        taken.clear();
        Bench another = new Bench();
        JobHandle job = another.resource.deploy(Attempt.first("again"), List.of(
                Bench.source("made", new Bench.Ascending(10), 1), deadly(bad -> new StackOverflowError())),
                new LeavingOut(record));
        job.start();
        another.pass(100 * Bench.MS);
        assertNull(job.failure());
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 6L, 7L, 8L, 9L), taken);
        assertEquals(1, job.counters().snapshot().operators().get("deadly").errors());
    }
}
