package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelContract;
import io.despina.link.ChannelId;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.metrics.LinkCounters;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same channels and connections inside TLS. */
@Timeout(60)
class TlsTest {
    private static final byte[] SECRET = "a secret of sixteen bytes or more".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));

    private Wire open(Tls tls) throws IOException {
        return Wire.open(new WireOptions("127.0.0.1", 0, 1, SECRET, tls, pool, System::nanoTime, 64 << 10));
    }

    @Test
    void channelsRunInsideTlsAndPlainPeersDoNotGetIn() throws Exception {
        Tls tls = tls("ip:127.0.0.1");
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        try (Wire here = open(tls); Wire there = open(tls); Wire plain = open(null)) {
            there.onControl(connection -> {
                throw new IllegalStateException("nobody may get here");
            });
            ChannelId id = new ChannelId(Attempt.first("job"), 1);
            FailureListener failure = (channel, reason) -> failures.add(reason);
            ChannelReceiver receiver = there.receiver(id, ChannelContract.OPTIONS, failure, null);
            ChannelSender sender = here.sender(id, new Network.To("127.0.0.1", there.port(), null), ChannelContract.OPTIONS,
                    new LinkCounters(1).wire(0), failure);
            Semaphore bell = new Semaphore(0);
            receiver.setReceiver(bell::release);
            for (int k = 0; k < 300; k++) {
                sender.send(filled(k));
            }
            sender.send(pool.signal(SegmentKind.END, 0, false));
            for (int k = 0; k < 300; k++) {
                Segment segment = next(receiver, bell);
                assertEquals((byte) k, segment.bytes()[4000], "segment " + k);
                receiver.consumed(segment);
            }
            assertEquals(SegmentKind.END, next(receiver, bell).kind);
            assertEquals(0, failures.size(), failures::toString);
            refused(plain, there, "TLS may be on there");
            refused(here, plain, "TLS");
        }
    }

    @Test
    void whoHasAnotherAuthorityDoesNotGetIn() throws Exception {
        try (Wire there = open(tls("ip:127.0.0.1")); Wire stranger = open(tls("ip:127.0.0.1"))) {
            there.onControl(connection -> {
                throw new IllegalStateException("nobody may get here");
            });
            refused(stranger, there, "another authority than this side's authority.pem has signed its certificate.pem");
        }
    }

    @Test
    void whoShowsACertificateOfAnotherAuthorityDoesNotGetIn() throws Exception {
        Path ours = Certificates.in(folder.resolve("ours"), "ip:127.0.0.1");
        Path theirs = Certificates.in(folder.resolve("theirs"), "ip:127.0.0.1");
        Files.copy(ours.resolve(Tls.AUTHORITY), theirs.resolve(Tls.AUTHORITY), StandardCopyOption.REPLACE_EXISTING);
        try (Wire there = open(Tls.of(ours)); Wire stranger = open(Tls.of(theirs))) {
            there.onControl(connection -> {
                throw new IllegalStateException("nobody may get here");
            });
            refused(stranger, there, "authority");
        }
    }

    @Test
    void aCertificateIsOfTheHostThatIsCalled() throws Exception {
        Tls elsewhere = tls("ip:10.0.0.1");
        try (Wire there = open(elsewhere); Wire here = open(elsewhere)) {
            refused(here, there,
                    "its certificate.pem does not name 127.0.0.1: sign one with -addext subjectAltName=IP:127.0.0.1");
        }
    }

    @ParameterizedTest
    @CsvSource({"-10d, 5, has expired", "+5d, 5, is not valid yet"})
    void aCertificateOfAnotherTimeIsToldFromAWrongOne(String start, int days, String why) throws Exception {
        Tls then = Tls.of(Certificates.in(folder.resolve("then"), "ip:127.0.0.1", start, days));
        try (Wire there = open(then); Wire here = open(then)) {
            refused(here, there, "its certificate.pem " + why);
        }
    }

    @Test
    void filesThatMakeNoTlsAreNamed() throws Exception {
        Path made = Certificates.in(folder.resolve("made"), "ip:127.0.0.1");
        Files.writeString(made.resolve(Tls.KEY), "none");
        assertTrue(unreadable(made).contains(Tls.KEY), unreadable(made));
        Files.delete(made.resolve(Tls.AUTHORITY));
        assertEquals("no authority.pem in " + made, unreadable(made));
        assertEquals("no certificate.pem in " + folder.resolve("none"), unreadable(folder.resolve("none")));
    }

    private static String unreadable(Path folder) {
        return assertThrows(IOException.class, () -> Tls.of(folder)).getMessage();
    }

    private static void refused(Wire from, Wire to, String why) {
        String said = assertThrows(IOException.class, () -> from.control("127.0.0.1", to.port(), null)).getMessage();
        assertTrue(said.contains(why), said);
    }

    private Tls tls(String names) throws Exception {
        return Tls.of(Certificates.in(Files.createTempDirectory(folder, "tls"), names));
    }

    /** One packet of 4094 equal bytes. */
    private Segment filled(int k) {
        Segment segment = pool.take(4096);
        java.util.Arrays.fill(segment.bytes(), (byte) k);
        io.despina.packet.Bytes.putVarint(segment.bytes(), 0, 4094);
        segment.end = 4096;
        segment.packets = 1;
        return segment;
    }

    private static Segment next(ChannelReceiver receiver, Semaphore bell) throws InterruptedException {
        while (true) {
            Segment segment = receiver.poll();
            if (segment != null) {
                return segment;
            }
            assertTrue(bell.tryAcquire(20, TimeUnit.SECONDS), "nothing arrived");
        }
    }
}
