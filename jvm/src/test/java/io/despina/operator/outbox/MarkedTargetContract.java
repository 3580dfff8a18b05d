package io.despina.operator.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Sink;
import io.despina.operator.connect.MarkedRecordSink;
import io.despina.operator.connect.PositionSourceOptions.Loading;
import io.despina.operator.connect.RecordSinkOptions;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.To;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds of every target that keeps a mark of each epoch, behind an outbox. A connector whose target runs without a server is
 * a subject; of the others the tests with servers ask the same.
 */
public abstract class MarkedTargetContract {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));
    private static final long LOG_BYTES = 1 << 20;
    private static final long MINUTES = 1;

    @TempDir
    protected Path folder;
    private OperatorHarness outbox;
    /** Whether another thread sends, and waits before the rows leave. */
    private boolean paused;
    private final CountDownLatch leaves = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    /** Makes an empty target for rows with a number, the column {@code n}. */
    protected abstract void prepare() throws Exception;

    /** A sink for it, of another attempt. */
    protected abstract MarkedSink sink();

    /** A sink that writes the numbers as records. */
    protected static MarkedSink records(Loading connector, ConnectorSettings settings) {
        return new MarkedRecordSink(new RecordSinkOptions(new RecordFormat.Write(FileFormat.CSV, Map.of(), "UTC", true),
                text -> null, new Parts(null, null, false, false, List.of()), new Value(List.of(0), NUMBER), new To(connector,
                        settings, 1000, null)));
    }

    /** The numbers that it has, in any order. */
    protected abstract List<Integer> rows() throws Exception;

    /** Waits before the rows of an epoch leave, and tells when it is closed. */
    private final class Paused implements MarkedSink {
        private final MarkedSink inner = sink();

        @Override
        public void open(OperatorContext context) throws Exception {
            inner.open(context);
        }

        @Override
        public void openForLater(OperatorContext context) throws Exception {
            inner.openForLater(context);
        }

        @Override
        public Marker marker(String of, long epoch) throws Exception {
            return inner.marker(of, epoch);
        }

        @Override
        public void begin(String of, long epoch) throws Exception {
            inner.begin(of, epoch);
        }

        @Override
        public void process(int port, PacketCursor packets) throws Exception {
            inner.process(port, packets);
        }

        @Override
        public boolean release() throws Exception {
            leaves.countDown();
            for (boolean told = false; !told;) {
                try {
                    told = goOn.await(MINUTES, TimeUnit.MINUTES);
                } catch (InterruptedException deaf) {
                    continue;       // as a read of a socket
                }
            }
            return inner.release();
        }

        @Override
        public void close() throws IOException {
            inner.close();
            closed.countDown();
        }
    }

    private void open(Path kept, boolean restored) throws Exception {
        Executor senders = paused ? ForkJoinPool.commonPool() : Runnable::run;
        OperatorHarness.Setup setup = OperatorHarness.of(() -> (Operator) new Outbox(paused ? new Paused() : sink(), senders,
                LOG_BYTES)).inputs(NUMBER).outputs(OperatorHarness.LETTERS).skippingBadRecords().keeping(kept);
        outbox = (restored ? setup.restored() : setup).open();
    }

    @BeforeEach
    void begin() throws Exception {
        prepare();
        open(folder.resolve("kept"), false);
    }

    @AfterEach
    void close() throws IOException {
        outbox.close();
    }

    private Map<String, byte[]> prepared(long epoch, int... numbers) throws Exception {
        for (int number : numbers) {
            outbox.feedRow(0, number);
        }
        CompletableFuture<Void> done = ((Sink) outbox.operator()).prepare(epoch);
        Map<String, byte[]> snapshot = outbox.snapshot();
        done.join();
        return snapshot;
    }

    private CompletableFuture<Void> commit(long epoch) throws Exception {
        return ((Sink) outbox.operator()).commit(epoch);
    }

    private void expect(Integer... numbers) throws Exception {
        assertEquals(List.of(numbers), rows().stream().sorted().toList());
    }

    private Path copied() throws IOException {
        Path from = folder.resolve("kept");
        Path to = folder.resolve("copy");
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
        return to;
    }

    @Test
    void rowsComeWithTheirEpochAndInItsOrder() throws Exception {
        prepared(1, 1, 2);
        expect();
        commit(1).join();
        expect(1, 2);
        prepared(2);
        commit(2).join();
        prepared(3, 3);
        prepared(4, 4);
        commit(3).join();
        expect(1, 2, 3);
        commit(4).join();
        expect(1, 2, 3, 4);
    }

    @Test
    void aJobThatIsKilledBetweenPreparingAndCommittingGoesOn() throws Exception {
        prepared(1, 1);
        commit(1).join();
        Map<String, byte[]> second = prepared(2, 2, 3);
        outbox.restart(second);
        commit(2).join();
        expect(1, 2, 3);
    }

    @Test
    void anEpochThatIsThereIsNotWrittenAgain() throws Exception {
        Map<String, byte[]> first = prepared(1, 1, 2);
        Path before = copied();
        commit(1).join();
        outbox.close();
        open(before, true);
        outbox.restart(first);
        commit(1).join();
        expect(1, 2);
        prepared(2, 3);
        commit(2).join();
        expect(1, 2, 3);
    }

    @Test
    void anOlderCopyOfTheStateIsRefused() throws Exception {
        Map<String, byte[]> first = prepared(1, 1);
        Path before = copied();
        commit(1).join();
        prepared(2, 2);
        commit(2).join();
        outbox.close();
        open(before, true);
        outbox.restart(first);
        CompletableFuture<Void> late = commit(1);
        Throwable why = assertThrows(CompletionException.class, late::join).getCause();
        assertTrue(why instanceof RefusedException && why.getMessage().contains("the state folder is an older copy"),
                why::toString);
        expect(1, 2);
    }

    @Test
    void aSinkThatIsClosedWhileAnEpochLeavesHasItWhollyOrNotAtAll() throws Exception {
        outbox.close();
        paused = true;
        Path kept = folder.resolve("paused");
        open(kept, false);
        Map<String, byte[]> first = prepared(1, 1, 2);
        CompletableFuture<Void> leaving = commit(1);
        assertTrue(leaves.await(MINUTES, TimeUnit.MINUTES));
        Thread.currentThread().interrupt();
        outbox.close();
        assertTrue(Thread.interrupted());
        goOn.countDown();
        assertTrue(closed.await(MINUTES, TimeUnit.MINUTES));
        leaving.handle((done, why) -> done).join();
        paused = false;
        open(kept, true);
        outbox.restart(first);
        commit(1).join();
        expect(1, 2);
    }
}
