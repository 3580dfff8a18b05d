package io.despina.operator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoggedRowsTest {
    private static final Schema SCHEMA = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final long LOG_BYTES = 1 << 20;
    private static final int LIVES = 20;
    private static final long ROWS = 400;
    /** Enough that the log begins a segment with each epoch. */
    private static final long SEGMENT_ROWS = 40_000;
    private static final int CUT_EPOCHS = 6;

    @TempDir
    private Path folder;
    private Program program = new Program();

    /** What the user's program does. */
    private static final class Program implements LoggedRows.Given {
        private final Deque<long[]> waiting = new ArrayDeque<>();
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private long[] taken;
        private long kept = -1;

        void give(long from, long to) {
            waiting.add(new long[] {from, to});
        }

        @Override
        public byte[] next() {
            taken = waiting.poll();
            return taken == null ? null : Rows.encode(SCHEMA, LoggedRowsTest.rows(taken[0], taken[1]));
        }

        @Override
        public long first() {
            return taken[0];
        }

        @Override
        public int rows() {
            return (int) (taken[1] - taken[0]);
        }

        @Override
        public boolean hasEnded() {
            return waiting.isEmpty();
        }

        @Override
        public void kept(long row) {
            lock.lock();
            try {
                kept = Math.max(kept, row);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        long awaitKept(long row) throws InterruptedException {
            lock.lock();
            try {
                while (kept < row && changed.await(60, TimeUnit.SECONDS)) {
                    // goes on
                }
                return kept;
            } finally {
                lock.unlock();
            }
        }
    }

    private static List<List<Object>> rows(long from, long to) {
        return LongStream.range(from, to).mapToObj(n -> Rows.row(n)).toList();
    }

    private OperatorHarness open(Path in) throws Exception {
        return OperatorHarness.of(() -> new InputSource(instance -> new LoggedRows(program, SCHEMA, LOG_BYTES), null, true))
                .outputs(SCHEMA).keeping(in).open();
    }

    /** What it has sent behind so many rows. */
    private static List<List<Object>> since(OperatorHarness source, int rows) {
        return source.rows(0).subList(rows, source.rows(0).size());
    }

    @Test
    void theProgramHearsThatItsRowsAreIn() throws Exception {
        try (OperatorHarness source = open(folder)) {
            assertEquals(0, program.kept);
            program.give(0, 5);
            program.give(5, 9);
            source.produceAll();
            assertEquals(9, program.awaitKept(9));
            assertEquals(rows(0, 9), source.rows(0));
        }
    }

    @Test
    void rowsBehindTheEpochComeFromTheLog() throws Exception {
        try (OperatorHarness source = open(folder)) {
            program.give(0, 5);
            source.produceAll();
            ((Source) source.operator()).barrier(1);
            Map<String, byte[]> first = source.snapshot();
            program.give(5, 9);
            source.produceAll();
            program.awaitKept(9);
            program = new Program();
            source.restart(first);
            assertEquals(9, program.kept);
            program.give(9, 10);
            source.produceAll();
            assertEquals(rows(5, 10), since(source, 9));
        }
    }

    @Test
    void rowsThatAreInAreKnownByTheirNumbers() throws Exception {
        try (OperatorHarness source = open(folder)) {
            program.give(0, 5);
            source.produceAll();
            program.awaitKept(5);
            program = new Program();
            source.restartAfresh();
            assertEquals(5, program.kept);
            program.give(0, 3);
            program.give(3, 8);
            source.produceAll();
            assertEquals(rows(0, 8), since(source, 5));
            program.give(9, 10);
            IOException gap = assertThrows(IOException.class, source::produceAll);
            assertEquals("rows 8 to 8 for `tested` are missing", gap.getMessage());
        }
    }

    @Test
    void aJobThatBeginsAnewHasNothingOfTheOneBefore() throws Exception {
        try (OperatorHarness source = open(folder)) {
            program.give(0, 5);
            source.produceAll();
            program.awaitKept(5);
            ((Source) source.operator()).barrier(1);
            ((Source) source.operator()).acknowledge(1);
            while (!Files.exists(folder.resolve("complete"))) {
                Thread.onSpinWait();
            }
            program = new Program();
            source.restartAfresh();
            assertEquals(0, program.kept);
            program.give(0, 2);
            source.produceAll();
            assertEquals(rows(0, 2), since(source, 5));
        }
    }

    /** As an old epoch that is named, whose log goes on behind it. */
    @Test
    void anEpochWhoseRowsAreCutIsRefusedByName() throws Exception {
        try (OperatorHarness source = open(folder)) {
            Map<String, byte[]> old = source.snapshot();
            for (int epoch = 1; epoch <= CUT_EPOCHS; epoch++) {
                program.give((epoch - 1) * SEGMENT_ROWS, epoch * SEGMENT_ROWS);
                source.produceAll();
                program.awaitKept(epoch * SEGMENT_ROWS);
                ((Source) source.operator()).barrier(epoch);
                ((Source) source.operator()).acknowledge(epoch);
            }
            while (Files.exists(folder.resolve("1-0.seg"))) {
                Thread.onSpinWait();
            }
            program = new Program();
            IOException cut = assertThrows(IOException.class, () -> source.restart(old));
            assertTrue(cut.getMessage().matches("rows 0 to \\d+ given to `tested` are cut from its log, and the epoch from "
                    + "which the job goes on needs them"), cut::getMessage);
            assertEquals(-1, program.kept);
        }
    }

    @Test
    void eachRowComesOnceWhateverIsLost() throws Exception {
        for (int life = 0; life < LIVES; life++) {
            live(new Random(life), folder.resolve("" + life));
        }
    }

    private void live(Random random, Path own) throws Exception {
        program = new Program();
        try (OperatorHarness source = open(own)) {
            List<List<Object>> kept = List.of();
            int behind = 0;
            Map<String, byte[]> last = null;
            long given = 0;
            for (long epoch = 1; given < ROWS; epoch++) {
                long to = Math.min(ROWS, given + 1 + random.nextInt(40));
                program.give(given, to);
                given = to;
                source.produceAll();
                if (random.nextInt(3) == 0) {
                    behind = source.rows(0).size();
                    long known = program.awaitKept(given);
                    program = new Program();
                    if (last == null) {
                        source.restartAfresh();
                    } else {
                        source.restart(last);
                    }
                    assertEquals(known, program.kept);
                    given = random.nextBoolean() ? known : 0;
                    continue;
                }
                ((Source) source.operator()).barrier(epoch);
                last = source.snapshot();
                kept = Stream.concat(kept.stream(), since(source, behind).stream()).toList();
                behind = source.rows(0).size();
                ((Source) source.operator()).acknowledge(epoch);
            }
            source.produceAll();
            assertEquals(rows(0, ROWS), Stream.concat(kept.stream(), since(source, behind).stream()).toList());
        }
    }
}
