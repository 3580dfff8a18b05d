package io.despina.compare.hazelcast;

import com.hazelcast.jet.core.AbstractProcessor;
import io.despina.compare.Arrivals;
import io.despina.compare.Pace;
import io.despina.compare.Presence;
import io.despina.compare.RelayPackets;
import io.despina.compare.Settings;

/** Source, relay and sink of relay packets; all cooperative, as Jet advises for what does not block. */
final class Relaying {
    private Relaying() {
    }

    /** Makes packets until its outbox is full. */
    static final class Source extends AbstractProcessor {
        private final Settings settings;
        private RelayPackets packets;
        private Pace pace;
        private byte[] pending;

        Source(Settings settings) {
            this.settings = settings;
        }

        @Override
        protected void init(Context context) {
            Presence.announce(settings, "source");
            packets = new RelayPackets(settings.number("packet_bytes"));
            pace = new Pace(settings.real("rate_per_s", 0));
        }

        @Override
        public boolean complete() {
            while (pending == null || tryEmit(pending)) {
                pending = null;
                long due = pace.take();
                if (due == Pace.NOT_YET) {
                    return false;
                }
                byte[] packet = new byte[packets.packetBytes()];
                packets.next(packet, due);
                pending = packet;
            }
            return false;
        }
    }

    /** Passes each packet on. */
    static final class Relay extends AbstractProcessor {
        private final Settings settings;

        Relay(Settings settings) {
            this.settings = settings;
        }

        @Override
        protected void init(Context context) {
            Presence.announce(settings, "relay");
        }

        @Override
        protected boolean tryProcess(int ordinal, Object item) {
            return tryEmit(item);
        }
    }

    /** Checks and counts; one that sleeps per packet says that it blocks, and gets a thread. */
    static final class Sink extends AbstractProcessor {
        private final Settings settings;
        private Arrivals arrivals;

        Sink(Settings settings) {
            this.settings = settings;
        }

        @Override
        public boolean isCooperative() {
            return settings.number("sleep_ms", 0) == 0;
        }

        @Override
        protected void init(Context context) {
            arrivals = new Arrivals(settings);
        }

        @Override
        protected boolean tryProcess(int ordinal, Object item) {
            arrivals.accept((byte[]) item);
            return true;
        }
    }
}
