package io.despina.compare.flink;

import io.despina.compare.Arrivals;
import io.despina.compare.Pace;
import io.despina.compare.Presence;
import io.despina.compare.RelayPackets;
import io.despina.compare.Settings;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.core.io.InputStatus;

/** Source, relay and sink of relay packets. */
final class Relaying {
    private Relaying() {
    }

    /** Makes packets; into one array where the engine may reuse objects. */
    static final class Packets implements Feed<byte[]> {
        private static final long serialVersionUID = 1;
        private static final int MOST_PER_POLL = 256;
        private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

        private final Settings settings;
        private final boolean reuse;
        private transient RelayPackets packets;
        private transient Pace pace;
        private transient byte[] reused;

        Packets(Settings settings, boolean reuse) {
            this.settings = settings;
            this.reuse = reuse;
        }

        @Override
        public void open() {
            Presence.announce(settings, "source");
            packets = new RelayPackets(settings.number("packet_bytes"));
            pace = new Pace(settings.real("rate_per_s", 0));
            reused = new byte[packets.packetBytes()];
        }

        @Override
        public InputStatus poll(ReaderOutput<byte[]> output) {
            for (int k = 0; k < MOST_PER_POLL; k++) {
                long due = pace.take();
                if (due == Pace.NOT_YET) {
                    if (pace.isNever()) {
                        return InputStatus.NOTHING_AVAILABLE;
                    }
                    if (k == 0) {
                        LockSupport.parkNanos(Math.min(LONGEST_WAIT_NANOS, pace.waitNanos()));
                    }
                    break;
                }
                byte[] packet = reuse ? reused : new byte[reused.length];
                packets.next(packet, due);
                output.collect(packet);
            }
            return InputStatus.MORE_AVAILABLE;
        }
    }

    /** Passes each packet on. */
    static final class Relay extends RichMapFunction<byte[], byte[]> {
        private static final long serialVersionUID = 1;

        private final Settings settings;

        Relay(Settings settings) {
            this.settings = settings;
        }

        @Override
        public void open(OpenContext context) {
            Presence.announce(settings, "relay");
        }

        @Override
        public byte[] map(byte[] packet) {
            return packet;
        }
    }

    static Consumer<byte[]> sink(Settings settings) {
        return new Consumer<>(() -> {
            Arrivals arrivals = new Arrivals(settings);
            return arrivals::accept;
        });
    }
}
