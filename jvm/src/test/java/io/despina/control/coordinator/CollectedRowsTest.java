package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.KeptOutputs;
import io.despina.expr.Expressions;
import io.despina.link.Attempt;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Sink;
import io.despina.operator.program.SpoolSink;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows of two instances of a collect sink, from the sinks to the program, in one thread under a seed: messages, turns of the disk
 * and steps of the program come in any order, and resources and the program are killed between any two.
 */
@Timeout(120)
class CollectedRowsTest {
    private static final Schema SCHEMA = Schema.of(new Column("instance", Simple.INT, false),
            new Column("n", Simple.INT, false));
    private static final int INSTANCES = 2;
    private static final int LIVES = 12;
    private static final int STEPS = 150;
    private static final int MOST_ROWS = 3_000;
    private static final long MOST_BYTES = Long.MAX_VALUE;

    /** Whether the program keeps its place. */
    private enum Program { KEEPS_ITS_PLACE, SAYS_WHAT_IS_DONE }

    @TempDir
    private Path folder;

    /** One life of a job, over attempts and processes. */
    private static final class Life implements AutoCloseable {
        private final Random random;
        private final Program program;
        private final List<OperatorHarness> sinks = new ArrayList<>();
        private final FakeMember host = new FakeMember("here");
        private final Deque<Runnable> turns = new ArrayDeque<>();
        private final Deque<Message.Rows> sent = new ArrayDeque<>();
        private Attempt attempt = Attempt.first("job");
        private KeptOutputs outputs;
        private CollectBuffer buffer;

        // of the job
        private final int[] made = new int[INSTANCES];
        private long epoch;
        /** The last complete epoch: what it has of each sink, and the rows in it. */
        private List<Map<String, byte[]>> complete;
        private int[] completeRows = new int[INSTANCES];

        // of the program
        /** By instance, what it has made for ever of the rows. */
        private final List<List<Integer>> kept = List.of(new ArrayList<>(), new ArrayList<>());
        private long[] place;
        private List<List<Object>> inHand = List.of();
        private long fetched;
        private boolean resourceDied;

        Life(Random random, Program program, Path folder) throws Exception {
            this.random = random;
            this.program = program;
            begin(null);
            for (int k = 0; k < INSTANCES; k++) {
                int instance = k;
                sinks.add(OperatorHarness.of(() -> new SpoolSink(any -> outputs.spool("rows", instance), true)).inputs(SCHEMA)
                        .keeping(folder.resolve("" + k)).open());
            }
            buffer.start(List.of(host));
            epoch();
        }

        /** @param before null for another process */
        private void begin(CollectBuffer before) {
            turns.clear();
            sent.clear();
            host.told.clear();
            outputs = new KeptOutputs();
            outputs.begin(new KeptOutputs.To(attempt, message -> sent.add((Message.Rows) message), turns::add, failure -> {
                throw new AssertionError(failure);
            }, MOST_BYTES));
            buffer = new CollectBuffer(attempt, new CollectBuffer.Rows("rows", SCHEMA, "UTC", List.of("here", "here")),
                    System::nanoTime);
            if (before != null) {
                buffer.goOnFrom(before);
            }
        }

        private static Sink sink(OperatorHarness of) {
            return (Sink) of.operator();
        }

        private void feed(int instance, int rows) throws Exception {
            int from = made[instance];
            made[instance] += rows;
            sinks.get(instance).feed(0, IntStream.range(from, from + rows).mapToObj(n -> Rows.row(instance, n)).toList());
        }

        /** A barrier, and with luck the epoch is complete and committed. */
        private void epoch() throws Exception {
            epoch++;
            List<Map<String, byte[]>> prepared = new ArrayList<>();
            for (OperatorHarness each : sinks) {
                CompletableFuture<Void> done = sink(each).prepare(epoch);
                prepared.add(each.snapshot());
                done.join();
            }
            if (complete != null && random.nextInt(6) == 0) {
                loseResource();
                return;
            }
            complete = prepared;
            completeRows = made.clone();
            if (random.nextInt(6) > 0) {
                commit(sinks.subList(0, random.nextInt(4) == 0 ? 1 : INSTANCES));
            }
        }

        private void commit(List<OperatorHarness> of) throws Exception {
            for (OperatorHarness each : of) {
                sink(each).commit(epoch);
            }
        }

        private void restart() throws Exception {
            System.arraycopy(completeRows, 0, made, 0, INSTANCES);
            for (int k = 0; k < INSTANCES; k++) {
                sinks.get(k).restart(complete.get(k));
                sink(sinks.get(k)).commit(epoch);
            }
        }

