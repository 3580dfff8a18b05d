package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSender;
import io.despina.link.ChannelSpec;
import io.despina.link.LinkSpec;
import io.despina.link.OutLink;
import io.despina.link.PortOutput;
import io.despina.link.PortOutputs;
import io.despina.link.PortSettings;
import io.despina.link.QueueBounds;
import io.despina.metrics.LinkCounters;
import io.despina.metrics.LinkSnapshot;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.CompressionSpec.Mode;
import io.despina.spec.Partition;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a relay packet of 50 bytes takes on the wire, the headers of its frames included, through a real port and socket. */
class WireSizeTest {
    private static final byte[] SECRET = "a secret of sixteen bytes or more".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    private static final Schema RELAY = Schema.of(new Column("sequence", Simple.BIGINT, false),
            new Column("due", Simple.TIMESTAMP, false), new Column("payload", Simple.BINARY, false));
    private static final int PACKET = 50;
    private static final int MOST_ON_WIRE = 56;
    private static final int MAX_PACKET = 64 << 10;

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Semaphore bell = new Semaphore(0);

    @ParameterizedTest
    @CsvSource({"NEVER, 1024", "NEVER, 4096", "NEVER, 65536", "NEVER, 1048576", "ALWAYS, 65536", "ADAPTIVE, 65536"})
    void atFullBuffers(Mode mode, int capacity) throws Exception {
        WireOptions any = new WireOptions("127.0.0.1", 0, 1, SECRET, null, pool, System::nanoTime, 128 << 10);
        long packets = 40L * capacity / PACKET;
        LinkSnapshot link;
        try (Wire here = Wire.open(any); Wire there = Wire.open(any)) {
            link = sent(here, there, new ChannelOptions(new BufferSpec(capacity, Long.MAX_VALUE / 4, true),
                    new QueueBounds(2L * capacity, 4L * capacity), new CompressionSpec(mode, 6), Long.MAX_VALUE / 4,
                    MAX_PACKET, 1),
                    packets);
        }
        assertEquals(packets, link.packets());
        assertEquals(List.of(), List.copyOf(failures));
        assertEquals(Map.of(), pool.leaks());
        assertTrue(mode == Mode.ALWAYS || link.bytesOnWire() > PACKET * packets, link.bytesOnWire() + " bytes");
        assertTrue(link.bytesOnWire() <= MOST_ON_WIRE * packets, (double) link.bytesOnWire() / packets + " bytes per packet");
    }

    private LinkSnapshot sent(Wire here, Wire there, ChannelOptions options, long packets) throws Exception {
        ChannelId id = new ChannelId(Attempt.first("job"), 1);
        FailureListener failure = (channel, reason) -> failures.add(channel + ": " + reason);
        LinkCounters counters = new LinkCounters(1);
        ChannelReceiver receiver = there.receiver(id, options, failure, null);
        ChannelSender sender = here.sender(id, new Network.To("127.0.0.1", there.port(), null), options, counters.wire(0),
                failure);
        LinkSpec spec = new LinkSpec("a->b", new Partition.Forward(), options.buffer(), options.compression(),
                List.of(ChannelSpec.local(1, "a->b")));
        PortOutput port = PortOutputs.create(RELAY.layout(), List.of(new OutLink(spec, List.of(sender), counters)),
                new PortSettings(pool, MAX_PACKET, System::nanoTime, pool.overdraft().rank(0)));
        port.setWaker(bell::release);
        receiver.setReceiver(bell::release);
        write(port, receiver, packets);
        port.signal(SegmentKind.END, Segment.COMPLETE);
        while (!take(receiver)) {
            port.flush(System.nanoTime());
            assertTrue(bell.tryAcquire(20, TimeUnit.SECONDS), "no end came");
        }
        port.close();
        return counters.snapshot(0);
    }

    private void write(PortOutput port, ChannelReceiver receiver, long packets) throws Exception {
        byte[] payload = new byte[PACKET - 16];
        SplittableRandom random = new SplittableRandom(1);
        for (long k = 0; k < packets; k++) {
            while (!port.hasRoom()) {
                port.flush(System.nanoTime());
                take(receiver);
                assertTrue(port.hasRoom() || bell.tryAcquire(20, TimeUnit.SECONDS), "no room came");
            }
            random.nextBytes(payload);
            PacketWriter packet = port.writer().begin();
            packet.setLong(0, k);
            packet.setLong(1, 1_700_000_000_000_000L + k);
            packet.setBytes(2, payload, 0, payload.length);
            packet.commit();
        }
    }

    /** Takes all that has arrived; whether the end was among it. */
    private static boolean take(ChannelReceiver receiver) {
        boolean end = false;
        for (Segment arrived = receiver.poll(); arrived != null; arrived = receiver.poll()) {
            end |= arrived.kind == SegmentKind.END;
            receiver.consumed(arrived);
        }
        return end;
    }
}
