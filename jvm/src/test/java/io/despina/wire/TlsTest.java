package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.link.ChannelContract;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.metrics.LinkCounters;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same channels and connections inside TLS, with a certificate of the JDK's own tool. */
@Timeout(60)
class TlsTest {
    private static final String PASSWORD = "password";
    private static final byte[] SECRET = "a secret of sixteen bytes or more".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));

    private KeyStore certificate() throws Exception {
        Path file = folder.resolve("keys.p12");
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-keyalg", "EC", "-alias", "despina", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1", "-keystore",
                file.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD);
        assertEquals(0, new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(
                folder.resolve("keytool.log").toFile()).start().waitFor());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private WireOptions.Tls tls() throws Exception {
        KeyStore keys = certificate();
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        return new WireOptions.Tls(SslContextBuilder.forServer(own).build(),
                SslContextBuilder.forClient().trustManager(trusted).build());
    }

    private Wire open(WireOptions.Tls tls) throws IOException {
        return Wire.open(new WireOptions("127.0.0.1", 0, 1, SECRET, tls, pool, System::nanoTime, 64 << 10));
    }

    @Test
    void channelsRunInsideTlsAndPlainPeersDoNotGetIn() throws Exception {
        WireOptions.Tls tls = tls();
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        try (Wire here = open(tls); Wire there = open(tls); Wire plain = open(null)) {
            there.onControl(connection -> {
                throw new IllegalStateException("nobody may get here");
            });
            ChannelId id = new ChannelId("job", 1);
            FailureListener failure = (channel, reason) -> failures.add(reason);
            ChannelReceiver receiver = there.receiver(id, ChannelContract.OPTIONS, failure, null);
            ChannelSender sender = here.sender(id, new Wire.To("127.0.0.1", there.port(), null), ChannelContract.OPTIONS,
                    new LinkCounters(1).wire(0), failure);
            Semaphore bell = new Semaphore(0);
            receiver.wakes(bell::release);
            for (int k = 0; k < 300; k++) {
                sender.send(filled(k));
            }
            sender.send(pool.signal(Segment.Kind.END, 0, false));
            for (int k = 0; k < 300; k++) {
                Segment segment = next(receiver, bell);
                assertEquals((byte) k, segment.bytes()[4000], "segment " + k);
                receiver.consumed(segment);
            }
            assertEquals(Segment.Kind.END, next(receiver, bell).kind);
            assertEquals(0, failures.size(), failures::toString);
            assertThrows(IOException.class, () -> plain.control("127.0.0.1", there.port(), null));
        }
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
