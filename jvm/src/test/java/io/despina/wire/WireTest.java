package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelContract;
import io.despina.link.ChannelId;
import io.despina.metrics.LinkCounters;
import io.despina.wire.frame.FrameHeader;
import io.despina.wire.frame.WholeFrames;
import io.despina.wire.handshake.HandshakePeer;
import io.despina.wire.handshake.Hello;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who gets in, and what is said to those who do not. */
@Timeout(60)
class WireTest {
    private static final byte[] SECRET = bytes("a secret of sixteen bytes or more");

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private Wire wire;
    private Wire other;

    @BeforeEach
    void setUp() throws Exception {
        wire = Wire.open(WireOptions.local(SECRET, pool, 1, 4));
        other = Wire.open(WireOptions.local(SECRET, pool, 1, 4));
    }

    @AfterEach
    void tearDown() {
        wire.close();
        other.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String next() throws InterruptedException {
        String text = heard.poll(20, TimeUnit.SECONDS);
        assertTrue(text != null, "nothing was heard");
        return text;
    }

    private ControlHandler handler(String name) {
        return new ControlHandler() {
            @Override
            public void message(byte[] json) {
                heard.add(name + " got " + new String(json, StandardCharsets.UTF_8));
            }

            @Override
            public void closed(String reason) {
                heard.add(name + " closed: " + reason);
            }
        };
    }

    @Test
    void controlMessagesGoBothWaysInOrderUntilTheEnd() throws Exception {
        BlockingQueue<ControlConnection> accepted = new LinkedBlockingQueue<>();
        wire.onControl(connection -> {
            accepted.add(connection);
            return handler("server");
        });
        ControlConnection client = other.control("127.0.0.1", wire.port(), handler("client"));
        ControlConnection server = accepted.poll(20, TimeUnit.SECONDS);
        for (int k = 0; k < 100; k++) {
            client.send(bytes("m" + k));
        }
        for (int k = 0; k < 100; k++) {
            assertEquals("server got m" + k, next());
        }
        byte[] large = new byte[3 << 20];
        Arrays.fill(large, (byte) 'x');
        server.send(large);
        assertArrayEquals(bytes("client got " + new String(large, StandardCharsets.UTF_8)), bytes(next()));
        server.send(bytes("last"));
        server.close();
        // each side tells on a thread of its own: in order only what one of them tells
        List<String> ends = new ArrayList<>(List.of(next(), next(), next()));
        assertTrue(ends.remove("server closed: closed here"), ends.toString());
        assertEquals(List.of("client got last", "client closed: the other side closed the connection"), ends);
    }

    @Test
    void aConnectionForWhichNobodyWaitsAnyMoreIsClosed() throws Exception {
        CompletableFuture<Void> gone = new CompletableFuture<>();
        BlockingQueue<String> names = new LinkedBlockingQueue<>(List.of("first", "server"));
        wire.onControl(connection -> {
            String name = names.remove();
            if (name.equals("first")) {
                gone.join();        // it is answered, and then nobody is: there is one thread
            }
            return handler(name);
        });
        other.control("127.0.0.1", wire.port(), handler("first"));
        Thread.currentThread().interrupt();
        assertThrows(IOException.class, () -> other.control("127.0.0.1", wire.port(), handler("client")));
        assertTrue(Thread.interrupted());
        gone.complete(null);
        assertEquals(Set.of("client closed: closed here", "server closed: the other side closed the connection"),
                Set.of(next(), next()));
    }

    @Test
    void aPeerWithAnotherSecretIsToldApartOnBothSides() throws Exception {
        wire.onControl(connection -> handler("server"));
        try (Wire stranger = Wire.open(WireOptions.local(bytes("another secret, as long as that"), pool, 1, 1))) {
            IOException e = assertThrows(IOException.class,
                    () -> stranger.control("127.0.0.1", wire.port(), handler("stranger")));
            assertEquals("127.0.0.1:" + wire.port() + ": it does not know this job's secret", e.getMessage());
        }
    }

    @Test
    void whoIsAdmittedByANameComesByItsSecretAndByNoOther() throws Exception {
        BlockingQueue<String> came = new LinkedBlockingQueue<>();
        wire.onControl(connection -> {
            came.add("as `" + connection.admitted() + "`");
            return handler("server");
        });
        wire.admit("one", "the secret of one, and of one alone");
        wire.admit("two", "the secret of two, and of two alone");
        byte[] ofOne = bytes("the secret of one, and of one alone");
        try (Wire one = Wire.open(WireOptions.local(ofOne, pool, 1, 1), "one");
             Wire asTwo = Wire.open(WireOptions.local(ofOne, pool, 1, 1), "two");
             Wire asNobody = Wire.open(WireOptions.local(ofOne, pool, 1, 1));
             Wire oneByCommon = Wire.open(WireOptions.local(SECRET, pool, 1, 1), "one")) {
            one.control("127.0.0.1", wire.port(), handler("one"));
            for (Wire impostor : List.of(asTwo, asNobody, oneByCommon)) {
                assertThrows(IOException.class, () -> impostor.control("127.0.0.1", wire.port(), handler("impostor")));
            }
            wire.forget("one");
            oneByCommon.control("127.0.0.1", wire.port(), handler("one"));
            assertEquals(List.of("as `one`", "as ``"), List.of(came.take(), came.take()));
            assertThrows(IOException.class, () -> one.control("127.0.0.1", wire.port(), handler("one")));
        }
    }

    @Test
    void aJobsChannelComesByItsSecretAndWaitsUntilThatIsKnown() throws Exception {
        ChannelId mine = new ChannelId(Attempt.first("mine"), 1);
        FailureListener failure = (channel, reason) -> heard.add(channel + ": " + reason);
        var receiver = wire.receiver(mine, ChannelContract.OPTIONS, failure, null);
        receiver.setReceiver(() -> heard.add("arrived"));
        other.admit("mine", "the secret of mine, and of mine alone");
        var sender = other.sender(mine, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS,
                new LinkCounters(1).wire(0), failure);
        sender.send(pool.signal(SegmentKind.WATERMARK, 5, false));
        try (Socket impostor = new Socket("127.0.0.1", wire.port())) {
            wire.admit("mine", "the secret of mine, and of mine alone");
            assertThrows(AssertionError.class, () -> new HandshakePeer(impostor, mine).prove(SECRET));
        }
        assertEquals("arrived", next());
        receiver.consumed(receiver.poll());
    }

    @Test
    void aPeerThatCannotProveTheSecretIsRefused() throws Exception {
        wire.onControl(connection -> handler("server"));
        try (Socket socket = new Socket("127.0.0.1", wire.port())) {
            new HandshakePeer(socket, null).proveWrongly();
            byte[] verdict = socket.getInputStream().readAllBytes();
            assertEquals(Hello.REFUSED, verdict[0]);
            assertEquals("the peer does not know the secret", new String(verdict, 3, verdict.length - 3, StandardCharsets.UTF_8));
        }
        assertTrue(heard.isEmpty());
    }

    @Test
    void aProofCannotBeSentBackToItsMaker() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", wire.port())) {
            new HandshakePeer(socket, null).sendProofBack();
            assertEquals(Hello.REFUSED, socket.getInputStream().read());
        }
    }

    @Test
    void strangersGetNoAnswer() throws Exception {
        for (String words : new String[] {"GET / HTTP/1.1\r\n\r\n",
                "DSPN\u0009 and something else that is long enough for one"}) {
            try (Socket socket = new Socket("127.0.0.1", wire.port())) {
                socket.getOutputStream().write(bytes(words));
                assertEquals(-1, socket.getInputStream().read());
            }
        }
    }

    @Test
    void aFrameBeforeTheHandshakeIsNotRead() throws Exception {
        wire.onControl(connection -> handler("server"));
        try (Socket socket = new Socket("127.0.0.1", wire.port())) {
            socket.getOutputStream().write(WholeFrames.emptyControl());
            assertEquals(-1, socket.getInputStream().read());
        }
        assertTrue(heard.isEmpty());
    }

    @Test
    void aPortInUseIsSaidSo() {
        SegmentPool own = new SegmentPool(new Budget(1 << 20));
        IOException e = assertThrows(IOException.class, () -> Wire.open(
                new WireOptions("127.0.0.1", wire.port(), 1, SECRET, null, own, System::nanoTime, 64 << 10)));
        assertTrue(e.getMessage().startsWith("cannot listen on 127.0.0.1:" + wire.port()), e.getMessage());
        assertTrue(e.getMessage().contains("another process may use the port"), e.getMessage());
    }

    @Test
    void nobodyThereIsSaidSo() throws Exception {
        AtomicLong clock = new AtomicLong();
        LongSupplier hasty = () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(4));
        // a port that is taken, so that no other process can listen there, and where nobody listens
        try (Socket held = new Socket();
             Wire knocking = Wire.open(new WireOptions("127.0.0.1", 0, 1, SECRET, null, pool, hasty, 64 << 10))) {
            held.bind(new InetSocketAddress("127.0.0.1", 0));
            int port = held.getLocalPort();
            IOException e = assertThrows(IOException.class, () -> wire.control("127.0.0.1", port, handler("client")));
            assertEquals("127.0.0.1:" + port + ": nobody answers there (Connection refused)", e.getMessage());
            knocking.sender(new ChannelId(Attempt.first("job"), 1), new Network.To("127.0.0.1", port, null),
                    ChannelContract.OPTIONS, new LinkCounters(1).wire(0), (id, reason) -> heard.add(id + ": " + reason));
            assertTimely("channel 1 of job job: 127.0.0.1:" + port + ": nobody answers there");
        }
    }

    @Test
    void aChannelWhoseReceivingResourceIsLateKnocksAgain() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 6);
        FailureListener failure = (channel, reason) -> heard.add(channel + ": " + reason);
        int port;
        try (ServerSocket busy = new ServerSocket(0)) {
            port = busy.getLocalPort();
            var sender = other.sender(id, new Network.To("127.0.0.1", port, null),
                    ChannelContract.OPTIONS, new LinkCounters(1).wire(0), failure);
            sender.send(pool.signal(SegmentKind.WATERMARK, 5, false));
            // one connection that is closed in the handshake; until the next port is open, others find nobody
            busy.accept().close();
        }
        try (Wire late = Wire.open(new WireOptions("127.0.0.1", port, 1, SECRET, null, pool, System::nanoTime, 64 << 10))) {
            var receiver = late.receiver(id, ChannelContract.OPTIONS, failure, null);
            receiver.setReceiver(() -> heard.add("arrived"));
            if (!receiver.hasNext()) {
                assertEquals("arrived", next());
            }
            receiver.consumed(receiver.poll());
        }
    }

    private void assertTimely(String start) {
        try {
            String text = next();
            assertTrue(text.startsWith(start), text);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aChannelMayBeRegisteredAfterItsSenderHasKnocked() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 3);
        FailureListener failure = (channel, reason) -> heard.add(channel + ": " + reason);
        var sender = other.sender(id, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS,
                new LinkCounters(1).wire(0), failure);
        sender.send(pool.signal(SegmentKind.WATERMARK, 5, false));
        // The sender finds the channel on its next knock, whenever it has come.
        var receiver = wire.receiver(id, ChannelContract.OPTIONS, failure, null);
        receiver.setReceiver(() -> heard.add("arrived"));
        if (!receiver.hasNext()) {
            assertEquals("arrived", next());
        }
        receiver.consumed(receiver.poll());
        wire.release(Attempt.first("job"));
        assertTimely(id + ": the receiving resource closed the connection before the channel's end");
    }

    /** Its loop is served by nobody, as that of a worker which is in a task for long. */
    @Test
    void aSenderIsAcceptedThoughTheReceiversWorkerIsBusy() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 6);
        FailureListener failure = (channel, reason) -> heard.add(reason);
        IoLoop busy = wire.loop();
        var receiver = wire.receiver(id, ChannelContract.OPTIONS, failure, busy);
        LinkCounters.WireCounters counters = new LinkCounters(1).wire(0);
        var sender = other.sender(id, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS, counters, failure);
        sender.send(pool.signal(io.despina.buffer.SegmentKind.WATERMARK, 5, false));
        while (!sender.isDrained() && heard.isEmpty()) {        // written: it has been accepted
            Thread.onSpinWait();
        }
        assertEquals(List.of(), List.copyOf(heard));
        busy.own();
        while (!receiver.hasNext()) {
            busy.poll();
        }
        receiver.consumed(receiver.poll());
        wire.release(Attempt.first("job"));
        other.release(Attempt.first("job"));
        busy.close();
    }

    @Test
    void aSenderOfAnEarlierAttemptIsRefusedAtOnce() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job").next(), 4);
        wire.receiver(id, ChannelContract.OPTIONS, (channel, reason) -> heard.add(channel + ": " + reason), null);
        ChannelId zombie = new ChannelId(Attempt.first("job"), 4);
        other.sender(zombie, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS, new LinkCounters(1).wire(0),
                (channel, reason) -> heard.add(channel + ": " + reason));
        assertEquals("channel 4 of job job: 127.0.0.1:" + wire.port()
                + ": channel 4 of job job is over: attempt 2 of the job runs here", next());
        // and the channel is still there for the sender that it waits for
        var sender = other.sender(id, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS,
                new LinkCounters(1).wire(0), (channel, reason) -> heard.add(channel + ": " + reason));
        sender.send(pool.signal(SegmentKind.IDLE, 0, false));
        while (!sender.isDrained() && heard.isEmpty()) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(), List.copyOf(heard));
    }

    @Test
    void aFrameOfAnEarlierAttemptIsRefusedThoughItsConnectionIsOfThisOne() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job").next(), 4);
        var receiver = wire.receiver(id, ChannelContract.OPTIONS, (channel, reason) -> heard.add(channel + ": " + reason), null);
        try (Socket socket = new Socket("127.0.0.1", wire.port())) {
            new HandshakePeer(socket, id).prove(SECRET);
            InputStream in = socket.getInputStream();
            assertArrayEquals(new byte[] {Hello.ACCEPTED, 0, 0}, in.readNBytes(3));
            socket.getOutputStream().write(WholeFrames.signal(SegmentKind.END, 4, 1, 0));
            String wrong = "frame of attempt 1 on a connection of attempt 2";
            assertEquals("channel 4 of job job (attempt 2): " + wrong, next());
            byte[] notice = in.readAllBytes();
            assertEquals("F" + wrong, new String(notice, FrameHeader.BYTES, notice.length - FrameHeader.BYTES,
                    StandardCharsets.UTF_8));
        }
        assertTrue(!receiver.hasNext(), "it was let in");
    }

    @Test
    void anAttemptThatIsOverIsReleasedWithoutTheNext() throws Exception {
        FailureListener failure = (channel, reason) -> heard.add(channel + ": " + reason);
        Attempt first = Attempt.first("job");
        for (Attempt attempt : List.of(first, first.next())) {
            wire.receiver(new ChannelId(attempt, 4), ChannelContract.OPTIONS, failure, null);
        }
        wire.release(first);
        assertThrows(IllegalStateException.class,
                () -> wire.receiver(new ChannelId(first.next(), 4), ChannelContract.OPTIONS, failure, null));
        wire.receiver(new ChannelId(first, 4), ChannelContract.OPTIONS, failure, null);
    }

    @Test
    void aMalformedFrameEndsTheConnectionAndBothSidesSayWhy() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 4);
        wire.receiver(id, ChannelContract.OPTIONS, (channel, reason) -> heard.add(channel + ": " + reason), null);
        try (Socket socket = new Socket("127.0.0.1", wire.port())) {
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            new HandshakePeer(socket, id).prove(SECRET);
            assertArrayEquals(new byte[] {Hello.ACCEPTED, 0, 0}, in.readNBytes(3));
            out.write(WholeFrames.signal(SegmentKind.WATERMARK, 4, 1, 5));
            String wrong = "frame 5 where frame 0 must follow";
            assertEquals("channel 4 of job job: " + wrong, next());
            byte[] notice = in.readAllBytes();
            assertEquals("F" + wrong, new String(notice, FrameHeader.BYTES, notice.length - FrameHeader.BYTES,
                    StandardCharsets.UTF_8));
        }
    }

    @Test
    void aChannelConnectsOnce() throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 5);
        FailureListener failure = (channel, reason) -> heard.add(reason);
        wire.receiver(id, ChannelContract.OPTIONS, failure, null);
        assertThrows(IllegalStateException.class, () -> wire.receiver(id, ChannelContract.OPTIONS, failure, null));
        var sender = other.sender(id, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS,
                new LinkCounters(1).wire(0), failure);
        sender.send(pool.signal(SegmentKind.IDLE, 0, false));
        while (!sender.isDrained()) {
            Thread.onSpinWait();
        }
        try (Wire third = Wire.open(WireOptions.local(SECRET, pool, 1, 1))) {
            third.sender(id, new Network.To("127.0.0.1", wire.port(), null), ChannelContract.OPTIONS,
                    new LinkCounters(1).wire(0), failure);
            assertEquals("127.0.0.1:" + wire.port() + ": channel 5 of job job is connected already", next());
        }
    }
}
