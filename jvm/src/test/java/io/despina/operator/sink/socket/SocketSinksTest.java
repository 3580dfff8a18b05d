package io.despina.operator.sink.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.RecordFormatter;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Retries;
import io.despina.operator.Sink;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.outbox.Outbox;
import io.despina.operator.sink.socket.SinkPeer.Script;
import io.despina.operator.source.socket.SelfSigned;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every sink that sends rows to a program outside. */
class SocketSinksTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final String LONG = "x".repeat(2000);
    /** Of {@link #LONG} text: 12 MB, more than the sockets' own buffers take. */
    private static final int MANY = 6000;
    private static final int AT_ONCE = 100;
    /** The sink has sent more than a peer that stalls has read. */
    private static final int STUCK_BYTES = 1 << 15;

    private SinkSubject.Sent sent = SinkSubject.Sent.PLAIN;
    private SinkPeer peer;
    private OperatorHarness sink;

    private void listen(SinkSubject subject, Script... scripts) throws IOException {
        peer = new SinkPeer(subject::take, null);
        peer.scripts.addAll(List.of(scripts));
    }

    private OperatorHarness.Setup setup(SinkSubject subject) {
        return OperatorHarness.of(() -> subject.sink(peer.port(), sent, new Retries.Waiting(this::sleep,
                RandomGenerator.of("L64X128MixRandom")))).inputs(PAIR).outputs(OperatorHarness.LETTERS);
    }

    private void open(SinkSubject subject) throws Exception {
        sink = setup(subject).open();
    }

    /** The job's clock moves in place of the thread's sleep. */
    private void sleep(long nanos) {
        if (sink != null) {
            sink.now += nanos;
        }
    }

    private static List<List<Object>> rows(int from, int to, String text) {
        return IntStream.range(from, to).mapToObj(n -> row(n, text)).toList();
    }

    private static List<String> texts(int from, int to, String text) {
        return IntStream.range(from, to).mapToObj(n -> n + "," + text).toList();
    }

    private static <T> FutureTask<T> beside(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private void awaitStuck() throws IOException {
        while (peer.unread() < STUCK_BYTES) {
            Thread.onSpinWait();
        }
    }

    /** Feeds until the user is told of a break, then some more, which arrive in order. Where the peer answers, all arrive. */
    private void feedBeyondABreak(SinkSubject subject, String text) throws Exception {
        int next = 0;
        for (; sink.warnings.isEmpty(); next++) {
            sink.feed(0, rows(next, next + 1, text));
        }
        int end = next + AT_ONCE;
        sink.feed(0, rows(next, end, text)).end().close();
        List<String> all = texts(0, end, text);
        List<String> last = all.subList(next, end);
        peer.await(() -> subject.asksForAnswers() ? distinctRows().equals(all) : endsWith(peer.lastRows(), last));
        for (List<String> each : peer.rows()) {
            List<Integer> numbers = each.stream().map(row -> Integer.valueOf(row.substring(0, row.indexOf(',')))).toList();
            assertEquals(numbers.stream().sorted().distinct().toList(), numbers, "in order, once on one connection");
        }
    }

    private static boolean endsWith(List<String> rows, List<String> last) {
        return rows.size() >= last.size() && rows.subList(rows.size() - last.size(), rows.size()).equals(last);
    }

    private List<String> distinctRows() {
        return peer.rows().stream().flatMap(List::stream).distinct().toList();
    }

    @AfterEach
    void close() throws IOException {
        if (peer != null) {
            peer.close();
        }
        if (sink != null) {
            sink.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSlowPeerHoldsItBackAndGetsEveryRow(SinkSubject subject) throws Exception {
        listen(subject, Script.STALLS);
        open(subject);
        FutureTask<Void> feeding = beside(() -> {
            for (int n = 0; n < MANY; n += AT_ONCE) {
                sink.feed(0, rows(n, n + AT_ONCE, LONG));
            }
            sink.end().close();
            return null;
        });
        awaitStuck();
        assertFalse(feeding.isDone(), "the sink has taken more than it may hold");
        peer.goOn();
        feeding.get();
        List<String> all = texts(0, MANY, LONG);
        peer.await(() -> peer.lastRows().size() >= MANY);
        assertEquals(List.of(all), peer.rows());
        assertEquals(List.of(), sink.warnings);
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatCutsTheConnectionAndComesBackGetsTheRest(SinkSubject subject) throws Exception {
        listen(subject, Script.CUTS);
        open(subject);
        feedBeyondABreak(subject, "a");
        assertEquals(2, peer.rows().size());
        assertEquals(1, sink.warnings.size(), sink.warnings.toString());
        assertTrue(sink.warnings.get(0).contains(subject.address(peer.port())), sink.warnings.get(0));
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatIsGoneWithoutAWordIsLeft(SinkSubject subject) throws Exception {
        listen(subject, Script.STALLS);
        sent = sent.waiting(50).retrying(60_000);
        open(subject);
        feedBeyondABreak(subject, LONG);
        assertTrue(sink.warnings.get(0).endsWith((subject.asksForAnswers() ? "no answer within timeout_ms=50"
                : "it took nothing for write_timeout_ms=50") + "; trying again"), sink.warnings.get(0));
    }

    @ParameterizedTest
    @EnumSource
    void aPeerThatStaysAwayFailsTheJob(SinkSubject subject) throws Exception {
        listen(subject);
        open(subject);
        sink.feed(0, rows(0, AT_ONCE, LONG));
        peer.await(() -> !peer.lastRows().isEmpty());
        peer.close();
        long before = sink.now;
        IOException failed = assertThrows(IOException.class, () -> {
            while (true) {
                sink.feed(0, rows(0, AT_ONCE, LONG));
            }
        });
        assertEquals("cannot reach " + subject.address(peer.port()) + ": Connection refused; tried again for retry_for_ms="
                + SinkSubject.RETRY_MS, failed.getMessage());
        assertEquals(SinkSubject.RETRY_MS * 1_000_000L, sink.now - before);
        assertEquals(1, sink.warnings.size(), sink.warnings.toString());
    }

    @ParameterizedTest
    @EnumSource
    void rubbishFromThePeerLosesNothingThatItHasNotTaken(SinkSubject subject) throws Exception {
        for (Script rubbish : List.of(Script.RUBBISH, Script.RUBBISH_LATER)) {
            listen(subject, rubbish);
            open(subject);
            if (subject.ignoresThePeer()) {
                sink.feed(0, rows(0, AT_ONCE, "a")).end().close();
                peer.await(() -> peer.lastRows().size() == AT_ONCE);
                assertEquals(List.of(texts(0, AT_ONCE, "a")), peer.rows());
                assertEquals(List.of(), sink.warnings);
            } else {
                feedBeyondABreak(subject, "a");
                assertEquals(1, sink.warnings.size(), sink.warnings.toString());
            }
            peer.close();
            sink = null;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptEndsItsWaitForThePeer(SinkSubject subject) throws Exception {
        listen(subject, Script.STALLS);
        open(subject);
        Thread[] feeder = new Thread[1];
        FutureTask<Exception> feeding = beside(() -> {
            feeder[0] = Thread.currentThread();
            return assertThrows(InterruptedException.class, () -> {
                while (true) {
                    sink.feed(0, rows(0, AT_ONCE, LONG));
                }
            });
        });
        awaitStuck();
        feeder[0].interrupt();
        feeding.get();
    }

    @ParameterizedTest
    @EnumSource
    void aRowWithoutATextIsABadRecordAndTheOthersLeave(SinkSubject subject) throws Exception {
        listen(subject);
        sent = sent.written(Map.of("quoteAll", "true"), new RecordFormatter() {
            @Override
            public void header(OutputStream out) {
                // none
            }

            @Override
            public void format(Packet packet, OutputStream out) throws IOException {
                out.write((packet.getInt(0) + ",").getBytes(StandardCharsets.UTF_8));
                if (packet.getInt(0) == 2) {
                    throw new IllegalArgumentException("2 has no text");
                }
                out.write("a\n".getBytes(StandardCharsets.UTF_8));
            }
        });
        sink = setup(subject).skippingBadRecords().open();
        sink.feed(0, rows(1, 4, "a")).end().close();
        List<String> good = List.of("1,a", "3,a");
        peer.await(() -> peer.lastRows().equals(good));
        assertEquals(List.of("2 has no text"), sink.badRecords);
        open(subject);
        assertEquals("2 has no text", assertThrows(IllegalArgumentException.class, () -> sink.feed(0, rows(1, 4, "a")))
                .getMessage());
    }

    @ParameterizedTest
    @EnumSource(names = {"HTTP", "WEB_SOCKET"})
    void aTokenComesFromAFileOrTheEnvironmentAndIsNeverShown(SinkSubject subject, @TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "s3cret-words\n");
        Map.Entry<String, String> known = System.getenv().entrySet().stream()
                .filter(each -> each.getValue().matches("[!-~]+")).findFirst().orElseThrow();
        Map<TokenPlace, String> places = Map.of(new TokenPlace(null, file.toString()), "s3cret-words",
                new TokenPlace(known.getKey(), null), known.getValue());
        for (Map.Entry<TokenPlace, String> place : places.entrySet()) {
            listen(subject);
            sent = sent.with(place.getKey());
            open(subject);
            sink.feed(0, rows(0, 1, "a")).end().close();
            peer.await(() -> peer.lastRows().size() == 1);
            assertEquals("Bearer " + place.getValue(), SinkSubject.value(peer.heads.peek(), "authorization"));
            peer.close();
        }
        listen(subject, Script.DENIES);
        sent = sent.with(new TokenPlace(null, file.toString())).retrying(0);
        String denied = assertThrows(Exception.class, () -> {
            open(subject);
            sink.feed(0, rows(0, 1, "a")).end();
        }).getMessage();
        assertTrue(denied.contains("answers 401") && !denied.contains("s3cret"), denied);
        sent = sent.with(new TokenPlace("DESPINA_NO_SUCH_VARIABLE", null));
        assertEquals("the environment variable DESPINA_NO_SUCH_VARIABLE holds no token: one is visible ASCII characters, "
                + "without spaces", assertThrows(IOException.class, () -> open(subject)).getMessage());
    }

    @ParameterizedTest
    @EnumSource
    void overTls(SinkSubject subject, @TempDir Path folder) throws Exception {
        SelfSigned.in(folder);
        peer = new SinkPeer(subject::take, SelfSigned.trusting(folder));
        String certificate = folder.resolve("certificate.pem").toString();
        sent = sent.secured(new TlsFiles(certificate, folder.resolve("key.pem").toString(), certificate));
        open(subject);
        sink.feed(0, rows(0, AT_ONCE, "a")).end().close();
        peer.await(() -> peer.lastRows().size() == AT_ONCE);
        assertEquals(texts(0, AT_ONCE, "a"), peer.lastRows());
        sent = sent.secured(new TlsFiles(null, null, null)).retrying(0);
        String unknown = assertThrows(IOException.class, () -> {
            open(subject);
            sink.feed(0, rows(0, 1, "a")).end();
        }).getMessage();
        assertTrue(unknown.startsWith("cannot reach ") && unknown.contains("PKIX path"), unknown);
    }

    @ParameterizedTest
    @EnumSource
    void anOutboxTakesRowsBeforeItsPeerIsThere(SinkSubject subject, @TempDir Path folder) throws Exception {
        listen(subject);
        peer.close();
        sink = OperatorHarness.of(() -> new Outbox((LeavingSink) subject.sink(peer.port(), sent, new Retries.Waiting(nanos -> {
            throw new AssertionError("it waits for its peer");
        }, RandomGenerator.getDefault())), Runnable::run, 1 << 20)).inputs(PAIR).outputs(OperatorHarness.LETTERS).keeping(folder)
                .open();
        sink.feedRow(0, 1, "a");
        ((Sink) sink.operator()).prepare(1).join();
        assertEquals(List.of(), sink.warnings);
    }
}