        private void loseResource() throws Exception {
            resourceDied = true;
            attempt = attempt.next();
            outputs.close();
            begin(buffer);
            if (random.nextBoolean()) {
                buffer.start(List.of(host));
                restart();
            } else {
                restart();
                buffer.start(List.of(host));
            }
        }

        private void loseProgram() throws Exception {
            attempt = attempt.next();
            outputs.close();
            begin(null);
            inHand = List.of();
            fetched = 0;
            buffer.start(List.of(host));
            restart();
            if (program == Program.KEEPS_ITS_PLACE && place != null) {
                for (int k = random.nextInt(4); k > 0; k--) {
                    crank();
                }
                buffer.begin(place);
            }
        }

        /** A turn of the disk, or a message. @return whether there was one */
        private boolean crank() {
            int first = random.nextInt(3);
            for (int k = 0; k < 3; k++) {
                switch ((first + k) % 3) {
                    case 0 -> {
                        if (!turns.isEmpty()) {
                            turns.remove().run();
                            return true;
                        }
                    }
                    case 1 -> {
                        if (!sent.isEmpty()) {
                            buffer.add(host, sent.remove());
                            return true;
                        }
                    }
                    default -> {
                        if (!host.told.isEmpty()) {
                            outputs.had((Message.Had) host.told.remove(0));
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        /** The program is done with what it has in hand, and takes the next. */
        private void take() throws Refusal {
            finish();
            buffer.done(fetched, RowPlaces.RowTaker.TAKES);
            byte[] stream = buffer.take();
            if (stream.length > 0) {
                PacketWriter[] writer = {null};
                byte[] packets = new byte[16 << 20];
                writer[0] = new PacketWriter(SCHEMA.layout(), (w, needed) -> {
                    throw new AssertionError("no room");
                });
                writer[0].open(packets, 0, packets.length);
                Expressions.arrowPackets(SCHEMA).read(stream, writer[0]);
                inHand = Rows.decode(SCHEMA, Arrays.copyOf(packets, writer[0].position()), 0, writer[0].position());
                fetched += inHand.size();
            }
        }

        /** It keeps what it makes of the rows, and its place, at once. */
        private void finish() {
            for (List<Object> row : inHand) {
                List<Integer> of = kept.get((Integer) row.get(0));
                int n = (Integer) row.get(1);
                boolean again = n < of.size();
                assertTrue(program == Program.SAYS_WHAT_IS_DONE || !again, "row " + n + " comes again");
                assertTrue(n <= of.size(), "rows from " + of.size() + " to " + n + " are missing");
                if (!again) {
                    of.add(n);
                }
            }
            inHand = List.of();
            place = buffer.place(fetched);
        }

        void step() throws Exception {
            switch (random.nextInt(16)) {
                case 0, 1 -> feed(random.nextInt(INSTANCES), 1 + random.nextInt(MOST_ROWS));
                case 2, 3 -> epoch();
                case 4 -> commit(sinks);
                case 5, 6, 7 -> take();
                case 8 -> {
                    if (random.nextInt(3) == 0) {
                        loseResource();
                    }
                }
                case 9 -> {
                    if (random.nextInt(3) == 0) {
                        loseProgram();
                    }
                }
                default -> crank();
            }
        }

        /** The input ends; the program takes the rest. */
        void end() throws Exception {
            for (OperatorHarness each : sinks) {
                sink(each).end();
            }
            epoch++;
            List<CompletableFuture<Void>> taken = new ArrayList<>();
            for (OperatorHarness each : sinks) {
                sink(each).prepare(epoch).join();
                sink(each).commit(epoch);
                taken.add(sink(each).taken());
            }
            while (!taken.stream().allMatch(CompletableFuture::isDone)) {
                if (!crank()) {
                    take();
                }
            }
            assertFalse(outputs.haveRowsLeft());
            assertEquals(List.of(numbers(made[0]), numbers(made[1])), kept);
        }

        private static List<Integer> numbers(int count) {
            return IntStream.range(0, count).boxed().toList();
        }

        @Override
        public void close() throws IOException {
            for (OperatorHarness each : sinks) {
                each.close();
            }
        }
    }

    private void live(Program program) throws Exception {
        int lost = 0;
        for (int seed = 0; seed < LIVES; seed++) {
            try (Life life = new Life(new Random(seed), program, folder.resolve("" + seed))) {
                for (int k = 0; k < STEPS; k++) {
                    life.step();
                }
                life.end();
                lost += life.resourceDied ? 1 : 0;
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertTrue(lost > LIVES / 2);
    }

    @Test
    void aProgramThatKeepsItsPlaceHasEachRowOnce() throws Exception {
        live(Program.KEEPS_ITS_PLACE);
    }

    @Test
    void aProgramThatSaysWhatIsDoneMissesNone() throws Exception {
        live(Program.SAYS_WHAT_IS_DONE);
    }
}
